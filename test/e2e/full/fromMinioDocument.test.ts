import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";
import { Checkout } from "../harness/checkout";
import { s3ClientFor } from "../harness/clients";
import { DockerHost } from "../harness/dockerHost";
import { minioStore } from "../harness/stores";
import { furtherImage, testImages } from "../harness/testRun";
import { checksumOf, keepObject } from "../harness/traffic";

/** Runs the commands in docs/how-to/migrate-to-rustfs.md, unchanged. */
describe("docs/how-to/migrate-to-rustfs.md", () => {
    const host = new DockerHost();
    let checkout: Checkout;
    let checksum: string;

    beforeAll(async () => {
        checkout = await Checkout.make(minioStore().config);
        checkout.up();
        const client = s3ClientFor(checkout.outputs());
        checksum = await keepObject(client, "kept", "object");
        client.destroy();
    }, 600_000);

    afterAll(() => checkout.remove(), 120_000);

    const variables = () => ({
        stack: checkout.stack,
        image: furtherImage("rustfs"),
        formerImage: testImages().minio,
    });

    const userOfNode = async () => (await host.inspect(`${checkout.clusterName}-pool1-node1`)).Config.User;

    const expectKept = async () => {
        const client = s3ClientFor(checkout.outputs());
        expect(await checksumOf(client, "kept", "object")).toBe(checksum);
        client.destroy();
    };

    test("has one block of commands for each step", () => {
        expect([...commands().keys()]).toEqual([
            "Migrate",
            "See what will happen",
            "Change the store",
            "Check",
            "Back to MinIO",
            "Good to know",
        ]);
    });

    test("the check says what will happen", async () => {
        expect(checkout.shell(commandsOf("See what will happen"), variables())).toContain(
            "can be migrated from minio to rustfs. Nothing was changed.",
        );
        expect(await userOfNode()).toBe("1000:1000");
    }, 300_000);

    test("the migration ends with RustFS, and a further update changes nothing", async () => {
        checkout.shell(commandsOf("Change the store"), variables());
        expect(await userOfNode()).toBe("10001:10001");
        await expectKept();
        checkout.up();
        expect(await userOfNode()).toBe("10001:10001");
    }, 600_000);

    test("the way back ends with MinIO", async () => {
        checkout.shell(commandsOf("Back to MinIO"), variables());
        expect(await userOfNode()).toBe("1000:1000");
        await expectKept();
    }, 600_000);
});

/** Blocks of commands, by their headings. */
function commands(): Map<string, string> {
    const parts = readFileSync(join(PROJECT, "docs", "how-to", "migrate-to-rustfs.md"), "utf8").split(/^#+ /m);
    return new Map(
        parts.flatMap((part): [string, string][] => {
            const blocks = [...part.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, text = ""]) => text);
            return blocks.length === 0 ? [] : [[part.split("\n")[0] ?? "", blocks.join("")]];
        }),
    );
}

function commandsOf(heading: string): string {
    return commands().get(heading) ?? "exit 1";
}
