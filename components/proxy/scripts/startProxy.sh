# Starts HAProxy with the servers' initial states. They replace the states that an earlier proxy left.
# The paths are those of proxyContainer.ts and proxyFiles.ts.
cp /usr/local/etc/haproxy/current/servers.state /run/haproxy/servers.state &&
exec haproxy -W -db -S /run/haproxy/master.sock -f /usr/local/etc/haproxy/current/haproxy.cfg
