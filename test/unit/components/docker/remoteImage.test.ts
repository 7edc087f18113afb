import * as pulumi from "@pulumi/pulumi";
import { remoteImage } from "../../../../components/docker/remoteImage";
import { mockEngine, settled } from "../../fakes/mockEngine";

describe("an image on an engine", () => {
    /** What is registered, asked of the engine and warned of. */
    const registered = async (preview: boolean, failure?: string, away = false, allowed = Promise.resolve([])) => {
        const warn = jest.spyOn(pulumi.log, "warn").mockResolvedValue(undefined);
        const resources = await mockEngine(preview);
        const asked: string[] = [];
        const haveImage = (name: string) => Promise.resolve((asked.push(name), failure));
        const opts = { dependsOn: pulumi.output(allowed) };
        remoteImage("image", "store:1.0.0", away ? undefined : () => Promise.resolve({ haveImage }), opts);
        await settled(resources).catch(() => undefined);
        const warnings = warn.mock.calls.map(([text]) => text);
        warn.mockRestore();
        return { names: resources.map(({ inputs }) => inputs["name"]), asked, warnings };
    };

    test("is pulled by an update before the provider looks for it, and by no preview", async () => {
        expect(await registered(false)).toEqual({ names: ["store:1.0.0"], asked: ["store:1.0.0"], warnings: [] });
        expect(await registered(true)).toEqual({ names: ["store:1.0.0"], asked: [], warnings: [] });
    });

    test("of a host that is away isn't asked for", async () => {
        expect((await registered(false, undefined, true)).asked).toEqual([]);
    });

    test("that can't be pulled is left to the provider, with a warning that says what was tried", async () => {
        expect(await registered(false, "tried here and there")).toEqual({
            names: ["store:1.0.0"],
            asked: ["store:1.0.0"],
            warnings: ["tried here and there"],
        });
    });
});
