import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { main, say } from "../tools/cli/step";
import type { PartResult } from "./measurement";
import { RESULTS, writeResults, type ResultContext } from "./results";

// npm run bench:render: writes the tables and plots of all result files again, from their figures.
void main(async () => {
    for (const file of readdirSync(RESULTS).filter((name) => name.endsWith(".json"))) {
        const { command, date, machine, ...result } = JSON.parse(
            readFileSync(join(RESULTS, file), "utf8"),
        ) as PartResult & ResultContext;
        say(await writeResults(file.replace(/\.json$/, ""), result, { command, date, machine }));
    }
    return 0;
});
