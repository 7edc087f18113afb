import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import type { StoreHost } from "../components";
import { LABELS } from "../components/naming/labels";

/** Answers of an engine, by the beginning of the path. */
interface Answers {
    [path: string]: unknown;
}

/** Version of Docker's API that the engines have. */
const API = "1.41";

const OPEN_FILES = 1_048_576;

/**
 * Docker engines that answer what a preview asks, and have nothing: neither containers nor volumes nor images. All are
 * managers or workers of one swarm.
 */
export class AnsweringEngines {
    private constructor(
        readonly hosts: StoreHost[],
        private readonly servers: Server[],
    ) {}

    /** @param folder Folder for their sockets. */
    static async start(count: number, folder: string): Promise<AnsweringEngines> {
        const hosts = Array.from({ length: count }, (_, index) => ({
            name: `host${index + 1}`,
            dockerHost: `unix://${join(folder, `${index + 1}.sock`)}`,
            address: `10.0.0.${index + 1}`,
        }));
        const servers = hosts.map((host) => engineAnswering(answersOf(host, hosts)));
        await Promise.all(
            servers.map((server, index) =>
                once(server.listen(hosts[index]?.dockerHost.replace("unix://", "")), "listening"),
            ),
        );
        return new AnsweringEngines(hosts, servers);
    }

    stop(): void {
        this.servers.forEach((server) => {
            server.close();
            server.closeAllConnections();
        });
    }
}

function engineAnswering(answers: Answers): Server {
    return createServer((request, response) => {
        const path = (request.url ?? "").replace(/^\/v[\d.]+/, "").replace(/\?.*/, "");
        const answer = answers[path];
        response.writeHead(answer === undefined ? 404 : 200, {
            "Content-Type": "application/json",
            "Api-Version": API,
        });
        response.end(JSON.stringify(answer ?? { message: `No such thing: ${path}` }));
    });
}

/** The first three are managers. */
function answersOf(host: StoreHost, hosts: readonly StoreHost[]): Answers {
    const isManager = (index: number) => index < 3;
    const nodes = hosts.map(({ name, address }, index) => ({
        ID: `node-${name}`,
        Version: { Index: 1 },
        Spec: {
            Labels: { [LABELS.host]: name },
            Role: isManager(index) ? "manager" : "worker",
            Availability: "active",
        },
        Description: { Hostname: name },
        Status: { State: "ready", Addr: address },
        ...(isManager(index) ? { ManagerStatus: { Reachability: "reachable", Addr: `${address}:2377` } } : {}),
    }));
    const managers = hosts.filter((_, index) => isManager(index));
    return {
        "/_ping": "OK",
        "/version": { Version: "20.10.24", ApiVersion: API, MinAPIVersion: "1.12" },
        "/info": {
            NCPU: 64,
            DockerRootDir: "/var/lib/docker",
            SecurityOptions: [],
            SystemTime: new Date().toISOString(),
            DefaultRuntime: "runc",
            MemTotal: 2 ** 40,
            Ulimits: OPEN_FILES,
            Swarm: {
                NodeID: `node-${host.name}`,
                NodeAddr: host.address,
                LocalNodeState: "active",
                ControlAvailable: managers.includes(host),
                Error: "",
                RemoteManagers: managers.map(({ name, address }) => ({
                    NodeID: `node-${name}`,
                    Addr: `${address}:2377`,
                })),
                Cluster: { ID: "swarm" },
            },
        },
        "/nodes": managers.includes(host) ? nodes : undefined,
        "/containers/json": [],
        "/networks": [],
        "/volumes": { Volumes: [], Warnings: null },
        "/images/json": [],
    };
}
