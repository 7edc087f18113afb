import type { HostEngine } from "../../components/docker/hosts";
import { isHealthy } from "../../components/docker/containerReport";
import { hasAddress } from "../../components/hosts/floatingAddress/addressControl";
import { METRICS_PORT } from "../../components/haproxyConfig/args";
import { isPeerServer } from "../../components/haproxyConfig/peers";
import { LABELS } from "../../components/naming/labels";
import { askAboutHealing } from "../../components/storeClient/healingQuestions";
import { readHealing } from "../../components/store/driveHealing";
import { findProfile } from "../../components/store/profiles/all";
import type { ServiceProfile } from "../../components/store/serviceProfile";
import { ProxyServers } from "../../components/proxyControl/proxyServers";
import type { ExpectedCluster, ExpectedDeployment, ExpectedKeepalived } from "../stack/expectedDeployment";
import type { QueriedHosts } from "./queriedHosts";
import type {
    BackendStatus,
    CertificateStatus,
    ContainerStatus,
    FloatingAddressStatus,
    HealingStatus,
    HostStatus,
    StatusReport,
    DrainedNode,
} from "./report";
import { devicesOf, measureVolume } from "./volumes";
import { weakBuckets, type WeakBucket } from "../../components/requirements/weakBuckets";

/** Queries the engines, the proxies and the nodes about a deployment. Changes nothing. */
export async function askForStatus(
    queried: QueriedHosts,
    stack: string,
    expected: ExpectedDeployment,
): Promise<StatusReport> {
    const { engines } = queried;
    const hosts = allHosts(queried, expected);
    const unreachable = (hosts ?? []).filter(({ failure }) => failure !== undefined).map(({ name }) => name);
    const unanswered: string[] = [];
    const orNothing = async <Answer>(question: Promise<Answer[]>): Promise<Answer[]> => {
        try {
            return await question;
        } catch (error) {
            unanswered.push((error as Error).message.trim());
            return [];
        }
    };
    const statusOf = (name: string): Promise<ContainerStatus> => {
        const host = expected.hosts.get(name);
        return host !== undefined && unreachable.includes(host)
            ? Promise.resolve({ name, host, state: "unreachable", health: "none" })
            : containerStatus(host === undefined ? engines : engines.on(host), name, host);
    };
    const [nodes, frontEnd, watchdogs] = await Promise.all([
        Promise.all(expected.nodes.map(statusOf)),
        Promise.all(expected.frontEnd.map(statusOf)),
        Promise.all(expected.watchdogs.map(statusOf)),
    ]);
    const isUp = (name: string) => [...nodes, ...frontEnd].some((one) => one.name === name && one.state === "running");
    const addressStatusOf = async ({ name, address }: ExpectedKeepalived): Promise<FloatingAddressStatus> => {
        const host = expected.hosts.get(name);
        const [has] = isUp(name)
            ? await orNothing(hasAddress(engines.on(host), name, address).then((one) => [one]))
            : [];
        return { address, host: host ?? "", keepalived: name, ...(has === undefined ? {} : { hasAddress: has }) };
    };
    const [floatingAddress, backends, cordoned, certificates, healing, weak, measured] = await Promise.all([
        Promise.all(expected.keepalived.map(addressStatusOf)),
        orNothing(backendsOf(engines, expected, isUp)),
        orNothing(cordonedAddresses(engines, expected)),
        orNothing(certificatesOf(engines, expected, isUp)),
        Promise.all(expected.clusters.map((cluster) => orNothing(unhealedOf(engines, cluster, isUp)))),
        Promise.all(expected.clusters.map((cluster) => orNothing(weakIn(engines, cluster)))),
        Promise.all(
            expected.volumes.map((volume) =>
                measureVolume(engines, volume, isUp(volume.node), expected.hosts.get(volume.node)),
            ),
        ),
    ]);
    const { volumes, devices } = devicesOf(measured);
    const { certificateNotAfter: notAfter, s3Endpoint, consoleUrl } = expected.outputs;
    const lastKnown: CertificateStatus[] = notAfter === undefined ? [] : [{ notAfter, source: "last update" }];
    return {
        stack,
        s3Endpoint,
        consoleUrl,
        ...(expected.additionalStores.length === 0 ? {} : { additionalStores: expected.additionalStores }),
        ...(hosts === undefined ? {} : { hosts }),
        nodes,
        frontEnd,
        ...(floatingAddress.length === 0 ? {} : { floatingAddress }),
        ...(watchdogs.length === 0 ? {} : { watchdogs }),
        backends,
        drained: cordoned.map((address) => namedBy(backends, address)),
        certificates: certificates.length > 0 ? certificates : lastKnown,
        volumes,
        devices,
        ...(healing.flat().length === 0 ? {} : { healing: healing.flat() }),
        ...(weak.flat().length === 0 ? {} : { weakBuckets: weak.flat() }),
        unanswered,
    };
}

/** The hosts in the stack's config, and those that it doesn't name any more. Undefined if there are none. */
function allHosts({ hosts: configured = [] }: QueriedHosts, expected: ExpectedDeployment): HostStatus[] | undefined {
    const others = [...new Set(expected.hosts.values())].filter((name) => configured.every((one) => one.name !== name));
    const hosts = [
        ...configured,
        ...others.map((name) => ({ name, failure: "it has containers, and the config key hosts doesn't name it" })),
    ];
    return hosts.length === 0 ? undefined : hosts;
}

