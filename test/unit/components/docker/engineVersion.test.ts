import { hasApi, whyUnsupported } from "../../../../components/docker/engineVersion";

test.each([
    ["1.41", false],
    ["1.47", false],
    ["1.48", true],
    ["1.51", true],
    ["2.0", true],
])("an engine with API %s has 1.48 or newer: %s", (ApiVersion, expected) => {
    expect(hasApi({ ApiVersion }, 1, 48)).toBe(expected);
});

test("Docker is supported, whether it names its components or not", () => {
    expect(whyUnsupported({ ApiVersion: "1.41" })).toBeUndefined();
    const Components = [
        { Name: "Engine", Version: "20.10.24" },
        { Name: "containerd", Version: "1.6.20" },
    ];
    expect(whyUnsupported({ ApiVersion: "1.41", Components })).toBeUndefined();
});

test("Podman is not, and the message says why and what to do", () => {
    const Components = [
        { Name: "Podman Engine", Version: "5.8.6" },
        { Name: "Conmon", Version: "2.1.13" },
    ];
    expect(whyUnsupported({ ApiVersion: "1.44", Components })).toMatch(
        /^the Docker daemon is Podman 5\.8\.6, .*tmpfs.* Name a Docker Engine by DOCKER_HOST or the config key docker:host$/,
    );
});
