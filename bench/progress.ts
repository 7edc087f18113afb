import { say } from "../tools/cli/step";
import { measurementsOf, type PartResult } from "./measurement";

/** The order of the subjects in a round: each one is the first equally often. */
export function turns<Subject>(subjects: Subject[], round: number): Subject[] {
    const first = (round - 1) % subjects.length;
    return [...subjects.slice(first), ...subjects.slice(0, first)];
}

/**
 * Measures every subject at every point in every round. Each round of a point runs without interruption. Prints the
 * progress. A failure is noted in the result, and the measurements continue.
 */
export async function alternate<Point extends { name: string }, Subject extends { name: string }>(
    { points, subjects, rounds, result }: { points: Point[]; subjects: Subject[]; rounds: number; result: PartResult },
    measure: (point: Point, subject: Subject, round: number) => Promise<{ [metric: string]: number }>,
): Promise<void> {
    for (const [index, point] of points.entries()) {
        for (let round = 1; round <= rounds; round++) {
            say(`${index + 1} of ${points.length}, round ${round} of ${rounds}: ${point.name}`);
            for (const subject of turns(subjects, round)) {
                const of = { point: point.name, subject: subject.name, round };
                try {
                    result.measurements.push(...measurementsOf(of, await measure(point, subject, round)));
                } catch (error) {
                    const [reason = ""] = String(error).split("\n");
                    result.notes.push(`Failed: ${of.point}, ${of.subject}, round ${round}: ${reason}`);
                    say(`${of.subject} failed: ${String(error)}`);
                }
            }
        }
    }
}
