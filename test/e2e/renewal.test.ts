import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../tools/paths";
import { PROGRAM_ENVIRONMENT } from "../../tools/pulumi/programEnvironment";

describe("a self-signed certificate", () => {
    const folder = mkdtempSync(join(tmpdir(), "renewal-"));
    let stack: Stack;

    beforeAll(async () => {
        const program = join(PROJECT, "test", "e2e", "programs", "certificate.ts");
        writeFileSync(join(folder, "Pulumi.yaml"), `name: renewal\nruntime: nodejs\nmain: ${program}\n`);
        stack = await LocalWorkspace.createOrSelectStack(
            { stackName: "test", workDir: folder },
            {
                envVars: {
                    PULUMI_BACKEND_URL: `file://${folder}`,
                    PULUMI_CONFIG_PASSPHRASE: "a passphrase for tests",
                    ...PROGRAM_ENVIRONMENT,
                },
            },
        );
    }, 60_000);

    afterAll(async () => {
        await stack.destroy();
        rmSync(folder, { recursive: true });
    }, 60_000);

    const update = async (renewalDays: string) => {
        await stack.setConfig("object-store:renewalDays", { value: renewalDays });
        const { outputs, summary } = await stack.up();
        return { changes: summary.resourceChanges, outputs };
    };

    test("far from its expiry is kept, near its expiry is renewed by an update; its CA is never renewed", async () => {
        const first = await update("0");
        expect((await update("0")).changes).toEqual({ same: 7 });

        const renewed = await update("1");
        expect(renewed.changes).toEqual({ same: 6, replace: 1 });
        expect(renewed.outputs["notAfter"]?.value).not.toBe(first.outputs["notAfter"]?.value);
        expect(renewed.outputs["caCertificate"]?.value).toBe(first.outputs["caCertificate"]?.value);

        expect((await update("1")).changes).toEqual({ same: 6, replace: 1 });
    }, 120_000);
});
