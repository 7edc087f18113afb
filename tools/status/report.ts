import type { WeakBucket } from "../../components/requirements/weakBuckets";
import { onHost } from "../../components/docker/hosts";
import type { ExpectedStore } from "../stack/expectedDeployment";

/** A host of a deployment that names its hosts. */
export interface HostStatus {
    name: string;
    /** Why its engine can't be queried; undefined if it answers. */
    failure?: string;
}

/** A container that the deployment should have running, with its actual state. */
export interface ContainerStatus {
    name: string;
    /** Name of its host; undefined if the deployment names no hosts. */
    host?: string;
    /**
     * `running`, `restarting`, `exited`, `paused` …; `gone` if there is no such container; `unreachable` if the engine of its host
     * can't be queried.
     */
    state: string;
    /** `healthy`, `unhealthy` or `starting`; `none` without a health check. */
    health: string;
    /** Time of its last start, RFC 3339; undefined if it is gone. */
    startedAt?: string;
    /** Output of its last health check, if that failed. */
    lastCheck?: string;
}

/** A server of a backend, as reported by a proxy. */
export interface BackendStatus {
    /** Name of the proxy's container. */
    proxy: string;
    /** `s3/node1`. */
    server: string;
    address: string;
    /** `UP`, `DOWN`, `DRAIN`, `MAINT` …, with the progress of its checks towards a change: `DOWN 1/2`. */
    status: string;
    /** Requests and tunnels in progress on it. */
    running: number;
}

/** The certificate that a proxy serves. */
export interface CertificateStatus {
    /** End of its validity, RFC 3339. */
    notAfter: string;
    /** Failed attempts to renew it since the last success; undefined if no proxy answers. */
    renewalFailures?: number;
    /** Source: the proxy that serves it, or the last update if no proxy answers. */
    source: "proxy" | "last update";
    /** Name of the proxy's host; undefined if the deployment names no hosts. */
    host?: string;
}

/** A host that may have the floating address. */
export interface FloatingAddressStatus {
    address: string;
    /** Name of the host. */
    host: string;
    /** Name of its keepalived's container. */
    keepalived: string;
    /** Whether the host has the address; undefined if it can't be queried. */
    hasAddress?: boolean;
}

/** A data volume. */
export interface VolumeStatus {
    name: string;
    /** Name of the node's container. */
    node: string;
    /** Bytes that the store uses in it; undefined if its node can't be queried, or if counting takes too long. */
    usedBytes?: number;
    /** Its device, as in {@link DeviceStatus}; undefined if its node can't be queried. */
    device?: string;
}

/** A drive that the store doesn't count as healed. */
export interface HealingStatus {
    /** Name of the node's container. */
    node: string;
    /** Number of the drive in its node, from 1. */
    drive: number;
    /** What the store says: `is being healed since …`. */
    reason: string;
}

/** A device that contains data volumes, and perhaps other data. */
export interface DeviceStatus {
    /**
     * Its name in the nodes, such as `/dev/sda1`, with its number if several devices have that name, and with its host if the
     * deployment names hosts.
     */
    name: string;
    /** Names of the data volumes on it. */
    volumes: string[];
    /** Space in use, by any program. */
    usedBytes: number;
    /** Space that is available to the store. */
    freeBytes: number;
}

/** A node that an update took out of service and hasn't returned to service. */
export interface DrainedNode {
    /** Address on the node network. */
    address: string;
    /** Its name in the backends, `node1`; undefined if no backend has that address any more. */
    node?: string;
}

/** The state of a deployment. */
export interface StatusReport {
    stack: string;
    s3Endpoint?: string;
    /** Undefined if the store's image has no console. */
    consoleUrl?: string;
    /** The additional stores; undefined if the deployment has none. */
    additionalStores?: ExpectedStore[];
    /** Undefined if the deployment names no hosts. */
    hosts?: HostStatus[];
    nodes: ContainerStatus[];
    /** The proxies, and the containers of their certificates. */
    frontEnd: ContainerStatus[];
    /** The hosts that may have the floating address; undefined if the deployment has none. */
    floatingAddress?: FloatingAddressStatus[];
    /** The hosts' watchdogs; undefined if the deployment has none. */
    watchdogs?: ContainerStatus[];
    backends: BackendStatus[];
    /** Nodes that an update took out of service: a running update, or a killed one. */
    drained: DrainedNode[];
    certificates: CertificateStatus[];
    volumes: VolumeStatus[];
    devices: DeviceStatus[];
    /** The drives that lack some of their data, or don't answer; undefined if there are none. */
    healing?: HealingStatus[];
    /** Buckets with a weak durability; undefined if there are none. */
    weakBuckets?: WeakBucket[];
    /** What could not be queried, and why. */
    unanswered: string[];
}

/** Limits below which something is a problem. */
export interface StatusLimits {
    /** Minimum remaining days of a certificate. */
    certificateDays: number;
    /** Minimum free share of a device, in percent. */
    freePercent: number;
}

const DAY_MILLISECONDS = 24 * 3600 * 1000;

