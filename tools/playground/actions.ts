import { existsSync } from "node:fs";
import { join } from "node:path";
import { announce, forbidInstalling } from "../machine/installation";
import { namedEngine } from "../stack/namedEngine";
import { runAttached } from "../machine/run";
import { say, step, StepError, UsageError } from "../cli/step";
import { imageSource, takeStoreImages, type BuiltStore } from "../images/storeImages";
import { PROJECT } from "../paths";
import { FEWEST_HOSTS, PLAYGROUND_FOLDER, PLAYGROUND_PREFIX, PLAYGROUND_STACK } from "./playground";
import { readPlaygroundStack, writePlaygroundStack, type PlaygroundStack } from "./playgroundStack";
import { removePlayground } from "./removal";
import { startRelays } from "./relays";
import { checkMachine, missingForHosts, prepareMachine } from "./requirements";
import { howToGoOn } from "./summary";
import { VirtualHosts } from "./virtualHosts";
import { missingPulumi } from "../pulumi/toolchain";

/** Options of `npm run playground`: one of `hosts`, `kill` and `down`. */
export interface PlaygroundOptions {
    hosts?: number;
    store?: BuiltStore;
    kill?: string;
    down?: boolean;
    install: boolean;
}

/** Makes or removes a store over several hosts, which are network namespaces of this machine; or kills a host. Returns the exit code. */
export async function playground({ hosts, store, kill, down, install }: PlaygroundOptions): Promise<number> {
    if (hosts === undefined && kill === undefined && down === undefined) {
        throw new UsageError("give one of --hosts NUMBER, --kill HOST, --down");
    }
    if (hosts === undefined && store !== undefined) {
        throw new UsageError("--store is for --hosts alone");
    }
    checkMachine();
    if (!install) {
        forbidInstalling();
    }
    const deployed = readPlaygroundStack();
    if (hosts !== undefined) {
        return deploy(hosts, store, deployed);
    }
    return kill === undefined ? step("Removing the playground", removePlayground) : killHost(deployed, kill);
}

async function deploy(
    count: number,
    store: BuiltStore | undefined,
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
        const images = await step("Images", async () => takeStoreImages(imageSource(await namedEngine()), store));
        await writePlaygroundStack(VirtualHosts.describe(place).hosts, images);
    }
    const stack = readPlaygroundStack();
    if (stack === undefined) {
        throw new Error("the stack's file was written, and isn't there");
    }
    const hosts = await step("Virtual hosts", async () => {
        const made = await VirtualHosts.create(place);
        made.hosts.forEach(({ name, address, dockerHost }) =>
            say(`${name}: ${address}, its Docker daemon at ${dockerHost}`),
        );
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

/** Runs another command of this project, as a user does. Returns its exit code. */
function command(name: string, ...args: string[]): Promise<number> {
    console.log(`\n$ npm run ${name} -- ${args.join(" ")}`);
    const program = ["--import", "tsx", join(PROJECT, "tools", "commands", `${name}.ts`)];
    return runAttached(process.execPath, [...program, ...args], { cwd: PROJECT, env: process.env });
}

async function killHost(deployed: PlaygroundStack | undefined, name: string): Promise<number> {
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
