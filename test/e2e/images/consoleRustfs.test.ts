import { GetObjectCommand, HeadBucketCommand } from "@aws-sdk/client-s3";
import { randomBytes } from "node:crypto";
import type { Page } from "playwright-core";
import { ConsoleBrowser } from "../harness/browser";
import { s3ClientFor } from "../harness/clients";
import { Deployment, type DeploymentOutputs } from "../harness/deployment";
import { rustfsStore } from "../harness/stores";

const BUCKET = "travel";

// Only RustFS's official image has the pages of its console: its crate, from which the tests' own image is built, lacks them.
describe("RustFS's console in a browser", () => {
    const file = { name: "map of Ålesund.png", mimeType: "image/png", buffer: randomBytes(1024 * 1024) };
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let browser: ConsoleBrowser | undefined;
    let page: Page;

    beforeAll(async () => {
        deployment = await Deployment.create(rustfsStore().config);
        await deployment.up();
        outputs = await deployment.outputs();
        browser = await ConsoleBrowser.open(outputs);
        page = browser.page;
    }, 240_000);

    afterAll(async () => {
        await browser?.close();
        await deployment.remove();
    }, 120_000);

    test("is found at the console's URL, and lets the user in", async () => {
        await page.goto(outputs.consoleUrl);
        await page.locator("#accessKey").fill(outputs.accessKey);
        await page.locator("#secretKey").fill(outputs.secretKey);
        await page.getByRole("button", { name: "Login", exact: true }).click();
        await page.getByRole("button", { name: "Create Bucket" }).waitFor();
    }, 60_000);

    test("creates a bucket", async () => {
        await page.getByRole("button", { name: "Create Bucket" }).click();
        await page.getByRole("dialog").getByRole("textbox").first().fill(BUCKET);
        await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
        await page.getByRole("link", { name: BUCKET }).waitFor();
        await s3ClientFor(outputs).send(new HeadBucketCommand({ Bucket: BUCKET }));
    }, 60_000);

    test("uploads a file, which S3 reads unchanged", async () => {
        await page.getByRole("link", { name: BUCKET }).click();
        await page.getByRole("button", { name: "Upload File" }).click();
        const choosing = page.waitForEvent("filechooser");
        await page.getByRole("button", { name: "Select File" }).click();
        await (await choosing).setFiles(file);
        await page.getByRole("button", { name: "Start Upload" }).click();
        await page.getByText(file.name).first().waitFor();
        const client = s3ClientFor(outputs);
        const { Body: body } = await client.send(new GetObjectCommand({ Bucket: BUCKET, Key: file.name }));
        expect(file.buffer.equals(Buffer.from((await body?.transformToByteArray()) ?? []))).toBe(true);
    }, 60_000);

    test("keeps the user signed in after a reload", async () => {
        await page.reload();
        await page.getByText(file.name).first().waitFor();
    }, 60_000);

    test("has had no failed request and nothing blocked", () => {
        expect(browser?.record.failedRequests).toEqual([]);
        expect(browser?.record.errors).toEqual([]);
    });
});
