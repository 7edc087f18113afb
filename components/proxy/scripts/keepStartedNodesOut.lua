-- Keeps a node that has started out of backends for some time, although their checks pass. One connection to each node
-- is kept open by small requests: it closes when the node's process ends, however soon the next one starts. HAProxy's
-- checks return a server after two successes, 10 s apart: they count from the last time at which it was taken out.
-- Drained servers stay as they are.
--
-- Arguments (lua-load)  seconds for which a node stays out at least, path that a node answers at once, its backends
--                       separated by commas
local CHECK_SECONDS = 10

local CONNECT_SECONDS = 5
local ANSWER_SECONDS = 10
-- A store closes connections that are idle.
local APART_MILLISECONDS = 250

-- HAProxy repeats a refused connection three times, a second apart, in one call of connect.
local AT_ONCE_SECONDS = 0.9

-- The time limit of a socket counts from the last answer, and also while nothing is awaited: the proxy may get no
-- processor time.
local NO_LIMIT_SECONDS = 3600

local seconds, path, list = ...
local request = "HEAD " .. path .. " HTTP/1.1\r\nHost: localhost\r\n\r\n"
local backends = {}
for backend in list:gmatch("[^,]+") do
    backends[#backends + 1] = backend
end

local function take_out(name)
    for _, backend in ipairs(backends) do
        local server = core.backends[backend].servers[name]
        if not server:is_draining() then
            server:check_force_down()
        end
    end
end

-- Number of starts, by server.
local starts = {}

local function keep_out(name)
    local start = (starts[name] or 0) + 1
    starts[name] = start
    take_out(name)
    core.register_task(function()
        local left = tonumber(seconds) + 1 - CHECK_SECONDS
        while left > 0 do
            local step = math.min(left, CHECK_SECONDS - 1)
            core.sleep(step)
            left = left - step
            if starts[name] ~= start then
                return
            end
            take_out(name)
        end
    end)
end

local function now()
    local time = core.now()
    return time.sec + time.usec / 1000000
end

local function stopping()
    return tostring(core.get_info()["Stopping"]) == "1"
end

-- Sends a request. Returns "answered", "closed" if the connection ends without an answer, or "left" if the node says
-- that it will close the connection, or doesn't answer in time.
local function ask(socket)
    local since = now()
    local announced = false
    local line = socket:send(request) and socket:receive("*l")
    while line and line ~= "" and now() - since < ANSWER_SECONDS do
        announced = announced or line:lower():match("^connection:%s*close") ~= nil
        line = socket:receive("*l")
    end
    if now() - since >= ANSWER_SECONDS or announced then
        return "left"
    end
    return line and "answered" or "closed"
end

-- Keeps a connection open. Returns whether it ended with the node's process, as far as the connection shows.
local function hold(socket, node)
    local answers, last = 0, now()
    while not stopping() do
        -- A second more, since HAProxy gives the same reason for the end of a connection and that of its time.
        socket:settimeout(ANSWER_SECONDS + 1 + now() - last)
        local outcome = ask(socket)
        if outcome ~= "answered" then
            return outcome == "closed" and node.stays
        end
        answers, last = answers + 1, now()
        -- There are stores that close each connection after its answer.
        node.stays = node.stays or answers > 1
        socket:settimeout(NO_LIMIT_SECONDS)
        core.msleep(APART_MILLISECONDS)
    end
    return false
end

local function watch(node)
    local known, away = false, false
    while not stopping() do
        local socket, since = core.tcp(), now()
        socket:settimeout(CONNECT_SECONDS)
        local open = socket:connect(node.address, node.port)
        away = away or not open or known and now() - since > AT_ONCE_SECONDS
        if open then
            if away then
                keep_out(node.name)
            end
            known = true
            away = hold(socket, node)
        end
        if away then
            take_out(node.name)
        end
        socket:close()
        core.msleep(APART_MILLISECONDS)
    end
end

core.register_init(function()
    for name, server in pairs(core.backends[backends[1]].servers) do
        local address, port = server:get_addr():match("^(.*):(%d+)$")
        core.register_task(watch, { name = name, address = address, port = tonumber(port), stays = false })
    end
end)
