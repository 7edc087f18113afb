import * as pulumi from "@pulumi/pulumi";
import { waitUntilDone, waitUntilHealthy, type ReadinessEngine } from "../../../../components/docker/readiness";
import { describeContainer } from "../../../../components/docker/containerReport";
import { VirtualClock } from "../../fakes/virtualClock";

const component = { urn: undefined } as never;

/** An engine with one container. Its clock may be wrong. */
class VirtualEngine implements ReadinessEngine {
    readonly clock = new VirtualClock();
    started = 0;
    state = "running";
    healthyAt = Infinity;
    answersAt = Infinity;
    code = 0;
    endsAt = Infinity;
    finishedAt = 0;

    constructor(private readonly ahead = 0) {}

    now = () => Promise.resolve(this.time());

    ending = () => {
        if (this.state === "gone") {
            return Promise.resolve("gone" as const);
        }
        const ended = this.clock.now() >= this.endsAt;
        return Promise.resolve(ended ? { code: this.code, finishedAt: this.finishedAt } : undefined);
    };

    health = () => {
        const health = this.clock.now() >= this.healthyAt ? "healthy" : "starting";
        return Promise.resolve({ health, state: this.state, lastCheck: "503", startedAt: 0 });
    };

    checkHealth = () => Promise.resolve({ code: this.clock.now() >= this.answersAt ? 0 : 1, output: "" });

    logTail = () => Promise.resolve("its last line");

    start = () => {
        this.started++;
        [this.endsAt, this.code] = [this.clock.now() + 2000, 0];
        return Promise.resolve();
    };

    /** Time of an event before this update, by the engine's clock. */
    time(): number {
        return Date.parse("2030-01-01T00:00:00Z") + this.ahead * 1000 + this.clock.now();
    }
}

const options = (engine: VirtualEngine, begun = 0) => ({
    timeout: 30,
    component,
    begun,
    dependencies: { engine, clock: engine.clock },
});

const CONTAINER = { name: "one-prepare", id: "1" };

beforeAll(() => void jest.spyOn(console, "log").mockImplementation(() => undefined));

afterAll(() => jest.restoreAllMocks());

describe.each([0, -7200, 7200])("with the engine's clock %d s ahead", (ahead) => {
    test("a helper that failed before this update is started again once", async () => {
        const engine = new VirtualEngine(ahead);
        await engine.clock.sleep(60_000);
        Object.assign(engine, { code: 1, endsAt: 0, finishedAt: engine.time() - 5000 });
        await waitUntilDone(CONTAINER, options(engine, engine.clock.now()));
        expect(engine.started).toBe(1);
    });

    test("a helper that failed in this update isn't started again, and the error has its last lines", async () => {
        const engine = new VirtualEngine(ahead);
        const begun = engine.clock.now();
        await engine.clock.sleep(60_000);
        Object.assign(engine, { code: 3, endsAt: 0, finishedAt: engine.time() - 5000 });
        await expect(waitUntilDone(CONTAINER, options(engine, begun))).rejects.toThrow(
            "one-prepare failed with exit code 3. Its last lines:\n    its last line",
        );
        expect(engine.started).toBe(0);
    });
});

test("a helper that doesn't end within the limit fails; a removed one has ended", async () => {
    await expect(waitUntilDone(CONTAINER, options(new VirtualEngine()))).rejects.toThrow(
        "one-prepare has not ended within 30 s",
    );
    const gone = new VirtualEngine();
    gone.state = "gone";
    await waitUntilDone(CONTAINER, options(gone));
});

test("a container is awaited until it is healthy, or until the time limit", async () => {
    const engine = new VirtualEngine();
    engine.healthyAt = 20_000;
    await waitUntilHealthy([CONTAINER], options(engine));
    expect(engine.clock.now()).toBe(20_000);
    await expect(waitUntilHealthy([CONTAINER], options(new VirtualEngine()))).rejects.toThrow(
        /one-prepare is not healthy after 30 s: starting, container running\.[^]*its last line/,
    );
});

test("a container whose check is run now doesn't wait for the engine's first check", async () => {
    const engine = new VirtualEngine();
    [engine.answersAt, engine.healthyAt] = [1000, 20_000];
    await waitUntilHealthy([CONTAINER], { ...options(engine), checksNow: true });
    expect(engine.clock.now()).toBe(1000);
});

test("a container that the engine calls unhealthy is not healthy because one check succeeds", async () => {
    const engine = new VirtualEngine();
    engine.answersAt = 0;
    jest.spyOn(engine, "health").mockResolvedValue({
        health: "unhealthy",
        state: "running",
        lastCheck: "",
        startedAt: 0,
    });
    await expect(waitUntilHealthy([CONTAINER], { ...options(engine), checksNow: true })).rejects.toThrow(
        "is not healthy",
    );
});

test("a removed container is not awaited", async () => {
    const engine = new VirtualEngine();
    engine.state = "gone";
    await expect(waitUntilHealthy([CONTAINER], options(engine))).rejects.toThrow("Run `pulumi refresh`");
    expect(engine.clock.now()).toBe(0);
});

describe("a container's last log lines", () => {
    const describeWith = (log: string, lastCheck: string) =>
        describeContainer(
            {
                health: () => Promise.resolve({ health: "unhealthy", state: "running", lastCheck, startedAt: 0 }),
                logTail: () => Promise.resolve(log),
            },
            "1",
        );
    const check = "http://127.0.0.1:9000/health/ready 503 degraded";
    const asked = '{"uri":"/health/ready","status_code":503}';

    test("leave out the requests of the health check, which can be the last hundreds", async () => {
        const log = ["disk 3 is offline", ...Array<string>(300).fill(asked)].join("\n");
        expect(await describeWith(log, check)).toMatch(/Its last log lines: \n {4}disk 3 is offline$/);
    });

    test("are those of the health check if there are no others", async () => {
        expect(await describeWith(asked, check)).toContain(`Its last log lines: \n    ${asked}`);
    });

    test("are at most ten", async () => {
        const log = Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n");
        expect((await describeWith(log, check)).match(/^ {4}line/gm)).toHaveLength(10);
    });
});

describe("an engine that gives no answer", () => {
    const silent = () => {
        const engine = new VirtualEngine();
        const fail = () => Promise.reject(new Error("connect ECONNREFUSED"));
        return Object.assign(engine, { health: fail, ending: fail });
    };

    test.each([
        ["a healthy container", (engine: VirtualEngine) => waitUntilHealthy([CONTAINER], options(engine))],
        ["a container that ends", (engine: VirtualEngine) => waitUntilDone(CONTAINER, options(engine))],
    ])("fails the wait for %s as an error of the component, without a stack trace", async (_, wait) => {
        const failure = await wait(silent()).then(
            () => undefined,
            (error: unknown) => error,
        );
        expect(pulumi.ResourceError.isInstance(failure)).toBe(true);
        expect(failure).toMatchObject({ message: "connect ECONNREFUSED", stack: "" });
    });
});
