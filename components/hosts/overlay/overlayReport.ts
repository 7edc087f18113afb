import type { Diagnosis, Unheard } from "./overlayDiagnosis";
import { indent } from "../../docker/containerReport";
import type { OverlayHost, Refusal } from "./overlayHelpers";
import { OPEN_PORTS } from "../../docker/swarm";

/** Everything that is wrong with a network. */
export interface OverlayFindings extends Diagnosis {
    /** Hosts whose engines refuse a container on it. */
    refusals: Refusal[];
}

/** The network that was tested. */
export interface TestedOverlay {
    networkName: string;
    encrypted: boolean;
    /** Whether no container of the store has ever been attached to it. */
    isNew: boolean;
}

/** Maximum number of lines for the findings. */
const LINES = 12;

/**
 * The message about a network that doesn't connect all hosts. Undefined if it does.
 *
 * @param hosts The hosts that were tested with each other.
 */
export function describeOverlay(
    { refusals, withoutEsp, unheard }: OverlayFindings,
    hosts: readonly OverlayHost[],
    { networkName, encrypted, isNew }: TestedOverlay,
): string | undefined {
    const causes = [...new Set(unheard.map(({ cause }) => cause))];
    const lines = [
        ...refusals.map(
            ({ host, reason }) => `${named(host)}: its Docker daemon can't attach a container to it: ${reason}`,
        ),
        ...(withoutEsp.length === 0
            ? []
            : [`no encrypted data can leave ${withoutEsp.map(named).join(", ")}: the kernel has no ESP`]),
        ...causes.flatMap((cause) =>
            whoHearsWhom(
                unheard.filter((one) => one.cause === cause),
                hosts,
            ).map((who) => `${who}: nothing arrives by ${cause}`),
        ),
    ];
    if (lines.length === 0) {
        return undefined;
    }
    const shown = lines.length > LINES ? [...lines.slice(0, LINES), `and ${lines.length - LINES} more`] : lines;
    const esp = encrypted ? ", as must IP protocol 50 (ESP), which each kernel needs too (module esp4)" : "";
    const without =
        encrypted && isNew
            ? [
                  "To send data without encryption: set `unencryptedOverlay` to true. The network keeps its kind, so remove it with " +
                      `\`docker network rm ${networkName}\` on one of the hosts, and run \`pulumi refresh\`.`,
              ]
            : [];
    return [
        `the network ${networkName} doesn't connect all hosts, so no node was created or replaced:`,
        ...shown.map(indent),
        `${OPEN_PORTS}${esp}.`,
        ...without,
        "Then run the same update again: nothing has to be changed back.",
    ].join("\n");
}

/** The hosts that don't hear each other for the same cause, as few lines as possible. */
function whoHearsWhom(unheard: readonly Unheard[], hosts: readonly OverlayHost[]): string[] {
    const isDeaf = (host: OverlayHost, from: OverlayHost) =>
        unheard.some((one) => one.host === host && one.from === from);
    const othersOf = (host: OverlayHost) => hosts.filter((other) => other !== host);
    const several = hosts.length > 2;
    if (several && hosts.every((host) => othersOf(host).every((other) => isDeaf(host, other)))) {
        return ["no host hears another"];
    }
    const deaf = hosts.filter((host) => several && othersOf(host).every((other) => isDeaf(host, other)));
    const mute = hosts.filter((host) => several && othersOf(host).every((other) => isDeaf(other, host)));
    const single = unheard.filter(({ host, from }) => !deaf.includes(host) && !mute.includes(from));
    const isMutual = ({ host, from }: Unheard) => single.some((one) => one.host === from && one.from === host);
    return [
        ...deaf.map((host) =>
            mute.includes(host)
                ? `${named(host)} and the other hosts don't hear each other`
                : `${named(host)} hears no other host`,
        ),
        ...mute.filter((host) => !deaf.includes(host)).map((host) => `no other host hears ${named(host)}`),
        ...single
            .filter((one) => !isMutual(one) || hosts.indexOf(one.host) < hosts.indexOf(one.from))
            .map((one) =>
                isMutual(one)
                    ? `${named(one.host)} and ${named(one.from)} don't hear each other`
                    : `${named(one.host)} doesn't hear ${named(one.from)}`,
            ),
    ];
}

function named({ name, address }: OverlayHost): string {
    return `${name} (${address})`;
}
