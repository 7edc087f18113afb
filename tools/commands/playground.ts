import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { announce, forbidInstalling } from "../machine/installation";
import { namedEngine } from "../stack/namedEngine";
import { runAttached } from "../machine/run";
import { main, say, step, StepError } from "../cli/step";
import { buildStoreImages, pullStoreImages, type StoreImages } from "../images/storeImages";
import { PROJECT } from "../paths";
import { PLAYGROUND_FOLDER, PLAYGROUND_PREFIX, PLAYGROUND_STACK } from "../playground/playground";
import { readPlaygroundStack, writePlaygroundStack, type PlaygroundStack } from "../playground/playgroundStack";
import { removePlayground } from "../playground/removal";
import { startRelays } from "../playground/relays";
import { checkMachine, missingForHosts, prepareMachine } from "../playground/requirements";
import { howToGoOn } from "../playground/summary";
import { MOST_HOSTS, VirtualHosts } from "../playground/virtualHosts";
import { missingPulumi } from "../pulumi/toolchain";

/** With fewer, no layout survives the loss of a host. */
const FEWEST_HOSTS = 3;

const STORES = ["rustfs", "minio"] as const;

const OPTIONS = {
    hosts: { type: "string" },
    store: { type: "string" },
    kill: { type: "string" },
    down: { type: "boolean" },
    "no-install": { type: "boolean", default: false },
} as const;

const USAGE =
    "give one of --hosts N (makes the hosts and deploys the store; starts again what doesn't run), --kill NAME (a host loses its " +
    "power), --down (removes everything)";

// npm run playground -- --hosts N [--store rustfs|minio] [--no-install] | --kill NAME | --down: a store over several hosts,
// which are network namespaces of this machine.
void main(async () => {
    const { values: desired } = parseArgs({ options: OPTIONS });
    const actions = [desired.hosts, desired.kill, desired.down].filter((one) => one !== undefined);
    if (actions.length !== 1) {
        throw new StepError(USAGE);
    }
    const store = STORES.find((known) => known === desired.store);
    const count = Number(desired.hosts ?? FEWEST_HOSTS);
    const problems = [
        ...(desired.store === undefined || store !== undefined
            ? []
            : [`--store "${desired.store}" is not known: give one of ${STORES.join(", ")}`]),
        ...(Number.isInteger(count) && count >= FEWEST_HOSTS && count <= MOST_HOSTS
            ? []
            : [`--hosts "${desired.hosts}" is not allowed: give a whole number from ${FEWEST_HOSTS} to ${MOST_HOSTS}`]),
        ...(desired.store !== undefined && desired.hosts === undefined ? ["--store is for --hosts alone"] : []),
    ];
    if (problems.length > 0) {
        throw new StepError(problems.join("\n"));
    }
    checkMachine();
    if (desired["no-install"]) {
        forbidInstalling();
    }
    const deployed = readPlaygroundStack();
    if (desired.down === true) {
        return step("Removing the playground", removePlayground);
    }
    if (desired.kill !== undefined) {
        return kill(deployed, desired.kill);
    }
    return deploy(count, store, deployed);
});

async function deploy(
    count: number,
    store: StoreImages["profile"] | undefined,
    deployed: PlaygroundStack | undefined,
): Promise<number> {
    if (deployed !== undefined && deployed.hosts.length !== count) {
        throw new StepError(
            `--hosts ${count}: the playground has ${deployed.hosts.length} hosts, and a store's hosts can't be changed. Give that ` +
                "number, or remove the playground first: npm run playground -- --down",
        );
    }
    if (deployed !== undefined && store !== undefined && deployed.profile !== store) {
        throw new StepError(
            `--store ${store}: the playground has ${deployed.profile}. Leave the option out, or remove the playground first: ` +
                "npm run playground -- --down",
        );
    }
    await step("What is missing", async () => announce([...(await missingForHosts()), ...missingPulumi()]));
    await step("Docker and programs", prepareMachine);
    const place = { count, prefix: PLAYGROUND_PREFIX, folder: PLAYGROUND_FOLDER };
    if (deployed === undefined) {
        const images = await step("Images", () => chooseImages(store ?? "rustfs"));
        await writePlaygroundStack(VirtualHosts.describe(place).hosts, images);
    }
    const stack = readPlaygroundStack();
    if (stack === undefined) {
        throw new Error("the stack's file was written, and isn't there");
    }
    const hosts = await step("Virtual hosts", async () => {
        const made = await VirtualHosts.create(place);
        made.hosts.forEach(({ name, address, dockerHost }) => say(`${name}: ${address}, its engine at ${dockerHost}`));
        return made;
    });
    await step("Images on the hosts", () => hosts.load(stack.images));
    await step("Ports", async () => {
        await startRelays(hosts, stack);
        say(`127.0.0.1 forwards ${Object.values(stack.ports).join(" and ")} to the hosts`);
    });
    const code =
        (await command("hosts", "join", "--stack", PLAYGROUND_STACK)) ||
        (await command("up", "--stack", PLAYGROUND_STACK));
    if (code === 0) {
        console.log(howToGoOn(hosts.hosts));
    }
    return code;
}

/** RustFS's images of a registry, if one answers; otherwise images that are built from packages. */
async function chooseImages(store: StoreImages["profile"]): Promise<StoreImages> {
    const docker = await namedEngine();
    const pulled = store === "rustfs" ? await pullStoreImages(docker) : undefined;
    return pulled ?? buildStoreImages(docker, store);
}

/** Runs another command of this project, as a user does. Returns its exit code. */
function command(name: string, ...args: string[]): Promise<number> {
    console.log(`\n$ npm run ${name} -- ${args.join(" ")}`);
    const program = ["--import", "tsx", join(__dirname, `${name}.ts`)];
    return runAttached(process.execPath, [...program, ...args], { cwd: PROJECT, env: process.env });
}

async function kill(deployed: PlaygroundStack | undefined, name: string): Promise<number> {
    if (deployed === undefined || !existsSync(PLAYGROUND_FOLDER)) {
        throw new StepError(
            `--kill ${name}: there is no playground. Make one: npm run playground -- --hosts ${FEWEST_HOSTS}`,
        );
    }
    const names = deployed.hosts.map((host) => host.name);
    if (!names.includes(name)) {
        throw new StepError(`--kill "${name}" is not a host of the playground: give one of ${names.join(", ")}`);
    }
    const place = { count: names.length, prefix: PLAYGROUND_PREFIX, folder: PLAYGROUND_FOLDER };
    await step(`Killing every process of host ${name}`, () => VirtualHosts.describe(place).kill(name));
    say(`It starts again, with its data, by: npm run playground -- --hosts ${names.length}`);
    return 0;
}
