import { type Argument, Command, CommanderError, type Option } from "commander";
import { optionsTakenByNpm } from "./npmOptions";
import { main, UsageError } from "./step";

/** One use of a command: what is typed after `npm run NAME -- `, and what that does. */
export type Example = readonly [args: string, effect: string];

/** What a command, or one action of it, takes and does. */
export interface CommandPart {
    /** Of a command: its script in package.json. Of an action: the word that is typed. */
    name: string;
    /** What it does, in one sentence. */
    summary: string;
    /** What else its users have to know. */
    details?: string;
    arguments?: Argument[];
    options?: Option[];
    examples: Example[];
    /**
     * Does it.
     *
     * @param options Values by the options' names: `deleteData` for `--delete-data`, `install` (false) for `--no-install`.
     * @param operands The arguments that aren't options.
     * @returns The exit code.
     */
    run?(options: object, operands: string[]): Promise<number>;
}

/** A command, from which its parser, its help, and its place in the documents are made. */
export interface CommandDefinition extends CommandPart {
    /** Actions, one of which has to be named. Default: none; the command is one action itself. */
    actions?: CommandPart[];
    /** Whether the first argument and all that follow belong to another program. */
    passesThrough?: boolean;
    /** Options of that program that npm must not take. Default: none is known. */
    passedOptions?: Option[];
    /** Exit code of a failure. Default: 1. */
    failureCode?: number;
}

/** Runs the command with the arguments of this process, if its file was started and not imported. */
export function startIfMain(file: NodeJS.Module, definition: CommandDefinition): void {
    if (require.main === file) {
        void main(() => runCommand(definition, process.argv.slice(2), process.env), definition.failureCode);
    }
}

/**
 * Parses the arguments, and does what they say.
 *
 * @returns The exit code.
 * @throws {UsageError} if they aren't the command's own, or if npm has taken some of them.
 */
export async function runCommand(
    definition: CommandDefinition,
    args: string[],
    env: NodeJS.ProcessEnv,
): Promise<number> {
    const taken = optionsTakenByNpm(definition, args, env);
    if (taken !== undefined) {
        throw new UsageError(taken);
    }
    let code = 0;
    const command = commandOf(definition, async (part, options, operands) => {
        code = (await part.run?.(options, operands)) ?? 0;
    });
    try {
        await command.parseAsync(shielded(definition, args), { from: "user" });
        return code;
    } catch (error) {
        if (!(error instanceof CommanderError)) {
            throw error;
        }
        if (error.exitCode === 0) {
            return 0;
        }
        const actions = (definition.actions ?? []).map(({ name }) => name);
        const reason =
            error.code === "commander.help"
                ? `give one of ${actions.join(", ")}`
                : error.message.replace(/^error: /, "");
        throw new UsageError(`${reason}\n${command.name()} --help shows what it takes`);
    }
}

/** The help of a command and of each of its actions, as `--help` prints it. */
export function helpTexts(definition: CommandDefinition, columns: number): string[] {
    const program = commandOf(definition, () => Promise.resolve());
    return [program, ...program.commands].map((command) => {
        let text = "";
        command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => columns });
        command.outputHelp();
        return text.trimEnd();
    });
}

type Run = (part: CommandPart, options: object, operands: string[]) => Promise<void>;

function commandOf(definition: CommandDefinition, run: Run): Command {
    const { name, actions = [], passesThrough = false } = definition;
    const program = new Command(`npm run ${name} --`).exitOverride().configureOutput({ writeErr: () => undefined });
    program.helpCommand(false);
    describe(program, definition, `npm run ${name} -- `);
    for (const action of actions) {
        const command = describe(program.command(action.name), action, `npm run ${name} -- ${action.name} `);
        command.action(() => run(action, command.opts(), command.args));
    }
    if (passesThrough) {
        program.passThroughOptions().allowUnknownOption();
    }
    return actions.length > 0 ? program : program.action(() => run(definition, program.opts(), program.args));
}

function describe(command: Command, part: CommandPart, typed: string): Command {
    const { summary, details, options = [], examples } = part;
    command.summary(summary).description([summary, ...(details === undefined ? [] : ["", details])].join("\n"));
    command.helpOption("-h, --help", "Shows this.");
    (part.arguments ?? []).forEach((argument) => command.addArgument(argument));
    options.forEach((option) => command.addOption(option));
    const lines = examples.map(([args, effect]) => `  ${`${typed}${args}`.replace(/( --)? *$/, "")}\n      ${effect}`);
    return lines.length === 0 ? command : command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

/** The arguments, so that a command without options of its own passes all of them on, except when it is asked for help. */
function shielded({ passesThrough = false, options = [] }: CommandDefinition, args: string[]): string[] {
    return passesThrough && options.length === 0 && !["-h", "--help"].includes(args[0] ?? "") ? ["--", ...args] : args;
}
