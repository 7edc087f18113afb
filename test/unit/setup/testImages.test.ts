import { imagesThere } from "../../setup/testImages";

const NONE = {
    lego: [],
    keepalived: [],
    pebble: [],
    knot: [],
    prometheus: [],
    restic: [],
    rclone: [],
    rustfs: [],
    earlierRustfs: [],
};

describe("further images of the tests", () => {
    test("are those that the engine has, by their present references, the preferred one first", async () => {
        const onEngine = ["lego:built", "lego:official", "rustfs:outdated", "restic:1"];
        const references = {
            ...NONE,
            lego: ["lego:official", "lego:built"],
            rustfs: ["rustfs:new"],
            restic: ["restic:1"],
        };
        expect(await imagesThere((reference) => Promise.resolve(onEngine.includes(reference)), references)).toEqual({
            lego: "lego:official",
            restic: "restic:1",
        });
    });
});
