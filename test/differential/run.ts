import { InvalidArgumentError, Option, program } from "commander";
import { main, say, step } from "../../tools/cli/step";
import globalSetup from "../e2e/harness/globalSetup";
import globalTeardown from "../e2e/harness/globalTeardown";
import { minioStore, rustfsStore } from "../e2e/harness/stores";
import { CLIENTS, clientPrograms, type Client } from "./clients/clientPrograms";
import { findDifference } from "./differential";
import { Sides } from "./sides";

const STORES = { minio: minioStore, rustfs: rustfsStore };

interface Options {
    store: keyof typeof STORES;
    runs: number;
    seed?: number;
    path?: string;
    client?: string;
    protocol?: string;
}

program
    .description(
        "Plays random sequences of S3 requests at the edge and at a node, and prints what is answered differently.",
    )
    .addOption(new Option("--store <store>", "the store").choices(Object.keys(STORES)).default("minio"))
    .option("--runs <count>", "sequences per client", wholeNumber, 1000)
    .option("--seed <number>", "seed of the sequences (default: a random one)", wholeNumber)
    .option("--path <path>", "path of a counterexample, as printed: plays it alone")
    .addOption(new Option("--client <name>", "one client (default: all)").choices(CLIENTS.map(({ name }) => name)))
    .addOption(
        new Option("--protocol <protocol>", "one protocol (default: all)").choices(
            CLIENTS.map(({ protocol }) => protocol),
        ),
    );

function wholeNumber(text: string): number {
    if (!/^-?\d+$/.test(text)) {
        throw new InvalidArgumentError("It must be a whole number.");
    }
    return Number(text);
}

// npm run test:differential [-- --store rustfs] [-- --seed N] …
void main(async () => {
    const options = program.parse().opts<Options>();
    globalSetup();
    const programs = await step("Clients", clientPrograms);
    const sides = await step("Deployment", () => Sides.deploy(STORES[options.store](), programs));
    let failures = 0;
    try {
        for (const client of chosen(options)) {
            await step(`${client.name} over ${client.protocol}`, async () => {
                const { seed, runs, failure } = await findDifference(sides, client, options);
                say(failure ?? `${runs} sequences are answered alike, seed ${seed}`);
                failures += failure === undefined ? 0 : 1;
            });
        }
    } finally {
        await sides.remove();
        await globalTeardown();
    }
    return failures === 0 ? 0 : 1;
});

function chosen({ client, protocol }: Options): Client[] {
    return CLIENTS.filter(
        (each) => each.name === (client ?? each.name) && each.protocol === (protocol ?? each.protocol),
    );
}
