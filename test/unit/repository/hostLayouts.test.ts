import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lossOfHosts, placeOnHosts, worstLoss, type HostLoss } from "../../../components/store/hostPlacement";
import { PROJECT } from "../../../tools/paths";

const ROWS = readFileSync(join(PROJECT, "docs/explanation/availability.md"), "utf8")
    .split("\n")
    .filter((line) => /^\| \d+ +\| \d/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .map(([, ...cells]) => ({ numbers: cells.slice(0, 5).map(Number), outcome: cells[5] ?? "" }));

function outcomeOf({ reads, writes, margin }: HostLoss): string {
    const further = margin === 0 ? "" : `, ${margin} more drive${margin === 1 ? "" : "s"} may fail`;
    return writes ? `reads and writes${further}` : reads ? "reads" : "neither reads nor writes";
}

test("docs/explanation/availability.md has rows", () => {
    expect(ROWS.length).toBeGreaterThan(5);
});

test.each(ROWS)("docs/explanation/availability.md says what the program computes: $numbers", ({ numbers, outcome }) => {
    const [hosts = 0, nodeCount = 0, drivesPerNode = 0, setSize, parity] = numbers;
    const names = Array.from({ length: hosts }, (_, index) => String(index + 1));
    const worst = worstLoss(lossOfHosts([{ nodeCount, drivesPerNode }], placeOnHosts([nodeCount], names)));
    expect(worst).toMatchObject({ setSize, parity });
    expect(outcomeOf(worst as HostLoss)).toBe(outcome);
});
