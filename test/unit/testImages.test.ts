import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { imagesOfEarlierRuns } from "../../tools/images/testImages";

describe("images of an earlier run of prepare-tests", () => {
    const folder = mkdtempSync(join(tmpdir(), "test-images-"));
    const file = join(folder, "test-images.json");

    afterAll(() => rmSync(folder, { recursive: true }));

    test("are kept where the engine still has them, without the engine's address", async () => {
        writeFileSync(file, JSON.stringify({ dockerHost: "unix:///old.sock", lego: "lego:1", rustfs: "rustfs:1" }));
        const has = (reference: string) => Promise.resolve(reference === "rustfs:1");
        expect(await imagesOfEarlierRuns(has, file)).toEqual({ rustfs: "rustfs:1" });
    });

    test("are none before the first run", async () => {
        expect(await imagesOfEarlierRuns(() => Promise.resolve(true), join(folder, "missing.json"))).toEqual({});
    });
});
