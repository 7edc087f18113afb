import type { AllowableChange } from "../../../components";
import type { Deployed } from "./deployed";
import { withCluster, type Input, type InputsOf, type Round, type ServingContainer, type StackInputs } from "./input";

/** An input of a table, with its change to the args. */
interface Entry {
    /** Its name in messages: `cluster.memory`. */
    name: string;
    /** The args with the changed value. */
    change: (desired: StackInputs) => StackInputs;
}

interface ShownValue extends Entry {
    /** The args for the creation. */
    begin: (desired: StackInputs) => StackInputs;
    shown: (deployed: Deployed) => Promise<unknown>;
    expectedAtFirst: (deployed: Deployed) => unknown;
}

/** An input that can be changed. */
export interface ShownEntry extends ShownValue {
    round: Round;
    replaces: ServingContainer[];
    expectedAfterChange: (deployed: Deployed) => unknown;
}

/** An input that can't be changed after the creation. */
export interface FixedEntry extends ShownValue {
    refusal: string;
}

/** Every input of these tables, grouped by the effect of a change. */
export interface Entries {
    shown: ShownEntry[];
    fixed: FixedEntry[];
    hidden: Entry[];
}

/** Sets a property's value in the args. */
type Give<Args> = <Property extends keyof Args>(
    desired: StackInputs,
    property: Property,
    value: Args[Property],
) => StackInputs;

/** The inputs of a table, with the name of their component as prefix. */
export function entriesOf<Args>(owner: string, table: InputsOf<Args>, give: Give<Args>): Entries {
    const entries: Entries = { shown: [], fixed: [], hidden: [] };
    for (const [property, input] of Object.entries(table) as [keyof Args & string, Input<Args[keyof Args]>][]) {
        addEntry(entries, `${owner}.${property}`, input, (desired, value) => give(desired, property, value));
    }
    return entries;
}

export function joined(...parts: Entries[]): Entries {
    return {
        shown: parts.flatMap(({ shown }) => shown),
        fixed: parts.flatMap(({ fixed }) => fixed),
        hidden: parts.flatMap(({ hidden }) => hidden),
    };
}

/** The args after several changes, one after the other. */
export function changedBy(desired: StackInputs, entries: Entry[]): StackInputs {
    return entries.reduce((former, entry) => entry.change(former), desired);
}

function addEntry<Value>(
    entries: Entries,
    name: string,
    input: Input<Value>,
    give: (desired: StackInputs, value: Value) => StackInputs,
): void {
    if ("divided" in input) {
        return;
    }
    const { changed, besides = (desired: StackInputs) => desired } =
        "shown" in input ? input.shown : "fixed" in input ? input.fixed : input.hidden;
    const change = (desired: StackInputs) => give(besides(desired), changed());
    if ("hidden" in input) {
        entries.hidden.push({ name, change });
        return;
    }
    const { first, shown, expected } = "shown" in input ? input.shown : input.fixed;
    const value = {
        name,
        begin: (desired: StackInputs) => give(desired, first()),
        shown,
        expectedAtFirst: (deployed: Deployed) => expected(first(), deployed),
    };
    if ("fixed" in input) {
        entries.fixed.push({ ...value, change, refusal: input.fixed.refusal });
    } else {
        const { replaces, round, allows } = input.shown;
        entries.shown.push({
            ...value,
            change: (desired) => allow(change(desired), allows),
            expectedAfterChange: (deployed) => expected(changed(), deployed),
            replaces,
            round,
        });
    }
}

function allow(desired: StackInputs, change: AllowableChange | undefined): StackInputs {
    const { allowedChanges = [] } = desired.cluster;
    return change === undefined ? desired : withCluster(desired, { allowedChanges: [...allowedChanges, change] });
}
