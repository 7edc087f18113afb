-- Keeps a node that has started out of backends for some time, although their checks pass. A connection to each node
-- is held open without a request: it closes when the node's process ends, however soon the next one starts. HAProxy's
-- checks return a server after two successes, 10 s apart: they count from the last time at which it was taken out.
-- Drained servers stay as they are.
--
-- Arguments (lua-load)  seconds for which a node stays out at least, its backends separated by commas
local CHECK_SECONDS = 10

-- Less time than a store allows without a request. A worker from before a reload ends after it.
local HOLD_SECONDS = 5
local CONNECT_SECONDS = 2

-- A process that still runs takes the next connection within this time.
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
        core.sleep(math.max(0, tonumber(seconds) + 1 - CHECK_SECONDS))
        if starts[name] == start then
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
        socket:settimeout(CONNECT_SECONDS)
        local open = socket:connect(address, port)
        if open then
            if failures > 1 or ended and (failures > 0 or now() - since > AT_ONCE_SECONDS) then
                keep_out(name)
            end
            failures = 0
            socket:settimeout(HOLD_SECONDS)
            local _, reason = socket:receive(1)
            ended = reason ~= "timeout"
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
