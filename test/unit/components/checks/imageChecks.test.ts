import { checkHaproxyImage, checkHaproxyVersion, checkImage } from "../../../../components/checks/imageChecks";
import { partsOf } from "../../../../components/settings/deploymentSettings";

describe("the version of HAProxy in an image", () => {
    test("of another series is refused, whatever the image's name", () => {
        expect(checkHaproxyVersion("image", "registry/edge@sha256:0a", ["PATH=/bin", "HAPROXY_VERSION=2.8.3"])).toEqual(
            [
                {
                    propertyPath: "image",
                    reason: '"registry/edge@sha256:0a" is HAProxy 2.8.3: give one of HAProxy 3.2 on Debian',
                },
            ],
        );
    });

    test.each([
        ["is of the series", ["HAPROXY_VERSION=3.2.26"]],
        ["isn't known", ["PATH=/bin"]],
        ["isn't there", []],
    ])("that %s is accepted", (_, variables) => {
        expect(checkHaproxyVersion("image", "edge:1.2.3", variables)).toEqual([]);
    });
});

describe("an image's name", () => {
    test.each([
        "",
        "HAProxy:3.2.26",
        "haproxy:3.2.26 ",
        "haproxy :3.2.26",
        "registry.example.com/:1.2",
        "a//b:1.2",
        "haproxy:3.2.26@sha256:abc",
        `haproxy:3.2.26@sha256:${"a".repeat(63)}`,
        "registry..local/haproxy:3.2.26",
        "edge-.x/haproxy:3.2.26",
    ])("%p is invalid", (image) => {
        expect(checkHaproxyImage("image", image)).toEqual([
            { propertyPath: "image", reason: expect.stringContaining(`"${image}" `) as string },
        ]);
    });

    test.each([
        `haproxy:3.2.26@sha256:${"a".repeat(64)}`,
        "haproxy:3.2.26",
        "localhost:5000/edge/haproxy:3.2.26",
        "Registry.example.com/a_b/c--d:1.2-rc.1",
    ])("%p is valid", (image) => {
        expect(checkImage("image", image)).toEqual([]);
    });

    test("of a proxy next to a cluster has the property name of the combined args", () => {
        const [proxy] = partsOf("store", { haproxyImage: "edge:1.2.3" }).proxies;
        expect([proxy?.args.image, proxy?.at("image")]).toEqual(["edge:1.2.3", "haproxyImage"]);
    });
});
