import { createHash } from "node:crypto";
import { minioProfile } from "../../../../components";
import type { LocalHost } from "../../../../components/docker/localHost";
import { findStore, type NamedStore } from "../../../../tools/adopt/adoption";
import { stackOf } from "../../../../tools/adopt/adoptedStack";
import type { AdoptedStore } from "../../../../tools/adopt/adoptedStore";
import { StepError } from "../../../../tools/cli/step";
import { publishedCases, recordedOf, shapesOf, type PublishedCase } from "./publishedCases";
import { recordedEngine, type RecordedEngine } from "../../fakes/recordedEngine";

const PROJECT = "shop";

/** The volume that an engine makes for the folder of an image, in the recorded engine. */
const ANONYMOUS = createHash("sha256").update(`${PROJECT}-zealous_noether 0`).digest("hex");

const cases = ["minio.yaml", "rustfs.yaml", "refused.yaml"].flatMap(publishedCases);

test("there are more than thirty, and each has an outcome", () => {
    expect(cases.length).toBeGreaterThan(50);
    expect(cases.filter(({ stack, refused }) => (stack === undefined) === (refused === undefined))).toEqual([]);
});

/** Runs `npm run adopt` on a case up to the preview, and returns what it found. */
async function adopt(one: PublishedCase): Promise<{ store: AdoptedStore | string; engine: RecordedEngine }> {
    const shapes = shapesOf(one, { project: PROJECT });
    if (one.anonymous === true) {
        shapes[0]?.mounts.push({ at: "/data" });
    }
    const engine = recordedEngine(shapes, recordedOf({ layout: [[ANONYMOUS]], ...one }, shapes));
    const host = { folder: (path: string) => Promise.resolve({ device: one.oneDevice === true ? 1 : path }) };
    const store = await findStore(engine.docker, namedBy(one), one.given ?? {}, host as unknown as LocalHost).catch(
        (error: unknown) => {
            if (!(error instanceof StepError)) {
                throw error;
            }
            return error.message;
        },
    );
    return { store, engine };
}

function namedBy({ compose, run, containers, named }: PublishedCase): NamedStore {
    if (named !== undefined) {
        const { store, volumes = [], paths = [], keys = "" } = named;
        return { store, keys, drives: [...volumes.map((volume) => ({ volume })), ...paths.map((path) => ({ path }))] };
    }
    if (compose !== undefined && containers === undefined) {
        return { project: PROJECT };
    }
    const [, name = "zealous_noether"] = /--name (\S+)/.exec(run ?? "") ?? [];
    return { containers: containers ?? [`${PROJECT}-${name}`] };
}

describe("is taken over, whole:", () => {
    test.each(cases.filter(({ stack }) => stack !== undefined).map((one) => [one.title, one] as const))(
        "%s",
        async (_, one) => {
            const { store, engine } = await adopt(one);
            if (typeof store === "string") {
                throw new Error(store);
            }
            const { values, secrets } = stackOf(store);
            const { secretEnvironment, ...keys } = secrets;
            expect(values).toEqual(
                JSON.parse(
                    JSON.stringify(one.stack)
                        .replace("ANONYMOUS", ANONYMOUS)
                        .replace("PROFILE", minioProfile.image ?? ""),
                ),
            );
            const named = one.named?.keys?.split("\n");
            const [accessKey, secretKey] = one.keys ?? named ?? ["minioadmin", "minioadmin"];
            expect(keys).toEqual({ accessKey, secretKey });
            expect(JSON.parse(secretEnvironment ?? "{}")).toEqual(one.secretEnvironment ?? {});
            one.notes?.forEach((note) => expect(store.notes.join("\n")).toContain(note));
            expect(store.owner).toBe("0:0");
            expect(engine.left).toBe(0);
            expect(JSON.stringify(values) + store.notes.join()).not.toMatch(/hidden|a-password/);
        },
    );
});

describe("is refused before anything:", () => {
    test.each(cases.filter(({ refused }) => refused !== undefined).map((one) => [one.title, one] as const))(
        "%s",
        async (_, one) => {
            const { store, engine } = await adopt(one);
            expect(typeof store).toBe("string");
            one.refused?.forEach((reason) => expect(store).toContain(reason));
            expect(engine.left).toBe(0);
            expect(store).not.toMatch(/hidden/);
        },
    );
});
