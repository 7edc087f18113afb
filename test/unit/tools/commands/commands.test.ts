import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CommandDefinition, runCommand } from "../../../../tools/cli/command";
import { optionsTakenByNpm } from "../../../../tools/cli/npmOptions";
import { COMMANDS } from "../../../../tools/commands/all";
import { down } from "../../../../tools/commands/down";
import { hosts } from "../../../../tools/commands/hosts";
import { migrate } from "../../../../tools/commands/migrate";
import { move } from "../../../../tools/commands/move";
import { playground } from "../../../../tools/commands/playground";
import { pulumi } from "../../../../tools/commands/pulumi";
import { status } from "../../../../tools/commands/status";
import { up } from "../../../../tools/commands/up";
import { PROJECT } from "../../../../tools/paths";

const { scripts } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as {
    scripts: { [name: string]: string };
};

/** The file that a script of package.json starts. */
const fileOf = (name: string) => /tools\/commands\/\w+\.ts/.exec(scripts[name] ?? "")?.[0];

const OF_USERS = Object.keys(scripts).filter((name) => fileOf(name) !== undefined);

describe("definitions", () => {
    test("there is one for each command of package.json, and each of their files has a command", () => {
        expect(COMMANDS.map(({ name }) => name).sort()).toEqual([...OF_USERS].sort());
        const files = readdirSync(join(PROJECT, "tools", "commands")).filter((file) => file !== "all.ts");
        expect(files.map((file) => `tools/commands/${file}`)).toEqual(OF_USERS.map(fileOf).sort());
    });

    test.each(COMMANDS)("$name says what it does, what its options do, and how it is used", (command) => {
        const parts = [command, ...(command.actions ?? [])];
        for (const {
            summary,
            options = [],
            arguments: operands = [],
            examples,
            actions = [],
        } of parts as CommandDefinition[]) {
            expect([
                summary,
                ...options.map((one) => one.description),
                ...operands.map((one) => one.description),
            ]).toEqual(expect.not.arrayContaining([""]));
            expect(summary).toMatch(/^[A-Z].*\.$/);
            expect(examples.length + actions.length).toBeGreaterThan(0);
        }
    });

    test.each(COMMANDS)("$name takes its own examples", async (command) => {
        const ran: string[][] = [];
        const run = (_options: object, operands: string[]) => Promise.resolve(ran.push(operands));
        const actions = command.actions?.map((action) => ({ ...action, run }));
        const parts = [command, ...(command.actions ?? []).map((action) => action)];
        const typed = parts.flatMap((part) =>
            part.examples.map(([args]) =>
                (part === command ? args : `${part.name} ${args}`).split(" ").filter(Boolean),
            ),
        );
        for (const args of typed) {
            await runCommand({ ...command, run, actions }, args, {});
        }
        expect(ran).toHaveLength(typed.length);
    });
});

describe("--help", () => {
    test.each(OF_USERS)("of %s: usage, options, an example", (name) => {
        const file = join(PROJECT, fileOf(name) ?? "");
        const text = execFileSync(process.execPath, ["--import", "tsx", file, "--help"], {
            cwd: PROJECT,
            encoding: "utf8",
        });
        expect(text).toContain(`Usage: npm run ${name} -- `);
        expect(text).toContain("-h, --help");
        expect(text).toMatch(/\n(Examples|Commands):\n/);
    });

    test("of an action", async () => {
        const text = await printed(() => runCommand(hosts, ["join", "--help"], {}));
        expect(text).toContain("Usage: npm run hosts -- join [options]");
        expect(text).toContain("npm run hosts -- join --stack prod");
    });
});

/** What a call prints on the standard output. */
async function printed(work: () => Promise<unknown>): Promise<string> {
    let text = "";
    const write = jest.spyOn(process.stdout, "write").mockImplementation((part) => {
        text += String(part);
        return true;
    });
    await work();
    write.mockRestore();
    return text;
}

