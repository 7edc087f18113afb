import type { Option } from "commander";

/** What is typed of a command, or of one of its actions. */
interface Typed {
    name: string;
    options?: Option[];
    /** Options of the program that gets the arguments, without which it would do something else. */
    passedOptions?: Option[];
}

/** Options of npm itself, which may be set for npm alone, in `.npmrc` or the environment. */
const NPMS_OWN = ["yes", "ca"];

/**
 * Why the arguments can't be those that the user meant: npm takes options that aren't behind ` -- ` for itself, and leaves a variable for each.
 * Undefined if it took none of the command's.
 */
export function optionsTakenByNpm(
    { name, options = [], passedOptions = [], actions = [] }: Typed & { actions?: Typed[] },
    args: string[],
    env: NodeJS.ProcessEnv,
): string | undefined {
    // Another script that this one was started from may have options of the same names.
    if (env["npm_lifecycle_event"] !== name) {
        return undefined;
    }
    const known = [...options, ...passedOptions, ...actions.flatMap((action) => action.options ?? [])];
    const taken = known.filter((option) => isTaken(option, args, env));
    const named = taken.map((option) => option.long);
    if (taken.length === 0) {
        return undefined;
    }
    // npm leaves the value of `--stack prod` among the arguments, without its option.
    const [option] = taken;
    const isOnlyWord = passedOptions.length === 0 && taken.length === 1 && args.length === 1;
    const words = isOnlyWord && option?.required === true ? args : undefined;
    const typed = taken
        .filter((one, index) => named.indexOf(one.long) === index)
        .map((one) => asTyped(one, env, words));
    // What another program gets may be secret, and isn't repeated.
    const others =
        passedOptions.length > 0 ? ["ARGS"] : args.filter((arg) => actions.some((action) => action.name === arg));
    const operands = words === undefined ? others : [];
    return (
        `npm has taken ${[...new Set(named)].join(", ")} for itself, since options of this command come behind " -- ". ` +
        `Nothing was done. Type: npm run ${name} -- ${[...operands, ...typed].join(" ")}`
    );
}

function isTaken(option: Option, args: string[], env: NodeJS.ProcessEnv): boolean {
    const value = env[variableOf(option)];
    const isGiven = args.some((arg) => arg === option.long || arg.startsWith(`${option.long}=`));
    return !isGiven && !NPMS_OWN.includes(option.name()) && (option.negate ? value === "" : (value ?? "") !== "");
}

/** npm's variable: `npm_config_delete_data` for `--delete-data`, `npm_config_install` (empty) for `--no-install`. */
function variableOf(option: Option): string {
    return `npm_config_${option.name().replace(/^no-/, "").replaceAll("-", "_")}`;
}

function asTyped(option: Option, env: NodeJS.ProcessEnv, words: string[] | undefined): string {
    if (!option.required) {
        return option.long ?? option.flags;
    }
    const value = env[variableOf(option)] ?? "";
    const placeholder = /<.*>/.exec(option.flags)?.[0].slice(1, -1).toUpperCase();
    return `${option.long} ${words?.[0] ?? (/^(true\n*)+$/.test(value) ? placeholder : value)}`;
}
