import { prepareNextHaproxy } from "./images";
import type { BenchOptions } from "./measurement";
import type { Variant } from "./targets";

/** Name of the copy without a change, with which the other copies are compared. */
export const BASELINE = "a copy";

/** Changes that may perform better. */
export const CHANGES: Variant[] = [
    ...[16, 20, 24, 64, 128].map((kibibytes) => inText(`buffers of ${kibibytes} KiB`, buffers(kibibytes))),
    inText(
        "buffers of 128 KiB, 25 HTTP/2 streams",
        buffers(128),
        addTo("global", "tune.h2.fe.max-concurrent-streams 25"),
    ),
    inText("one thread", addTo("global", "nbthread 1")),
    inText("idle connections of each thread", addTo("global", "tune.idle-pool.shared off")),
    inText("receive buffers of 4 MiB", addTo("global", "tune.rcvbuf.server 4194304")),
    inText("a TLS record a write", addTo("global", "tune.ssl.hard-maxrecord 16384")),
    inText("HTTP/2 windows of 1 MiB", addTo("global", "tune.h2.fe.initial-window-size 1048576")),
    inText("HTTP/2 frames of 32 KiB", addTo("global", "tune.h2.max-frame-size 32768")),
    inText("http-reuse always", addTo("defaults", "http-reuse always")),
    inText("splicing", addTo("defaults", "option splice-auto")),
    inText("TLS tickets", (configuration) => configuration.replace(" no-tls-tickets", "")),
    inText("no retries of requests", without(/^ {4}retry-on .*\n/gm)),
    inText(
        "no rules of headers",
        without(
            /^ {4}(http-request (del-header|set-header X-|disable-l7|deny)|acl websocket|http-request set-header Connection).*\n/gm,
        ),
    ),
    inText("no rules of paths", without(/^ {4}(acl \w+_path |http-request return status 403).*\n/gm)),
    inText(
        "no count of connections",
        without(/^ {4}(tcp-request connection|http-request track-sc1|.*sc1_conn_cur) .*\n/gm),
    ),
    inText("errors alone logged", addTo("defaults", "option dontlog-normal")),
    inText("closed paths by prefixes", pathsByPrefix),
    inText("hostname first, then paths", hostnameFirst),
    inText("hostname read once", hostnameOnce),
    inText("path decoded where needed", decodedWhereNeeded),
    inText("these four", pathsByPrefix, hostnameFirst, hostnameOnce, decodedWhereNeeded),
    { name: "HAProxy 3.4", image: prepareNextHaproxy },
    {
        ...inText("HAProxy 3.4, small buffers", (configuration) =>
            configuration.replace(/^( {4}retry-on .*)$/m, "$1\n    option use-small-buffers l7-retries"),
        ),
        image: prepareNextHaproxy,
    },
    { name: "log driver local", container: { logDriver: "local" } },
    { name: "no log driver", container: { logDriver: "none" } },
    withSysctl("larger first receive buffer", "net.ipv4.tcp_rmem", "4096 524288 6291456"),
    withSysctl("reno", "net.ipv4.tcp_congestion_control", "reno"),
];

/** The unchanged copy, and the changed ones that were asked for. */
export function variantsOf({ variant }: BenchOptions): Variant[] {
    return [{ name: BASELINE }, ...CHANGES.filter(({ name }) => variant?.test(name) ?? true)];
}

type TextChange = (configuration: string) => string;

function inText(name: string, ...changes: TextChange[]): Variant {
    return { name, change: (configuration) => changes.reduce((text, change) => change(text), configuration) };
}

function withSysctl(name: string, key: string, value: string): Variant {
    return { name, container: { sysctls: { [key]: value } } };
}

function buffers(kibibytes: number): TextChange {
    return (configuration) => configuration.replace(/tune\.bufsize \d+/, `tune.bufsize ${kibibytes * 1024}`);
}

function without(lines: RegExp): TextChange {
    return (configuration) => configuration.replace(lines, "");
}

function addTo(section: string, line: string): TextChange {
    return (configuration) => configuration.replace(new RegExp(`^${section}$`, "m"), `${section}\n    ${line}`);
}

function pathsByPrefix(configuration: string): string {
    return configuration.replace(
        /^ {4}acl (\w+) (var\(txn\.\w+\)) -m reg '\^\(\?:(.*)\)'$/gm,
        (_, acl: string, variable: string, alternatives: string) => {
            const paths = alternatives.replaceAll("[.]", ".").split("|");
            const matched = (how: string, some: string[]) =>
                some.length === 0 ? [] : [`    acl ${acl} ${variable} -m ${how} ${some.join(" ")}`];
            return [
                ...matched(
                    "beg",
                    paths.filter((path) => !path.endsWith("$")),
                ),
                ...matched(
                    "str",
                    paths.filter((path) => path.endsWith("$")).map((path) => path.replace("$", "")),
                ),
            ].join("\n");
        },
    );
}

function hostnameFirst(configuration: string): string {
    return configuration.replace(/(\w+_path) (\w+_host)/g, "$2 $1");
}

function hostnameOnce(configuration: string): string {
    return configuration
        .replaceAll("req.fhdr(host),host_only -m str", "var(txn.host) -m str")
        .replace(
            /( {4}http-request return status 404 .*\n)/,
            "    http-request set-var(txn.host) req.fhdr(host),host_only\n$1",
        );
}

function decodedWhereNeeded(configuration: string): string {
    return configuration.replace(
        /^ {4}http-request set-var\(txn\.path\) "path,url_dec,.*\n(.*\n)/m,
        [
            '    http-request set-var(txn.path) "path,url_dec,concat(/)" if { path -m sub % }',
            '    http-request set-var(txn.path) "path,concat(/)" unless { path -m sub % }',
            "$1    http-request set-var(txn.path) \"var(txn.path),regsub('/+','/','g')\" if { var(txn.path) -m sub // }\n",
        ].join("\n"),
    );
}
