import { dockerOn } from "../../components/hosts/swarm/swarmCommands";
import type { StoreHost } from "../../components/args/hostArgs";
import { PLAYGROUND_STACK } from "./playground";

/** Commands to try on a playground that was deployed. */
export function howToGoOn(hosts: readonly StoreHost[]): string {
    const [first] = hosts;
    const last = hosts.at(-1);
    return [
        "",
        `It runs over ${hosts.length} virtual hosts, each with its own Docker daemon and proxy:`,
        `    npm run status -- --stack ${PLAYGROUND_STACK}`,
        `    npm run hosts -- status --stack ${PLAYGROUND_STACK}`,
        ...(first === undefined ? [] : [`    ${dockerOn(first)} ps`]),
        `Kill a host:            npm run playground -- --kill ${last?.name}`,
        `Start it again:         npm run playground -- --hosts ${hosts.length}`,
        "Remove all, data too:   npm run playground -- --down",
    ].join("\n");
}
