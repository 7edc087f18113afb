import type Docker from "dockerode";
import type { TestCertificate } from "../test/certificates";
import { DockerHost } from "../test/e2e/harness/dockerHost";
import type { BenchImages } from "./images";
import {
    caddyConfig,
    CERTIFICATE_FILE,
    KEY_FILE,
    nginxConfig,
    PEER_PORT,
    traefikConfig,
    tunedNginxConfig,
    type PeerArgs,
} from "./peerConfigs";

/** Another proxy that does the front end's job. */
export interface Peer {
    name: string;
    image: string;
    configFile: string;
    config: (args: PeerArgs) => string;
    command: string;
    /** Has it reload its configuration, in its container. */
    reload: string;
}

/** Limit of open files of every container, as the front end's own has by default. */
export const OPEN_FILES = 20_000;

/** The peers that can be had. */
export function peersOf({ nginx, caddy, traefik }: BenchImages): Peer[] {
    const nginxPeer = (name: string, config: Peer["config"]): Peer => ({
        name,
        image: nginx,
        configFile: "/tmp/nginx.conf",
        config,
        command: "nginx -c /tmp/nginx.conf -g 'daemon off;'",
        reload: "nginx -c /tmp/nginx.conf -s reload",
    });
    return [
        nginxPeer("nginx", nginxConfig),
        nginxPeer("nginx, tuned", tunedNginxConfig),
        {
            name: "Caddy",
            image: caddy,
            configFile: "/tmp/Caddyfile",
            config: caddyConfig,
            command: "caddy run --config /tmp/Caddyfile --adapter caddyfile",
            reload: "caddy reload --force --config /tmp/Caddyfile --adapter caddyfile",
        },
        ...(traefik === undefined
            ? []
            : [
                  {
                      name: "Traefik",
                      image: traefik,
                      configFile: "/tmp/dynamic.yaml",
                      config: traefikConfig,
                      command: `traefik --entryPoints.websecure.address=:${PEER_PORT} --providers.file.filename=/tmp/dynamic.yaml`,
                      reload: "touch /tmp/dynamic.yaml",
                  },
              ]),
    ];
}

/** What a container of a peer, or of a store that the benchmark starts by itself, is made of. */
export interface StartedContainer {
    name: string;
    image: string;
    /** Shell command. */
    command: string;
    /** What lies in its files. */
    files: { [path: string]: string };
    env?: string[];
    network: string;
    /** Port that is published on loopback as well. */
    published?: number;
}

/** Starts a container with files in it. */
export async function startContainer(desired: StartedContainer): Promise<Docker.Container> {
    const { docker } = new DockerHost();
    const files = Object.entries(desired.files);
    const write = files.map(
        ([path], place) => `mkdir -p "$(dirname ${path})" && printf '%s' "$FILE_${place}" > ${path}`,
    );
    const port = desired.published === undefined ? [] : [`${desired.published}/tcp`];
    const container = await docker.createContainer({
        name: desired.name,
        Image: desired.image,
        Entrypoint: ["/bin/sh", "-c"],
        Cmd: [[...write, `exec ${desired.command}`].join(" && ")],
        User: "0:0",
        Env: [...files.map(([, text], place) => `FILE_${place}=${text}`), "HOME=/tmp", ...(desired.env ?? [])],
        ExposedPorts: Object.fromEntries(port.map((each) => [each, {}])),
        HostConfig: {
            // Nothing can be published from an internal network.
            ...(desired.published === undefined ? { NetworkMode: desired.network } : {}),
            PortBindings: Object.fromEntries(port.map((each) => [each, [{ HostIp: "127.0.0.1", HostPort: "" }]])),
            Ulimits: [{ Name: "nofile", Soft: OPEN_FILES, Hard: OPEN_FILES }],
        },
    });
    if (desired.published !== undefined) {
        await docker.getNetwork(desired.network).connect({ Container: container.id });
    }
    await container.start();
    return container;
}

/** Starts a peer on a network; with `published` it is on a port of loopback as well. */
export function startPeer(
    peer: Peer,
    desired: { name: string; network: string; certificate: TestCertificate; published?: boolean } & PeerArgs,
): Promise<Docker.Container> {
    return startContainer({
        name: desired.name,
        image: peer.image,
        command: peer.command,
        files: {
            [peer.configFile]: peer.config(desired),
            [CERTIFICATE_FILE]: desired.certificate.certificate,
            [KEY_FILE]: desired.certificate.key,
        },
        network: desired.network,
        published: desired.published === true ? PEER_PORT : undefined,
    });
}
