import { poll, systemClock, type Clock } from "../docker/poll";
import { isOut, isUp, ProxyServers, type ProxyEngine, type ProxyServer } from "../proxyControl/proxyServers";

/**
 * Waits until a proxy has a server that is up in each backend of its stores. A server that it gets by a reload is down until
 * two checks have passed (service contract, section 3), and a store that was added has no other. Servers that an operator
 * has taken out are ignored. It is asked in each update, so also after one that was killed while it waited.
 *
 * @param networks Names of the stores' node networks.
 * @throws {Error} with the servers that are down, after the limit in seconds.
 */
export async function untilStoresServe(
    engine: ProxyEngine,
    frontEndName: string,
    networks: readonly string[],
    timeout: number,
    clock: Clock = systemClock,
): Promise<void> {
    const clusters = networks.map((network) => new ProxyServers(engine, network, { clock }));
    const proxyName = `${frontEndName}-proxy`;
    let problems: string[] = [];
    await poll(
        async () => {
            const lists = await Promise.all(clusters.map((cluster) => cluster.list()));
            problems = lists.flatMap((list, index) => {
                const ofProxy = list.filter(({ proxy, current }) => current && proxy === proxyName);
                return ofProxy.length === 0 ? [`none on ${networks[index]}`] : serversDown(ofProxy);
            });
            return problems.length === 0 ? true : undefined;
        },
        { clock, timeout },
    );
    if (problems.length > 0) {
        throw new Error(
            `${proxyName} has no server that is up for each of its stores after ${timeout} s: ${problems.join(", ")}. ` +
                `docker logs ${proxyName} may say why`,
        );
    }
}

/** The servers of the backends that have no server which is up, with their states. */
function serversDown(servers: readonly ProxyServer[]): string[] {
    const backendOf = ({ server }: ProxyServer) => server.split("/")[0];
    const served = new Set(servers.filter(isUp).map(backendOf));
    return servers
        .filter((server) => !isOut(server) && !served.has(backendOf(server)))
        .map(({ server, status }) => `${server} is ${status}`);
}