async function containerStatus(engine: HostEngine, name: string, host: string | undefined): Promise<ContainerStatus> {
    const found = await engine.health(name);
    const { state, lastCheck, startedAt } = found;
    // An update ends when the container answers, before the engine's first check of it.
    const health = (await isHealthy(engine, name, found, true)) ? "healthy" : found.health;
    return {
        name,
        ...(host === undefined ? {} : { host }),
        state,
        // A check's output from before the container ended means nothing.
        health: state === "running" ? health : "none",
        startedAt: state === "gone" ? undefined : new Date(startedAt).toISOString(),
        lastCheck: state === "running" && health !== "healthy" && health !== "none" ? lastCheck : undefined,
    };
}

/** The servers in the process that accepts new connections. */
async function backendsOf(
    engine: HostEngine,
    { nodeNetworks, frontEnd }: ExpectedDeployment,
    isUp: (name: string) => boolean,
): Promise<BackendStatus[]> {
    const lists = await Promise.all(nodeNetworks.map((network) => new ProxyServers(engine, network).list()));
    const servers = lists
        .flat()
        .filter(({ proxy, current }) => current && frontEnd.includes(proxy) && isUp(proxy))
        .filter(({ server }) => !isPeerServer(server));
    // A proxy of several clusters is on several networks.
    const distinct = new Map(servers.map((server) => [`${server.proxy} ${server.server}`, server]));
    return [...distinct.values()].map(({ proxy, server, address, status, running }) => ({
        proxy,
        server,
        address,
        status,
        running,
    }));
}

/** Addresses of the nodes that an update has recorded as out of service, also for reads only. */
async function cordonedAddresses(engine: HostEngine, { nodeNetworks }: ExpectedDeployment): Promise<string[]> {
    const proxies = nodeNetworks.map((network) => new ProxyServers(engine, network));
    const lists = await Promise.all(proxies.flatMap((control) => [control.cordoned(), control.cordoned("reads")]));
    return [...new Set(lists.flat())];
}

/** A node that was taken out of service, by its name in the backends. */
function namedBy(backends: BackendStatus[], address: string): DrainedNode {
    const node = backends
        .find((server) => server.address === address)
        ?.server.split("/")
        .at(-1);
    return node === undefined ? { address } : { address, node };
}

/** The drives that a cluster's first running node doesn't count as healed. Empty for a profile that can't be asked. */
async function unhealedOf(
    engine: HostEngine,
    { profile: name, nodes }: ExpectedCluster,
    isUp: (name: string) => boolean,
): Promise<HealingStatus[]> {
    const profile = profileNamed(name);
    const first = nodes.find((node) => isUp(node.name));
    if (profile?.healing === undefined || first === undefined || nodes.flatMap(({ drives }) => drives).length < 2) {
        return [];
    }
    const answers = await askAboutHealing({ container: first.name, engine }, profile);
    const failure = Object.values(answers).find((answer) => answer instanceof Error);
    if (failure !== undefined) {
        throw failure;
    }
    return readHealing(answers, profile.healing, nodes)
        .filter(({ state }) => state === "unhealed")
        .map(({ node, drive, reason }) => ({ node, drive, reason }));
}

function weakIn(engine: HostEngine, { profile, nodes }: ExpectedCluster): Promise<WeakBucket[]> {
    return weakBuckets(
        engine,
        profileNamed(profile),
        nodes.map(({ name }) => name),
    );
}

function profileNamed(name: string | undefined): ServiceProfile | undefined {
    return name === undefined ? undefined : findProfile(name);
}

/** The certificate metrics of each running proxy, requested in its own container at its address on a node network. */
async function certificatesOf(
    engine: HostEngine,
    { nodeNetworks, frontEnd, hosts }: ExpectedDeployment,
    isUp: (name: string) => boolean,
): Promise<CertificateStatus[]> {
    const containers = await engine.containers(LABELS.proxy);
    const found = await Promise.all(
        frontEnd.filter(isUp).map(async (proxy) => {
            const { addresses = {} } = containers.find(({ name }) => name === proxy) ?? {};
            const address = nodeNetworks.map((name) => addresses[name]).find((one) => (one ?? "") !== "");
            const host = hosts.get(proxy);
            return address === undefined
                ? []
                : [{ ...(await certificateOf(engine, proxy, address)), ...(host === undefined ? {} : { host }) }];
        }),
    );
    return found.flat();
}

async function certificateOf(engine: HostEngine, proxy: string, address: string): Promise<CertificateStatus> {
    const { code, output } = await engine.run(proxy, ["perl", "-MIO::Socket::INET", "-e", ASK, address]);
    const value = (name: string) => new RegExp(`^object_store_certificate_${name} ([0-9]+)$`, "m").exec(output)?.[1];
    const [notAfter, failures] = [value("not_after_seconds"), value("renewal_failures")];
    if (code !== 0 || notAfter === undefined) {
        throw new Error(`${proxy} has no metrics of its certificate: ${output}`);
    }
    return {
        notAfter: new Date(Number(notAfter) * 1000).toISOString(),
        renewalFailures: failures === undefined ? undefined : Number(failures),
        source: "proxy",
    };
}

/** Requests the certificate metrics at an address. */
const ASK =
    `my $s = IO::Socket::INET->new(PeerAddr => $ARGV[0], PeerPort => ${METRICS_PORT}, Timeout => 5) or die qq{no answer: $!}; ` +
    "print $s qq{GET /metrics/certificate HTTP/1.0\\r\\n\\r\\n}; my $t = join('', <$s>); $t =~ tr/\\r//d; print $t";
