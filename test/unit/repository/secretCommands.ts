import { argAt } from "./argAt";

/** Arguments that a command must not have, because `ps`, a shell's history and CI logs show them. */
const SHOWN: [string, RegExp][] = [
    [
        "curl with a key: give it by --config -",
        /\bcurl\b.*\s(?:--(?:proxy-)?user|--oauth2-bearer|-[a-zA-Z]*[uU])[ =]?["'$\w]/,
    ],
    ["a header with a key: give it by --config -", /\s(?:--header|-H)[ =]?["']?(?:Authorization|Cookie)\b/i],
    [
        "an option with a secret",
        /\s--(?:secret-key|secret-access-key|secret|password|passphrase|token)[ =](?!-)["']?[^\s"'|)]*\S/,
    ],
    ["mc with keys: give them on standard input", /\bmc (?:--\S+ )*(?:alias set|config host add)(?: \S+){4,}/],
    ["aws configure with a secret", /\baws configure set \S*(?:secret|token)\S* \S/],
    ["rclone with a secret", /\brclone .*(?:secret_access_key|pass)[= ]\S/],
    ["a container's variable with a secret", /\s(?:-e|--env)[ =]["']?\w*(?:SECRET|PASSWORD|ACCESS_KEY|TOKEN)\w*=/],
    ["a secret before a command", /(?:^|[\s;&])\w*(?:SECRET|PASSWORD|PASSPHRASE)\w*=(?!["']?\$)["']?[^\s"']\S*\s+\w/],
    ["a body with a secret: give it on standard input", /"(?:secretKey|password)" ?: ?"(?!%s")/],
];

/** Reasons why commands would show a secret. */
export function shownSecrets(commands: string): string[] {
    const lines = commands.replace(/\\\n/g, " ").split("\n");
    return lines.flatMap((line) => [
        ...SHOWN.flatMap(([reason, pattern]) =>
            pattern.test(line) && !isConfigSet(line) ? [`${reason}: ${line}`] : [],
        ),
        ...shownByConfigSet(line).map((reason) => `${reason}: ${line}`),
        ...(givesOutput(line) ? [`a secret output as an argument: ${line}`] : []),
    ]);
}

function isConfigSet(line: string): boolean {
    return /\bconfig set\b/.test(line);
}

/** `pulumi config set --secret KEY` reads the value from standard input, or prompts for it. */
function shownByConfigSet(line: string): string[] {
    return [...line.matchAll(/\bconfig set\b([^|;&#<`]*)/g)].flatMap(([, rest = ""]) => {
        const words = rest.trim().split(/\s+/);
        const [key = "", ...values] = words.filter((word) => !word.startsWith("--"));
        const path = key.replace(/^['"]|['"]$/g, "");
        if (argAt(path)?.secret === true && !words.includes("--secret")) {
            return ["a secret key without --secret"];
        }
        return words.includes("--secret") && values.length > 0 ? ["a secret as an argument"] : [];
    });
}

/** Whether a secret output is an argument of a program: no variable's value, and not given to `printf`, which is part of the shell. */
function givesOutput(line: string): boolean {
    return [...line.matchAll(/(?:\$\(|`)[^)`]*--show-secrets/g)].some(({ index }) => {
        const before = line.slice(0, index);
        return !/\b\w+=["']?$/.test(before) && !/(?:^|[|;&({]\s*|\s)printf\s[^|;&]*$/.test(before);
    });
}
