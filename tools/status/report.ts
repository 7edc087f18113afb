/** A container that the deployment should have running, as it is. */
export interface ContainerStatus {
    name: string;
    /** `running`, `restarting`, `exited`, `paused` …; `gone` where there is no such container. */
    state: string;
    /** `healthy`, `unhealthy` or `starting`; `none` where it has no health check. */
    health: string;
    /** When it was started last, RFC 3339; nothing where it is gone. */
    startedAt?: string;
    /** What its last health check printed, where that failed. */
    lastCheck?: string;
}

/** A server of a backend, as a proxy has it. */
export interface BackendStatus {
    /** Name of the proxy's container. */
    proxy: string;
    /** `s3/node1`. */
    server: string;
    address: string;
    /** `UP`, `DOWN`, `DRAIN`, `MAINT` …, with the checks that a change still needs: `DOWN 1/2`. */
    status: string;
    /** Requests and tunnels that run on it. */
    running: number;
}

/** The certificate that a proxy serves. */
export interface CertificateStatus {
    /** End of its validity, RFC 3339. */
    notAfter: string;
    /** Attempts to renew it that have failed since one succeeded; unknown where no proxy answers. */
    renewalFailures?: number;
    /** Who says so: the proxy that serves it, or the last update, where no proxy answers. */
    source: "proxy" | "last update";
}

/** A data volume. */
export interface VolumeStatus {
    name: string;
    /** Name of the node's container. */
    node: string;
    /** Bytes that the store has in it; nothing where its node can't be asked, or counting takes too long. */
    usedBytes?: number;
    /** Device that it stands on, as {@link DeviceStatus} has it; nothing where its node can't be asked. */
    device?: string;
}

/** A device that data volumes stand on, and perhaps other things. */
export interface DeviceStatus {
    /** Its name, as nodes see it, such as `/dev/sda1`, with its number where several have that name. */
    name: string;
    /** Names of the data volumes on it. */
    volumes: string[];
    /** What is in use on it, by whomever. */
    usedBytes: number;
    /** What is left to the store. */
    freeBytes: number;
}

/** A node that an update took out of the proxies and hasn't taken in again. */
export interface TakenOutNode {
    /** Address on the node network. */
    address: string;
    /** Its name in the backends, `node1`; nothing where no backend has that address any more. */
    node?: string;
}

/** What there is of a deployment. */
export interface StatusReport {
    stack: string;
    s3Endpoint?: string;
    /** Nothing where the store's image has no console. */
    consoleUrl?: string;
    nodes: ContainerStatus[];
    /** The proxy, and the containers of its certificate. */
    frontEnd: ContainerStatus[];
    backends: BackendStatus[];
    /** Nodes that an update took out of the proxies: one that still runs, or one that was killed. */
    takenOut: TakenOutNode[];
    certificates: CertificateStatus[];
    volumes: VolumeStatus[];
    devices: DeviceStatus[];
    /** What could not be asked, and why. */
    unanswered: string[];
}

/** From where on something isn't well. */
export interface StatusLimits {
    /** Least days that a certificate has left. */
    certificateDays: number;
    /** Least share of a device that is free, in percent. */
    freePercent: number;
}

const DAY_MILLISECONDS = 24 * 3600 * 1000;

/** Whole days until the end of a certificate's validity; below zero, once it has ended. */
export function daysLeft({ notAfter }: CertificateStatus, now: number): number {
    return Math.floor((Date.parse(notAfter) - now) / DAY_MILLISECONDS);
}

/** Share of a device that is free, in percent. */
export function freePercent({ usedBytes, freeBytes }: DeviceStatus): number {
    return usedBytes + freeBytes === 0 ? 0 : (100 * freeBytes) / (usedBytes + freeBytes);
}

/** Everything that isn't well, a sentence each; none where all is. */
export function problemsIn(report: StatusReport, limits: StatusLimits, now: number): string[] {
    return [
        ...[...report.nodes, ...report.frontEnd].flatMap(containerProblem),
        ...report.backends.flatMap(backendProblem),
        ...report.takenOut.map((node) => takenOutProblem(node, report.stack)),
        ...report.certificates.flatMap((certificate) => certificateProblems(certificate, limits, now)),
        ...report.volumes.flatMap(volumeProblem),
        ...report.devices.flatMap((device) => deviceProblem(device, limits)),
        ...report.unanswered,
    ];
}

function containerProblem({ name, state, health, lastCheck }: ContainerStatus): string[] {
    if (state === "gone") {
        return [`${name} is gone: npm run up creates it again`];
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

function volumeProblem({ name, node, device }: VolumeStatus): string[] {
    return device === undefined ? [`disk usage of ${name} isn't known: ${node} doesn't run`] : [];
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

function takenOutProblem({ node, address }: TakenOutNode, stack: string): string {
    const name = node === undefined ? address : `${node} (${address})`;
    return (
        `${name} was taken out of the proxies by an update and gets no requests. Where no update runs any more, ` +
        `this takes it in again: npm run up -- --stack ${stack}`
    );
}
