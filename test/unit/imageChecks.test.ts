import { checkHaproxyVersion } from "../../components/inputs/imageChecks";

describe("the version of HAProxy in an image", () => {
    test("of another series is refused, whatever the image is called", () => {
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
    ])("that %s is taken", (_, variables) => {
        expect(checkHaproxyVersion("image", "edge:1.2.3", variables)).toEqual([]);
    });
});
