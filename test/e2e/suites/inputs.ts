import { serviceProfile } from "../../../components";
import { DockerHost } from "../harness/dockerHost";
import { testedEngine } from "../harness/testRun";
import { Deployed } from "../inputs/deployed";
import { EngineRelay, type DaemonDefaults } from "../inputs/engineRelay";
import { changedBy, entriesOf, joined } from "../inputs/entries";
import { ROUNDS, withCluster, type ServingContainer, type StackInputs } from "../inputs/input";
import { InputsStack, replacedContainers } from "../inputs/inputsStack";
import { makeMaterials, type Materials } from "../inputs/materials";
import { tablesOfInputs } from "../inputs/tables";

let materials: Materials;
const given = () => materials;

const TABLES = tablesOfInputs(given);

const ENTRIES = joined(
    entriesOf("cluster", TABLES.cluster, ({ cluster, ...desired }, property, value) => ({
        ...desired,
        cluster: { ...cluster, [property]: value },
    })),
    entriesOf("profile", TABLES.profile, ({ cluster, ...desired }, property, value) => ({
        ...desired,
        cluster: { ...cluster, customProfile: { ...(cluster.customProfile ?? serviceProfile), [property]: value } },
    })),
    entriesOf("proxy", TABLES.proxy, ({ proxy, ...desired }, property, value) => ({
        ...desired,
        proxy: { ...proxy, [property]: value },
    })),
);

const CONTAINERS: ServingContainer[] = ["node", "proxy"];

/** Names of their resources in the program. */
const RESOURCES: { [Container in ServingContainer]: string } = { node: "store-node1", proxy: "front-end" };

/**
 * Inputs that are also changed one by one, each in a separate preview: all of them, or one for each round and set of
 * replaced containers.
 */
export type ChangedAlone = "all" | "one of each kind";

/**
 * Tests every input on the engine: it reaches the container, at creation and after a change, and a change replaces
 * exactly the containers in the table.
 */
export function inputsSuite(changedAlone: ChangedAlone): void {
    describe("inputs on the engine", () => {
        const host = new DockerHost();
        let relay: EngineRelay;
        let stack: InputsStack;
        let desired: StackInputs;

        beforeAll(async () => {
            materials = await makeMaterials();
            relay = await EngineRelay.start(testedEngine());
            const nothing: StackInputs = {
                cluster: {},
                proxy: { s3Host: "", consoleHost: "", httpPort: 0, httpsPort: 0 },
            };
            desired = [...ENTRIES.shown, ...ENTRIES.fixed].reduce((former, entry) => entry.begin(former), nothing);
            stack = await InputsStack.create(desired, relay.dockerHost);
            await stack.up(desired);
        }, 180_000);

        afterAll(async () => {
            await relay.stop();
            stack.remove();
            await host.removeEverythingOf(materials.clusterName);
            await materials.remove();
        }, 60_000);

        const deployed = () => new Deployed(host, desired, (resource) => stack.isProtected(resource));

        const ids = async (): Promise<{ [Container in ServingContainer]: string }> => ({
            node: (await deployed().node()).Id,
            proxy: (await deployed().proxy()).Id,
        });

        for (const { name, shown, expectedAtFirst } of [...ENTRIES.shown, ...ENTRIES.fixed]) {
            test(`${name} has its configured value`, async () => {
                expect(await shown(deployed())).toEqual(await expectedAtFirst(deployed()));
            });
        }

        test("nothing changes by itself", async () => {
            expect(await stack.up(desired)).toEqual([]);
        }, 60_000);

        test("nothing changes after a refresh", async () => {
            await stack.refresh();
            expect(await stack.preview(desired)).toEqual([]);
        }, 60_000);

        describe("settings of the daemon", () => {
            afterAll(async () => {
                relay.defaults = {};
                await stack.refresh();
            }, 60_000);

            test.each<[string, DaemonDefaults]>([
                ["log options", { logOptions: { compress: "true", labels: "team" } }],
                ["limits", { limits: [{ Name: "nproc", Soft: 4096, Hard: 8192 }] }],
                ["a size of shared memory", { sharedMemory: 128 * 1024 * 1024 }],
            ])(
                "%s change nothing",
                async (_name, defaults) => {
                    relay.defaults = defaults;
                    await stack.refresh();
                    expect(await stack.preview(desired)).toEqual([]);
                },
                60_000,
            );
        });

        test("variables in another order change nothing", async () => {
            const { environment = {} } = desired.cluster;
            const reversed = Object.fromEntries(Object.entries(environment).reverse());
            expect(Object.keys(reversed)).not.toEqual(Object.keys(environment));
            expect(await stack.preview(withCluster(desired, { environment: reversed }))).toEqual([]);
        }, 60_000);

        test("the same image with another name replaces no container", async () => {
            const before = await ids();
            await stack.up(withCluster(desired, { image: materials.sameStoreImage }));
            const after = await ids();
            await stack.up(desired);
            expect(after).toEqual(before);
        }, 120_000);

        test(`inputs that the Docker daemon doesn't show change nothing there: ${ENTRIES.hidden.map(({ name }) => name).join(", ")}`, async () => {
            expect(await stack.preview(changedBy(desired, ENTRIES.hidden))).toEqual([]);
        }, 60_000);

        for (const { name, change, refusal } of ENTRIES.fixed) {
            test(`${name} can't be changed: a preview of a change refuses it`, async () => {
                expect(await stack.previewFailing(change(desired))).toContain(refusal);
            }, 60_000);
        }

        describe.each(ROUNDS)("round %s of changes", (round) => {
            const changes = ENTRIES.shown.filter((entry) => entry.round === round);
            // If no input of a round replaces a container, this is so for each of them.
            const replacing = changes.some(({ replaces }) => replaces.length > 0) ? changes : [];
            const alone = replacing.filter(({ replaces }, index) => {
                const first = replacing.findIndex((other) => other.replaces.join() === replaces.join());
                return changedAlone === "all" || first === index;
            });
            let before: { [Container in ServingContainer]: string };

            for (const { name, change, replaces } of alone) {
                test(`${name} alone replaces ${replaces.join(" and ") || "nothing"}`, async () => {
                    const steps = await stack.preview(change(desired));
                    expect(steps).not.toEqual([]);
                    expect(replacedContainers(steps).sort()).toEqual(
                        replaces.map((container) => RESOURCES[container]).sort(),
                    );
                }, 60_000);
            }

            test("one update makes all of these changes", async () => {
                before = await ids();
                desired = changedBy(desired, changes);
                expect(await stack.up(desired)).not.toEqual([]);
                const after = await ids();
                const replaced = CONTAINERS.filter((container) => before[container] !== after[container]);
                expect(replaced).toEqual(
                    CONTAINERS.filter((container) => changes.some(({ replaces }) => replaces.includes(container))),
                );
            }, 180_000);

            for (const { name, shown, expectedAfterChange } of changes) {
                test(`${name} then has its new value`, async () => {
                    expect(await shown(deployed())).toEqual(await expectedAfterChange(deployed()));
                });
            }

            test("nothing changes by itself afterwards", async () => {
                expect(await stack.preview(desired)).toEqual([]);
            }, 60_000);
        });
    });
}
