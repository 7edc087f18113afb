-- Keeps a node that has started out of backends for some time, although their checks pass. A connection to each node
-- is held open without a request: it closes when the node's process ends, however soon the next one starts. HAProxy's
-- checks return a server after two successes, 10 s apart: they count from the last time at which it was taken out.
-- Drained servers stay as they are.
--
-- Arguments (lua-load)  seconds for which a node stays out at least, its backends separated by commas
local CHECK_SECONDS = 10

-- A proxy that stops waits for a connection that is held.
local HOLD_SECONDS = 0.5
local CONNECT_SECONDS = 2

-- After a node's process has ended, HAProxy repeats a refused connection after this time, in one call of connect. A
-- process that still runs takes the next connection before.
local RECONNECT_SECONDS = 0.3
local AT_ONCE_SECONDS = 0.1

local seconds, list = ...
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

local function watch(name, address, port)
    local ended, failures = false, 0
    while tostring(core.get_info()["Stopping"]) ~= "1" do
        local socket, since = core.tcp(), now()
        socket:settimeout(ended and RECONNECT_SECONDS or CONNECT_SECONDS)
        local open = socket:connect(address, port)
        if open then
            if failures > 1 or ended and (failures > 0 or now() - since > AT_ONCE_SECONDS) then
                keep_out(name)
            end
            failures = 0
            socket:settimeout(HOLD_SECONDS)
            local opened = now()
            socket:receive(1)
            -- HAProxy gives the same reason for both ends.
            ended = now() - opened < HOLD_SECONDS - 0.005
        else
            failures = failures + 1
            if failures == (ended and 1 or 2) then
                take_out(name)
            end
            core.msleep(200)
        end
        socket:close()
    end
end

core.register_init(function()
    for name, server in pairs(core.backends[backends[1]].servers) do
        local address, port = server:get_addr():match("^(.*):(%d+)$")
        core.register_task(watch, name, address, tonumber(port))
    end
end)
