import type Docker from "dockerode";
import { OneShotContainers } from "../../../../components/docker/oneShotContainers";
import { LABELS } from "../../../../components/naming/labels";

/** Records the requests to an engine; one step can be made to fail. */
function engine(failing?: { step: string; error: object }): {
    docker: Docker;
    steps: string[];
    left: Docker.ContainerInfo[];
} {
    const steps: string[] = [];
    const left: Docker.ContainerInfo[] = [];
    const step = (name: string, answer: unknown = {}) => {
        steps.push(name);
        return failing?.step === name
            ? Promise.reject(Object.assign(new Error(), failing.error))
            : Promise.resolve(answer);
    };
    const container = {
        id: "id",
        start: () => step("start"),
        wait: () => step("wait", { StatusCode: 0 }),
        inspect: () =>
            step("inspect", { NetworkSettings: { Networks: { "store-nodes": { IPAddress: "10.0.0.130" } } } }),
        remove: () => step("remove"),
    };
    const docker = {
        listContainers: () => Promise.resolve(left),
        listImages: () => Promise.resolve([{ Id: "image" }]),
        createContainer: ({ Labels: labels = {} }: Docker.ContainerCreateOptions) => {
            left.push({ Id: "new", Labels: labels } as Docker.ContainerInfo);
            return step("create", container);
        },
        getContainer: (id: string) => ({ remove: () => step(`remove ${id}`) }),
    };
    return { docker: docker as unknown as Docker, steps, left };
}

test.each(["create", "start"])("the engine's answer to %s is the reason why it refuses a container", async (name) => {
    const { docker, steps } = engine({ step: name, error: { statusCode: 400, json: { message: "no" } } });
    expect(await new OneShotContainers(docker).try("store", {})).toBe("no");
    expect(steps).toEqual(name === "create" ? ["create"] : ["create", "start", "remove"]);
});

test("a program that doesn't end is removed after a time limit, and is the reason for a refusal", async () => {
    const { docker, steps } = engine();
    const container = {
        id: "id",
        start: () => Promise.resolve(),
        wait: () => new Promise(() => undefined),
        remove: () => Promise.resolve(void steps.push("remove")),
    };
    const stuck = Object.assign(docker, { createContainer: () => Promise.resolve(container) });
    expect(await new OneShotContainers(stuck).try("store", { Entrypoint: ["/bin/sh"] }, 0.1)).toBe(
        "/bin/sh has not ended within 0.1 s in it",
    );
    expect(steps).toEqual(["remove"]);
});

test("a lost connection doesn't count as an answer", async () => {
    const { docker, steps } = engine({ step: "start", error: { code: "ECONNRESET" } });
    await expect(new OneShotContainers(docker).try("store", {})).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(steps).toEqual(["create", "start", "remove"]);
});

test("helpers that look into volumes are removed, also if the look fails", async () => {
    const { docker, steps } = engine();
    const look = () => Promise.reject(new Error("unreadable"));
    await expect(new OneShotContainers(docker).lookInto("store", {}, look)).rejects.toThrow("unreadable");
    expect(steps).toEqual(["create", "remove"]);
});

test("a helper on a network is removed once the work with it has ended", async () => {
    const { docker, steps } = engine();
    const attachment = { image: "image", network: "store-nodes" };
    const work = (container: string, address: string) => {
        steps.push(`work with ${container} at ${address}`);
        return Promise.resolve("done");
    };
    expect(await new OneShotContainers(docker).attached("store", attachment, work)).toBe("done");
    expect(steps).toEqual(["create", "start", "inspect", "work with id at 10.0.0.130", "remove"]);
});

test("a helper that can't be attached to its network is removed", async () => {
    const { docker, steps } = engine({ step: "start", error: { message: "could not attach to network" } });
    const attached = new OneShotContainers(docker).attached("store", { image: "image", network: "n" }, () =>
        Promise.resolve(),
    );
    await expect(attached).rejects.toThrow("could not attach to network");
    expect(steps).toEqual(["create", "start", "remove"]);
});

test("leftovers of a killed run are removed, and helpers of this run aren't", async () => {
    const { docker, steps, left } = engine();
    left.push({ Id: "former", Labels: { [LABELS.helper]: "store", [LABELS.helperRun]: "former" } } as never);
    const helpers = new OneShotContainers(docker);
    await helpers.try("store", {});
    expect(steps).toEqual(["remove former", "create", "start", "wait", "remove"]);
    left.shift();
    await helpers.removeLeftovers("store");
    expect(steps).toHaveLength(5);
});
