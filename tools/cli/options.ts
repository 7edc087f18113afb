import { InvalidArgumentError, Option } from "commander";

/** The stack that a command is for. */
export function stackOption(otherwise: string): Option {
    return new Option("--stack <name>", `The stack. Without it: ${otherwise}.`);
}

/** The option that keeps a command from installing anything. */
export function noInstallOption(): Option {
    return new Option("--no-install", "Lists the commands that would install what is missing, and stops.");
}

/** An option that may be given several times. Its values are a list; undefined without any. */
export function repeatable(option: Option): Option {
    return option.argParser((value, former: string[] | undefined) => [...(former ?? []), value]);
}

/** An option whose value isn't empty, as that of a variable that isn't set. */
export function notEmpty(option: Option): Option {
    return option.argParser((text) => {
        if (text === "") {
            throw new InvalidArgumentError("It is empty: is a variable not set?");
        }
        return text;
    });
}

/** An option with a whole number. */
export function wholeNumber(option: Option, least: number, most: number): Option {
    return option.argParser((text) => {
        const value = Number(text);
        if (!/^[0-9]+$/.test(text) || value < least || value > most) {
            throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
        }
        return value;
    });
}

/** An option with a number that isn't negative. */
export function positiveNumber(option: Option): Option {
    return option.argParser((text) => {
        if (!/^[0-9]+(\.[0-9]+)?$/.test(text)) {
            throw new InvalidArgumentError("Give a number from 0 on.");
        }
        return Number(text);
    });
}