/** Whole days until a certificate expires; negative once it has expired. */
export function daysLeft({ notAfter }: CertificateStatus, now: number): number {
    return Math.floor((Date.parse(notAfter) - now) / DAY_MILLISECONDS);
}

/** Free share of a device, in percent. */
export function freePercent({ usedBytes, freeBytes }: DeviceStatus): number {
    return usedBytes + freeBytes === 0 ? 0 : (100 * freeBytes) / (usedBytes + freeBytes);
}

/** All problems, one sentence each; empty if everything is healthy. */
export function problemsIn(report: StatusReport, limits: StatusLimits, now: number): string[] {
    return [
        ...(report.hosts ?? []).flatMap(({ name, failure }) => (failure === undefined ? [] : [onHost(name, failure)])),
        ...[...report.nodes, ...report.frontEnd, ...(report.watchdogs ?? [])].flatMap((container) =>
            containerProblem(container).map((problem) => onHost(container.host, problem)),
        ),
        ...floatingAddressProblems(report.floatingAddress ?? []),
        ...report.backends.flatMap(backendProblem),
        ...report.drained.map((node) => drainedProblem(node, report.stack)),
        ...report.certificates.flatMap((certificate) =>
            certificateProblems(certificate, limits, now).map((problem) => onHost(certificate.host, problem)),
        ),
        ...report.volumes.flatMap((volume) => volumeProblem(volume, report.nodes)),
        ...report.devices.flatMap((device) => deviceProblem(device, limits)),
        ...(report.healing ?? []).map(({ node, drive, reason }) => `${node} drive ${drive} ${reason}`),
        ...report.unanswered,
    ];
}

function containerProblem({ name, state, health, lastCheck }: ContainerStatus): string[] {
    if (state === "gone") {
        return [`${name} is gone: npm run up creates it again`];
    }
    if (state === "unreachable") {
        return [`the state of ${name} isn't known, since its host can't be queried`];
    }
    if (state !== "running") {
        return [`${name} is ${state}: docker logs ${name} may say why, docker start ${name} starts it`];
    }
    const said = lastCheck === undefined || lastCheck === "" ? "" : `; its last check says: ${lastCheck}`;
    return health === "healthy" || health === "none" ? [] : [`${name} is ${health}${said}`];
}

function backendProblem({ proxy, server, status }: BackendStatus): string[] {
    return /^(UP|no check)/.test(status) ? [] : [`${server} is ${status} for ${proxy}`];
}

/** Exactly one host must have the address. A host that can't be queried may have it, and has a problem of its own. */
function floatingAddressProblems(all: FloatingAddressStatus[]): string[] {
    return [...new Set(all.map(({ address }) => address))].flatMap((address) => {
        const hosts = all.filter((one) => one.address === address);
        const holders = hosts.filter(({ hasAddress }) => hasAddress === true).map(({ host }) => host);
        if (holders.length === 1) {
            return [];
        }
        if (holders.length > 1) {
            return [
                `hosts ${holders.join(" and ")} have the floating address ${address}, and only one may have it: ` +
                    "open IP protocol 112 between them, so that they hear each other",
            ];
        }
        const [first] = hosts;
        const asked = hosts.every(({ hasAddress }) => hasAddress === false) ? "no host" : "no host that can be queried";
        return [
            `${asked} has the floating address ${address}: docker logs ${first?.keepalived} on host ${first?.host} may say why`,
        ];
    });
}

function certificateProblems(certificate: CertificateStatus, { certificateDays }: StatusLimits, now: number): string[] {
    const days = daysLeft(certificate, now);
    const failures = certificate.renewalFailures ?? 0;
    return [
        ...(days < 0 ? [`the certificate is invalid since ${certificate.notAfter}`] : []),
        ...(days >= 0 && days < certificateDays
            ? [`the certificate is valid for less than ${certificateDays} days more, until ${certificate.notAfter}`]
            : []),
        ...(failures > 0 ? [`the certificate could not be renewed, ${failures} times by now`] : []),
    ];
}

/** The problem of a host that can't be queried covers the volumes on it. */
function volumeProblem({ name, node, device }: VolumeStatus, nodes: ContainerStatus[]): string[] {
    const isKnown = nodes.every((one) => one.name !== node || one.state !== "unreachable");
    return device === undefined && isKnown ? [`disk usage of ${name} isn't known: ${node} doesn't run`] : [];
}

function deviceProblem(device: DeviceStatus, limits: StatusLimits): string[] {
    const { name, volumes } = device;
    return freePercent(device) < limits.freePercent
        ? [
              `the device ${name} of ${volumes.join(", ")} has ${freePercent(device).toFixed(1)} % free, ` +
                  `less than ${limits.freePercent} %`,
          ]
        : [];
}

function drainedProblem({ node, address }: DrainedNode, stack: string): string {
    const name = node === undefined ? address : `${node} (${address})`;
    return (
        `${name} was taken out of the proxies by an update and gets no requests. Where no update runs any more, ` +
        `this takes it in again: npm run up -- --stack ${stack}`
    );
}
