-- Ends the requests that hang on a server that is down. It waits until none is left that waits for a connection to that
-- server: those go to another one. HAProxy's own `on-marked-down shutdown-sessions` would end these too.
--
-- Arguments (lua-load)  seconds for which a server has to be down, its backends separated by commas
local seconds, backends = ...
local meant = {}
for backend in backends:gmatch("[^,]+") do
    meant[backend] = true
end

-- Number of times that a server has gone down or come up.
local changes = {}

core.event_sub({ "SERVER_DOWN", "SERVER_UP" }, function(event, data)
    if not meant[data.proxy_name] then
        return
    end
    local name = data.proxy_name .. "/" .. data.name
    local change = (changes[name] or 0) + 1
    changes[name] = change
    if event == "SERVER_DOWN" then
        core.register_task(function()
            core.sleep(tonumber(seconds))
            if changes[name] == change then
                core.backends[data.proxy_name].servers[data.name]:shut_sess()
            end
        end)
    end
end)
