import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import type { StoreHost } from "../../components/args/hostArgs";
import type { StoreImages } from "../images/storeImages";
import { StepError } from "../cli/step";
import { writeWhole } from "../machine/wholeFiles";
import { PROJECT } from "../paths";
import { projectName } from "../pulumi/workspace";
import { arePlaygroundHosts, PLAYGROUND_STACK } from "./playground";

/** The stack's file. Git ignores it. */
export const PLAYGROUND_FILE = join(PROJECT, `Pulumi.${PLAYGROUND_STACK}.yaml`);

/** Loopback's ports are the first free ones from these on, because 80 and 443 often have a store already. */
const FIRST_PORTS = { http: 8080, https: 8443 };

const COMMENT = "# Written by `npm run playground`, removed by `npm run playground -- --down`.\n";

/** What the commands need to know of the playground's stack. */
export interface PlaygroundStack {
    hosts: StoreHost[];
    profile: string;
    /** Images that the hosts need. */
    images: string[];
    /** Ports of the hosts, and of this machine's loopback address. */
    ports: { http: number; https: number };
}

/**
 * Reads the stack's file. Undefined if there is none.
 *
 * @throws {StepError} if it is another stack's.
 */
export function readPlaygroundStack(): PlaygroundStack | undefined {
    if (!existsSync(PLAYGROUND_FILE)) {
        return undefined;
    }
    const { config } = (parse(readFileSync(PLAYGROUND_FILE, "utf8")) ?? {}) as { config?: { [key: string]: unknown } };
    const value = (key: string) => config?.[`${projectName()}:${key}`];
    const hosts = (value("hosts") ?? []) as StoreHost[];
    if (hosts.length === 0 || !arePlaygroundHosts(hosts)) {
        throw new StepError(
            `${PLAYGROUND_FILE} is not the file of this checkout's playground: its hosts are others. Give that stack another ` +
                "name, or move the file away",
        );
    }
    return {
        hosts,
        profile: String(value("profile")),
        images: [String(value("haproxyImage")), String(value("image"))],
        ports: { http: Number(value("httpPort")), https: Number(value("httpsPort")) },
    };
}

/** Writes the stack's file: a node on each host, and ports that are free. */
export async function writePlaygroundStack(hosts: StoreHost[], images: StoreImages): Promise<void> {
    const config = {
        ...images,
        nodeCount: hosts.length,
        httpPort: await firstFreePort(FIRST_PORTS.http),
        httpsPort: await firstFreePort(FIRST_PORTS.https),
        publishAddress: "0.0.0.0",
        hosts,
        // What the hosts exchange doesn't leave this machine, and its kernel may lack ESP.
        unencryptedOverlay: true,
        allowDrivesOnOneDevice: true,
    };
    const entries = Object.entries(config).map(([key, value]) => [`${projectName()}:${key}`, value] as const);
    writeWhole(PLAYGROUND_FILE, COMMENT + stringify({ config: Object.fromEntries(entries) }));
}

async function firstFreePort(first: number): Promise<number> {
    for (let port = first; port < first + 100; port++) {
        if (await isFree(port)) {
            return port;
        }
    }
    throw new StepError(`no port of 127.0.0.1 from ${first} to ${first + 99} is free: end a program that uses one`);
}

function isFree(port: number): Promise<boolean> {
    return new Promise((resolve) => {
        const server = createServer();
        server.once("error", () => resolve(false));
        server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
}
