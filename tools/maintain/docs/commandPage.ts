import { helpTexts, type CommandDefinition } from "../../cli/command";

/** The page of all commands, relative to the project. */
export const COMMAND_PAGE = "docs/reference/commands.md";

const COLUMNS = 100;

/** What `--help` prints of each command and of its actions. */
export function commandHelp(commands: readonly CommandDefinition[]): string {
    return commands
        .map((command) => {
            const blocks = helpTexts(command, COLUMNS).map((text) => `\`\`\`text\n${text}\n\`\`\``);
            return `## npm run ${command.name}\n\n${blocks.join("\n\n")}`;
        })
        .join("\n\n");
}

/** A line for each command, with a link to its help on the same page. */
export function commandTable(commands: readonly CommandDefinition[]): string {
    const rows = commands.map(({ name, summary }) => `| [\`npm run ${name}\`](#npm-run-${name}) | ${summary} |`);
    return ["| command | what it does |", "| --- | --- |", ...rows].join("\n");
}
