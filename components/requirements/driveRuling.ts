import { onHost } from "../docker/hosts";
import { systemClock, type Clock } from "../docker/poll";
import { askAboutHealing, type AskedNode } from "../storeClient/healingQuestions";
import { erasureSets, parityFor } from "../store/hostPlacement";
import { inAgreement, parityIn, readHealing, type DriveHealing, type HealingAnswers } from "../store/driveHealing";
import type { NodeSpec, Pool } from "../store/topology";
import { driveContents, type DriveContent } from "./driveContents";
import type { DeployedCluster } from "./deployedCluster";
import type { DesiredCluster } from "./desiredCluster";
import { ruleOnDrives, type RuledDrive, type Ruling } from "./emptiedDrives";
import type { EngineCache, EngineOfHost } from "./engineCache";

/**
 * Time between two answers that have to agree, in seconds. Both stores search for new drives every 10 s: until then a drive that
 * has just been replaced isn't being healed yet.
 */
const BETWEEN_ANSWERS = 12;

/** Number of times that nodes are asked, while their answers differ from the ones before. */
const ATTEMPTS = 4;

/** A drive of a node that was stopped for another one of its drives. */
const STOPPED = { healing: "stopped", reason: "is on a node that doesn't run" } as const;

/** What {@link ruleOnDrives} decides about an update. */
export interface DriveRuling extends Ruling {
    /** Whether all drives could be looked at. */
    isComplete: boolean;
}

/** Looks at the drives, asks the store about them if the update makes some empty, and decides. */
export async function rulingOn(
    snapshot: EngineCache,
    deployed: DeployedCluster,
    desired: DesiredCluster,
    clock: Clock = systemClock,
): Promise<DriveRuling> {
    const { drives, isComplete } = await driveContents(snapshot, deployed, desired);
    const emptied = drives.filter((drive) => drive.emptied !== undefined);
    if (emptied.length === 0) {
        return { problems: [], needed: [], emptied: [], isComplete };
    }
    const lost = desired.nodes.filter((place) => emptied.some((drive) => drive.place.name === place.name));
    const isRunning = ({ name }: NodeSpec) =>
        deployed.nodes.some((node) => node.name === name && node.container?.state === "running");
    const asked = desired.nodes
        .filter((place) => isRunning(place) && !lost.includes(place))
        .map(async ({ name, host }) => ({
            container: name,
            engine: await (snapshot.hosts.get(host) as EngineOfHost).engine(),
        }));
    const stopped = lost.filter((place) => !isRunning(place)).map(({ name }) => name);
    const known = await askUntilAgreed(await Promise.all(asked), desired, stopped.length, clock);
    const sets = desired.pools.flatMap((pool, index) =>
        setsOf(index, pool, desired, drives, known).map((set) => ({
            drives: set.map((drive) =>
                drive.healing === "unhealed" && stopped.includes(drive.container) ? { ...drive, ...STOPPED } : drive,
            ),
            parity: parityOf(index, desired, known),
        })),
    );
    return { ...ruleOnDrives(sets, desired.allowedChanges), isComplete };
}

interface Known {
    healing: DriveHealing[];
    answers: HealingAnswers[];
}

/** Asks nodes until two successive answers about every drive agree. The last ones count. */
async function askUntilAgreed(
    nodes: readonly AskedNode[],
    desired: Pick<DesiredCluster, "profile" | "nodes">,
    absent: number,
    clock: Clock,
): Promise<Known> {
    let before: Known | undefined;
    for (let attempt = 1; ; attempt++) {
        const known = await askNodes(nodes, desired, absent);
        const isSettled = before !== undefined && statesIn(known) === statesIn(before);
        if (isSettled || nodes.length === 0 || attempt === ATTEMPTS) {
            return known;
        }
        before = known;
        await clock.sleep(BETWEEN_ANSWERS * 1000);
    }
}

function statesIn({ healing }: Known): string {
    return healing.map(({ state }) => state).join();
}

async function askNodes(
    nodes: readonly AskedNode[],
    { profile, nodes: places }: Pick<DesiredCluster, "profile" | "nodes">,
    absent: number,
): Promise<Known> {
    const { healing } = profile;
    if (healing === undefined || nodes.length === 0) {
        const reason =
            healing === undefined
                ? `the profile ${profile.name} has no requests for that`
                : "no other node runs that could say so";
        return {
            answers: [],
            healing: places.flatMap(({ name, drives }) =>
                drives.map((_, index) => ({ node: name, drive: index + 1, state: "unknown", reason, inUse: false })),
            ),
        };
    }
    const answers = await Promise.all(nodes.map((node) => askAboutHealing(node, profile)));
    return { answers, healing: inAgreement(answers.map((answer) => readHealing(answer, healing, places, absent))) };
}

/** The erasure sets of a pool that is among the drives that were looked at. */
function setsOf(
    index: number,
    { nodeCount, drivesPerNode = 1 }: Pool,
    { nodes, pools }: DesiredCluster,
    contents: readonly DriveContent[],
    { healing }: Known,
): RuledDrive[][] {
    const before = pools.slice(0, index).reduce((sum, pool) => sum + pool.nodeCount, 0);
    const ofPool = nodes.slice(before, before + nodeCount);
    if (contents.every(({ pool }) => pool !== index)) {
        return [];
    }
    return erasureSets({ nodeCount, drivesPerNode }).map((set) =>
        set.flatMap(({ node, drive }): RuledDrive[] => {
            const own = ofPool[node];
            const content = contents.find((one) => one.place === own && one.drive === own.drives[drive]);
            const said = healing.find((one) => one.node === own?.name && one.drive === drive + 1);
            return own === undefined || said === undefined
                ? []
                : [
                      {
                          node: { server: own.serverName, host: own.host },
                          container: own.name,
                          name: `${own.serverName} drive ${drive + 1}`,
                          emptied: content?.emptied && {
                              ...content.emptied,
                              reason: onHost(own.host, content.emptied.reason),
                          },
                          healing: said.state,
                          reason: said.reason,
                          inUse: said.inUse,
                      },
                  ];
        }),
    );
}

/** The number of parity drives in a pool's erasure sets: what the settings and the store say, whichever is less. */
function parityOf(index: number, { pools, profile, parity }: DesiredCluster, { answers }: Known): number {
    const deciding = profile.parityOfFirstPool === true ? pools[0] : pools[index];
    const [set = []] = erasureSets({
        nodeCount: deciding?.nodeCount ?? 0,
        drivesPerNode: deciding?.drivesPerNode ?? 1,
    });
    const reported = answers.flatMap((answer) => parityIn(answer, index) ?? []);
    return Math.min(parity ?? parityFor(set.length), ...reported);
}
