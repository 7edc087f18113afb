import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Cookie, Page } from "playwright-core";
import { PROJECT } from "../../tools/paths";
import { ConsoleBrowser } from "./harness/browser";
import { get } from "./harness/clients";
import { Deployment, type DeploymentOutputs } from "./harness/deployment";
import { minioStore } from "./harness/stores";

/** Committed to the repository. `UPDATE_SCREENSHOT=1 npx jest browser --selectProjects e2e` takes it again. */
const SCREENSHOT = join(PROJECT, "docs", "images", "console.png");

const BUCKET = "travel";
const MIB = 1024 * 1024;

describe("the console in a browser", () => {
    const files = ["itinerary.txt", "naïve + 100%.bin", "map of Ålesund.png"].map((name, index) => ({
        name,
        mimeType: "application/octet-stream",
        buffer: randomBytes(index * MIB + 1000),
    }));
    let deployment: Deployment;
    let outputs: DeploymentOutputs;
    let browser: ConsoleBrowser | undefined;
    let page: Page;
    let sessionCookie: Cookie | undefined;

    beforeAll(async () => {
        deployment = await Deployment.create(minioStore().config);
        await deployment.up();
        outputs = await deployment.outputs();
        browser = await ConsoleBrowser.open(outputs);
        page = browser.page;
    }, 120_000);

    afterAll(async () => {
        await browser?.close();
        await deployment.remove();
    }, 120_000);

    const proxyCookie = async () => (await page.context().cookies()).find(({ name }) => name === "MINIO_CONSOLE");

    test("is trusted, by the stack's CA, and lets the user in", async () => {
        const answer = await page.goto(outputs.consoleUrl);
        expect((await answer?.securityDetails())?.issuer).toBe("store-front-end-certificate CA");
        await page.getByPlaceholder("Username").fill(outputs.accessKey);
        await page.getByPlaceholder("Password").fill(outputs.secretKey);
        await page.getByRole("button", { name: "Login" }).click();
        await page.getByRole("button", { name: "Acknowledge" }).click();
        await page.getByText("Object Browser").waitFor();
        sessionCookie = await proxyCookie();
        expect(sessionCookie).toMatchObject({ value: "minio", secure: true, httpOnly: true });
    }, 60_000);

    test("creates a bucket", async () => {
        await page.getByRole("button", { name: "Create Bucket" }).click();
        await page.getByLabel("Bucket Name").fill(BUCKET);
        await page.getByRole("button", { name: "Create Bucket" }).last().click();
        await page.getByRole("heading", { name: BUCKET }).waitFor();
    }, 60_000);

    test("uploads files and lists them", async () => {
        const choosing = page.waitForEvent("filechooser");
        await page.getByRole("button", { name: "Upload" }).click();
        await page.getByText("Upload File", { exact: true }).click();
        await (await choosing).setFiles(files);
        for (const { name } of files) {
            await page.getByRole("gridcell", { name }).waitFor();
        }
    }, 60_000);

    test("downloads them unchanged", async () => {
        // Closes the list of uploads, which covers the buttons.
        await page.getByRole("button", { name: "Refresh List" }).click();
        for (const { name, buffer } of files) {
            await page.getByRole("gridcell", { name }).click();
            const downloading = page.waitForEvent("download");
            await page.getByRole("button", { name: "Download" }).click();
            const download = await downloading;
            expect(download.suggestedFilename()).toBe(name);
            expect(buffer.equals(readFileSync(await download.path()))).toBe(true);
        }
    }, 60_000);

    test("shares a file by a link that needs no sign-in", async () => {
        // By the keyboard: the tooltip of the button above may cover it.
        await page.getByRole("button", { name: "Share" }).press("Enter");
        const link = await page.getByText("/download-shared-object/").innerText();
        const { status, body } = await get(outputs, /https:\S+/.exec(link)?.[0] ?? "");
        expect(status).toBe(200);
        expect(files.at(-1)?.buffer.equals(body)).toBe(true);
    }, 60_000);

    test("keeps the user signed in after a reload", async () => {
        await page.reload();
        for (const { name } of files) {
            await page.getByRole("gridcell", { name }).waitFor();
        }
        if (process.env["UPDATE_SCREENSHOT"] === "1") {
            // The elements appear one by one.
            await page.waitForTimeout(1000);
            await page.screenshot({ path: SCREENSHOT });
        }
        expect(existsSync(SCREENSHOT)).toBe(true);
    }, 60_000);

    test("sets no cookie that plain HTTP would carry", async () => {
        const cookies = await page.context().cookies();
        expect(cookies.map(({ name }) => name).sort()).toEqual(["MINIO_CONSOLE", "token"]);
        expect(cookies.filter(({ secure }) => !secure)).toEqual([]);
    });

    test("uses one node throughout, for its WebSocket too", async () => {
        expect(await proxyCookie()).toEqual(sessionCookie);
        const { host } = new URL(outputs.consoleUrl);
        expect([...(browser?.record.webSockets ?? [])]).toEqual([`wss://${host}/ws/objectManager`]);
    });

    test("has had no failed request and nothing blocked, except its check whether a user is signed in", () => {
        expect(browser?.record.failedRequests).toEqual(["403 GET /api/v1/session"]);
        expect(browser?.record.errors).toEqual([
            "Failed to load resource: the server responded with a status of 403 ()",
        ]);
    });
});
