import { STATS_SOCKET } from "../../../components/proxyControl/proxyFiles";
import type { DockerHost } from "./dockerHost";

/** Sends a command to HAProxy's runtime API and prints the answer. */
const ASK = `my $s = IO::Socket::UNIX->new(Peer => "${STATS_SOCKET}") or die "no answer: $!"; print $s "$ARGV[0]\\n"; print <$s>`;

const CONFIGURATION_DIRECTORY = "/usr/local/etc/haproxy";

/** Backends of haproxy.cfg that have servers. */
export type BackendName = "s3" | "console";

/** The runtime API of a running proxy, used from inside its container (HAProxy management guide, section 9.3). */
export class HaproxyRuntime {
    constructor(
        private readonly host: DockerHost,
        readonly container: string,
    ) {}

    /** The answer to a command. */
    ask(command: string): Promise<string> {
        return this.host.exec(this.container, ["perl", "-MIO::Socket::UNIX", "-e", ASK, command]);
    }

    /** The state of each server of a backend, by name: `UP`, `UP 1/3`, `DOWN`, `DOWN 1/2`, `DRAIN`, `MAINT`. */
    states(backend: BackendName | "s3_read"): Promise<{ [server: string]: string }> {
        return this.statistic(backend, "status");
    }

    /**
     * Time of the last state change of each server of a backend, by name: milliseconds since the epoch, accurate to a
     * second or two.
     */
    async lastChanges(backend: BackendName): Promise<{ [server: string]: number }> {
        const ages = Object.entries(await this.statistic(backend, "lastchg"));
        return Object.fromEntries(ages.map(([server, seconds]) => [server, Date.now() - Number(seconds) * 1000]));
    }

    /** Number of requests in progress on each server of a backend, by name. */
    async sessions(backend: BackendName): Promise<{ [server: string]: number }> {
        const counts = Object.entries(await this.statistic(backend, "scur"));
        return Object.fromEntries(counts.map(([server, count]) => [server, Number(count)]));
    }

    /** One column of the statistics of a backend's servers, by name (HAProxy management guide, section 9.1). */
    private async statistic(backend: BackendName | "s3_read", column: string): Promise<{ [server: string]: string }> {
        const [head = "", ...rows] = (await this.ask("show stat -1 4 -1")).trim().split("\n");
        const columns = head.replace(/^# /, "").split(",");
        const [proxy, server, value] = ["pxname", "svname", column].map((name) => columns.indexOf(name));
        return Object.fromEntries(
            rows
                .map((row) => row.split(","))
                .filter((cells) => cells[proxy ?? 0] === backend)
                .map((cells) => [cells[server ?? 0] ?? "", cells[value ?? 0] ?? ""]),
        );
    }

    /** Output of `haproxy -c` for the active configuration, without a server state file. */
    async check(): Promise<string> {
        const { Image: image, Mounts: mounts } = await this.host.inspect(this.container);
        const volume = mounts.find(({ Destination: path }) => path === CONFIGURATION_DIRECTORY)?.Name ?? "";
        const check = `haproxy -c -f ${CONFIGURATION_DIRECTORY}/current/haproxy.cfg`;
        return this.host.runOnVolumes(image, { [CONFIGURATION_DIRECTORY]: volume }, check);
    }

    /** The active configuration. */
    configuration(): Promise<string> {
        return this.host.exec(this.container, ["cat", `${CONFIGURATION_DIRECTORY}/current/haproxy.cfg`]);
    }
}

/** Whether HAProxy routes new requests to a server in that state. */
export function isUp(state: string | undefined): boolean {
    return state?.startsWith("UP") ?? false;
}
