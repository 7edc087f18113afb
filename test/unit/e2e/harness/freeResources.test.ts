import { freePorts } from "../../../e2e/harness/freeResources";

/** The ports that a worker of Jest takes. */
async function portsOfWorker(id: string): Promise<number[]> {
    const own = process.env["JEST_WORKER_ID"];
    process.env["JEST_WORKER_ID"] = id;
    try {
        return (await Promise.all(Array.from({ length: 400 }, () => freePorts()))).flat();
    } finally {
        process.env["JEST_WORKER_ID"] = own;
    }
}

test("workers that run at the same time never take the same port", async () => {
    const [one, two, three] = [
        new Set(await portsOfWorker("1")),
        await portsOfWorker("2"),
        new Set(await portsOfWorker("3")),
    ];
    expect(two.filter((port) => one.has(port) || three.has(port))).toEqual([]);
    expect(new Set(two).size).toBeGreaterThan(1);
});
