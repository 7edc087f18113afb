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
    tunedCaddyConfig,
    tunedNginxConfig,
    type PeerArgs,
} from "./peerConfigs";

/** Another proxy that does the same as the front end. */
export interface Peer {
    name: string;
    image: string;
    configFile: string;
    config: (args: PeerArgs) => string;
    command: string;
    /** Reloads its configuration; runs in its container. */
    reload: string;
}

/** Limit of open files of every container: the front end's default. */
export const OPEN_FILES = 20_000;

/** The available peers. */
export function peersOf({ nginx, caddy, traefik }: BenchImages): Peer[] {
    const nginxPeer = (name: string, config: Peer["config"]): Peer => ({
        name,
        image: nginx,
        configFile: "/tmp/nginx.conf",
        config,
        command: "nginx -c /tmp/nginx.conf -g 'daemon off;'",
        reload: "nginx -c /tmp/nginx.conf -s reload",
    });
    const caddyPeer = (name: string, config: Peer["config"]): Peer => ({
        name,
        image: caddy,
        configFile: "/tmp/Caddyfile",
        config,
        command: "caddy run --config /tmp/Caddyfile --adapter caddyfile",
        reload: "caddy reload --force --config /tmp/Caddyfile --adapter caddyfile",
    });
    return [
        nginxPeer("nginx", nginxConfig),
        nginxPeer("nginx, tuned", tunedNginxConfig),
        caddyPeer("Caddy", caddyConfig),
        caddyPeer("Caddy, tuned", tunedCaddyConfig),
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

/** Settings of a container that may change its speed. */
export interface ContainerSettings {
    sysctls?: { [name: string]: string };
    /** Default: the engine's. */
    logDriver?: string;
}

/** Settings of a container of a peer, or of a store that the benchmark starts itself. */
export interface StartedContainer {
    name: string;
    image: string;
    /** Shell command. */
    command: string;
    /** Contents of its files. */
    files: { [path: string]: string };
    env?: string[];
    network: string;
    /** Port that is also published on loopback. */
    published?: number;
    settings?: ContainerSettings;
}

/** Starts a container with these files. */
export async function startContainer(desired: StartedContainer): Promise<Docker.Container> {
    const { docker } = new DockerHost();
    const files = Object.entries(desired.files);
    const write = files.map(
        ([path], index) => `mkdir -p "$(dirname ${path})" && printf '%s' "$FILE_${index}" > ${path}`,
    );
    const port = desired.published === undefined ? [] : [`${desired.published}/tcp`];
    const { sysctls, logDriver } = desired.settings ?? {};
    const container = await docker.createContainer({
        name: desired.name,
        Image: desired.image,
        Entrypoint: ["/bin/sh", "-c"],
        Cmd: [[...write, `exec ${desired.command}`].join(" && ")],
        User: "0:0",
        Env: [...files.map(([, text], index) => `FILE_${index}=${text}`), "HOME=/tmp", ...(desired.env ?? [])],
        ExposedPorts: Object.fromEntries(port.map((each) => [each, {}])),
        HostConfig: {
            // An internal network can't publish ports.
            ...(desired.published === undefined ? { NetworkMode: desired.network } : {}),
            PortBindings: Object.fromEntries(port.map((each) => [each, [{ HostIp: "127.0.0.1", HostPort: "" }]])),
            Ulimits: [{ Name: "nofile", Soft: OPEN_FILES, Hard: OPEN_FILES }],
            ...(sysctls === undefined ? {} : { Sysctls: sysctls }),
            ...(logDriver === undefined ? {} : { LogConfig: { Type: logDriver, Config: {} } }),
        },
    });
    if (desired.published !== undefined) {
        await docker.getNetwork(desired.network).connect({ Container: container.id });
    }
    await container.start();
    return container;
}

/** Starts a peer on a network; with `published`, it also has a port on loopback. */
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