describe("what isn't taken", () => {
    const refused: [string, CommandDefinition, string[], RegExp][] = [
        [
            "an unknown option",
            up,
            ["--stck", "prod"],
            /^unknown option '--stck'\n\(Did you mean --stack\?\)\nnpm run up -- --help shows/,
        ],
        ["an option without its value", up, ["--stack"], /^option '--stack <name>' argument missing/],
        ["another choice", up, ["--store", "ceph"], /argument 'ceph' is invalid\. Allowed choices are rustfs, minio\./],
        ["a word too many", up, ["prod"], /^too many arguments\. Expected 0 arguments but got 1/],
        ["an empty image", migrate, ["--back", "--image", ""], /argument '' is invalid\. It is empty/],
        ["no number", status, ["--free-percent", "few"], /argument 'few' is invalid\. Give a number from 0 on\./],
        ["too few hosts", playground, ["--hosts", "2"], /argument '2' is invalid\. Give a whole number from 3 to 6\./],
        ["two actions at once", playground, ["--down", "--kill", "a"], /cannot be used with/],
        ["no action", hosts, [], /^give one of join, status\n/],
        ["an unknown action", move, ["cpy"], /^unknown command 'cpy'\n\(Did you mean copy\?\)/],
        ["a missing option", move, ["copy", "--from", "a"], /^required option '--to <stack>' not specified/],
        [
            "a short time",
            move,
            ["switch", "--from", "a", "--to", "b", "--pause", "4"],
            /Give a whole number from 5 to 9999\./,
        ],
    ];

    test.each(refused)("%s", async (_, command, args, message) => {
        await expect(runCommand(command, args, {})).rejects.toThrow(message);
    });

    test("is no failure of the command: the exit code is 2, and there is no stack trace", () => {
        const args = ["--import", "tsx", join(PROJECT, "tools/commands/up.ts"), "--stck"];
        const { status: code, stderr } = spawnSync(process.execPath, args, { cwd: PROJECT, encoding: "utf8" });
        expect(code).toBe(2);
        expect(stderr).toBe(
            "\nerror: unknown option '--stck'\n(Did you mean --stack?)\nnpm run up -- --help shows what it takes\n",
        );
    });
});

describe("what another program takes", () => {
    const passed = async (args: string[]) => {
        let operands: string[] = [];
        const run = (_options: object, given: string[]) => Promise.resolve((operands = given).length);
        await runCommand({ ...pulumi, run }, args, {});
        return operands;
    };

    test.each([
        [["up", "--yes", "--help"]],
        [["--stack", "prod", "preview", "--help"]],
        [["plugin", "run", "x", "--", "--y"]],
    ])("%s passes as it is", async (args) => {
        expect(await passed(args)).toEqual(args);
    });
});

describe("options that npm has taken", () => {
    const taken = (command: CommandDefinition, args: string[], env: NodeJS.ProcessEnv) =>
        optionsTakenByNpm(command, args, { npm_lifecycle_event: command.name, ...env });

    test.each<[string, CommandDefinition, string[], NodeJS.ProcessEnv, string]>([
        ["npm run up --no-install", up, [], { npm_config_install: "" }, "npm run up -- --no-install"],
        ["npm run up --stack prod", up, ["prod"], { npm_config_stack: "true" }, "npm run up -- --stack prod"],
        ["npm run up --stack=prod", up, [], { npm_config_stack: "prod" }, "npm run up -- --stack prod"],
        ["npm run down --delete-data", down, [], { npm_config_delete_data: "true" }, "npm run down -- --delete-data"],
        ["npm run status --json", status, [], { npm_config_json: "true" }, "npm run status -- --json"],
        [
            "npm run pulumi config set key value --secret",
            pulumi,
            ["config", "set", "key", "value"],
            { npm_config_secret: "true" },
            "npm run pulumi -- ARGS --secret",
        ],
        [
            "npm run pulumi destroy --stack prod",
            pulumi,
            ["destroy", "prod"],
            { npm_config_stack: "true" },
            "npm run pulumi -- ARGS --stack NAME",
        ],
        [
            "npm run move copy --from a --to b",
            move,
            ["copy", "a", "b"],
            { npm_config_from: "true", npm_config_to: "true" },
            "npm run move -- copy --from STACK --to STACK",
        ],
    ])("%s: refused, with what to type", (_, command, args, env, typed) => {
        expect(taken(command, args, env)).toMatch(new RegExp(`Nothing was done\\. Type: ${typed}$`));
    });

    test.each<[string, CommandDefinition, string[], NodeJS.ProcessEnv]>([
        ["none", up, [], { npm_config_registry: "https://registry.example" }],
        ["npm's own option, set for npm alone", down, [], { npm_config_yes: "true" }],
        ["one that is given as well", status, ["--json"], { npm_config_json: "true" }],
        [
            "one of the script that started this one",
            up,
            [],
            { npm_config_stack: "prod", npm_lifecycle_event: "deploy" },
        ],
    ])("%s: nothing is refused", (_, command, args, env) => {
        expect(taken(command, args, env)).toBeUndefined();
    });

    test("npm itself leaves these variables", () => {
        const { status: code, stderr } = spawnSync("npm", ["run", "--silent", "up", "--no-install"], {
            cwd: PROJECT,
            encoding: "utf8",
        });
        expect(stderr).toContain(
            'npm has taken --no-install for itself, since options of this command come behind " -- "',
        );
        expect(code).toBe(2);
    });
});
