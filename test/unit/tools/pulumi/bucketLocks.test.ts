import { hostname } from "node:os";
import { betweenUpdates, locksIn } from "../../../../tools/pulumi/bucketLocks";
import type { Workspace } from "../../../../tools/pulumi/workspace";

/** The id of a process that can't be running: the kernel gives none so high. */
const GONE = 2 ** 30;

const workspace: Workspace = { folder: "/nowhere", env: {}, backend: "s3://pulumi-state", description: "" };

/** The CLI's error while there are locks of these processes. */
const lockedBy = (...holders: [host: string, pid: number][]) =>
    [
        "pulumi stack rename --stack prod prod ended with code 255",
        `error: the stack is currently locked by ${holders.length} lock(s). Either wait for the other process(es) to end or delete the lock file with \`pulumi cancel\`.`,
        ...holders.map(
            ([host, pid]) =>
                "  s3://pulumi-state/.pulumi/locks/organization/object-store/prod/a21befb8.json?endpoint=https%3A%2F%2Fs3.example.com: " +
                `created by ops@${host} (pid ${pid}) at 2026-11-25T17:26:53Z`,
        ),
    ].join("\n");

const UNLOCKED = "error: a stack named prod already exists";

/** Answers the CLI's commands with these errors in turn, and records the commands. */
const cli = (...errors: string[]) => {
    const commands: string[] = [];
    const ask = (_workspace: Workspace, args: string[]) => {
        commands.push(args.join(" "));
        const error = args[0] === "cancel" ? undefined : errors.shift();
        return error === undefined ? Promise.resolve("") : Promise.reject(new Error(error));
    };
    return { ask, commands };
};

const RENAME = "stack rename --stack prod prod";

beforeEach(() => jest.spyOn(console, "log").mockImplementation());

test("reads the owner of each lock from the CLI's error", () => {
    expect(locksIn(lockedBy(["one", 1], ["two.example.com", 22]), "prod")).toEqual(
        [
            ["one", 1],
            ["two.example.com", 22],
        ].map(([host, pid]) => ({
            username: "ops",
            hostname: host,
            pid,
            timestamp: "2026-11-25T17:26:53Z",
            program: "pulumi",
            removal: "npm run pulumi -- cancel --stack prod",
        })),
    );
    expect(locksIn(UNLOCKED, "prod")).toEqual([]);
});

describe("betweenUpdates", () => {
    test("without a lock, asks once and removes nothing", async () => {
        const { ask, commands } = cli(UNLOCKED);
        expect(await betweenUpdates(workspace, "prod", () => Promise.resolve("done"), ask)).toBe("done");
        expect(commands).toEqual([RENAME]);
    });

    test("the lock of an ended process of this host stays during the action, and is removed after it", async () => {
        const locked = lockedBy([hostname(), GONE]);
        const { ask, commands } = cli(locked, locked);
        await betweenUpdates(
            workspace,
            "prod",
            () => {
                expect(commands).toEqual([RENAME]);
                return Promise.resolve();
            },
            ask,
        );
        expect(commands).toEqual([RENAME, RENAME, "cancel --yes prod"]);
    });

    test("a lock stays if the action fails", async () => {
        const { ask, commands } = cli(lockedBy([hostname(), GONE]));
        const action = () => Promise.reject(new Error("no"));
        await expect(betweenUpdates(workspace, "prod", action, ask)).rejects.toThrow("no");
        expect(commands).toEqual([RENAME]);
    });

    test("a lock of another host is refused before the action, also beside an abandoned one", async () => {
        const { ask, commands } = cli(lockedBy([hostname(), GONE], ["elsewhere", GONE]));
        const action = jest.fn();
        await expect(betweenUpdates(workspace, "prod", action, ask)).rejects.toThrow(
            `process ${GONE} of ops on elsewhere, since 2026-11-25T17:26:53Z: see there whether it runs, and only where it doesn't: npm run pulumi -- cancel --stack prod`,
        );
        expect(action).not.toHaveBeenCalled();
        expect(commands).toEqual([RENAME]);
    });

    test("an update that begins during the action is refused, and keeps its lock", async () => {
        const { ask, commands } = cli(lockedBy([hostname(), GONE]), lockedBy(["elsewhere", 7]));
        await expect(betweenUpdates(workspace, "prod", () => Promise.resolve(), ask)).rejects.toThrow(
            "process 7 of ops on elsewhere",
        );
        expect(commands).toEqual([RENAME, RENAME]);
    });

    test("a backend that doesn't refuse the name is an error, and nothing is done", async () => {
        const action = jest.fn();
        await expect(betweenUpdates(workspace, "prod", action, cli().ask)).rejects.toThrow("renamed to itself");
        expect(action).not.toHaveBeenCalled();
    });

    test("another error of the CLI is passed on", async () => {
        const { ask } = cli("error: passphrase must be set");
        await expect(betweenUpdates(workspace, "prod", () => Promise.resolve(), ask)).rejects.toThrow(
            "passphrase must be set",
        );
    });
});
