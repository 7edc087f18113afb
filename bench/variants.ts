import type { Variant } from "./targets";

/** HAProxy settings that may perform better, one at a time. The first variant is the baseline. */
export const VARIANTS: Variant[] = [
    { name: "a copy", change: (configuration) => configuration },
    ...[16, 20, 24, 64, 128].map(buffers),
    inGlobal("one thread", "nbthread 1"),
    inGlobal("receive buffers of 4 MiB", "tune.rcvbuf.server 4194304"),
    inGlobal("a TLS record a write", "tune.ssl.hard-maxrecord 16384"),
    inGlobal("HTTP/2 windows of 1 MiB", "tune.h2.fe.initial-window-size 1048576"),
    inDefaults("http-reuse always", "http-reuse always"),
    inDefaults("splicing", "option splice-auto"),
    { name: "TLS tickets", change: (configuration) => configuration.replace(" no-tls-tickets", "") },
    without(
        "no rules of headers",
        /^ {4}(http-request (del-header|set-header X-|disable-l7|deny)|acl websocket|http-request set-header Connection).*\n/gm,
    ),
    without("no rules of paths", /^ {4}(acl \w+_path |http-request return status 403).*\n/gm),
    without("no count of connections", /^ {4}tcp-request connection .*\n/gm),
    inDefaults("errors alone logged", "option dontlog-normal"),
];

function buffers(kibibytes: number): Variant {
    return {
        name: `buffers of ${kibibytes} KiB`,
        change: (configuration) => configuration.replace(/tune\.bufsize \d+/, `tune.bufsize ${kibibytes * 1024}`),
    };
}

function without(name: string, lines: RegExp): Variant {
    return { name, change: (configuration) => configuration.replace(lines, "") };
}

function inGlobal(name: string, ...lines: string[]): Variant {
    return inSection("global", name, lines);
}

function inDefaults(name: string, ...lines: string[]): Variant {
    return inSection("defaults", name, lines);
}

function inSection(section: string, name: string, lines: string[]): Variant {
    return {
        name,
        change: (configuration) =>
            configuration.replace(
                new RegExp(`^${section}$`, "m"),
                [section, ...lines.map((line) => `    ${line}`)].join("\n"),
            ),
    };
}
