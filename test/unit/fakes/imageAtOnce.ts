/**
 * An image is registered at once; in an update, it waits for an engine: test/unit/components/docker/remoteImage.test.ts.
 * It has to be imported before what it replaces.
 */
jest.mock("../../../components/docker/remoteImage", () => {
    const { RemoteImage } = jest.requireActual<typeof import("@pulumi/docker")>("@pulumi/docker");
    return {
        remoteImage: (name: string, image: string, _connect: unknown, opts: object) =>
            new RemoteImage(name, { name: image, keepLocally: true }, opts),
    };
});

export {};
