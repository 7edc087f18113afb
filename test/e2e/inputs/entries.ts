import type { AllowableChange } from "../../../components";
import type { Deployed } from "./deployed";
import { withCluster, type Input, type InputsOf, type Round, type ServingContainer, type Wish } from "./input";

/** An input of a table, with what it does to a wish. */
interface Entry {
    /** As a message would call it: `cluster.memory`. */
    name: string;
    /** The wish with the changed value. */
    change: (wish: Wish) => Wish;
}

interface ShownValue extends Entry {
    /** The wish for the creation. */
    begin: (wish: Wish) => Wish;
    shown: (deployed: Deployed) => Promise<unknown>;
    expectedAtFirst: (deployed: Deployed) => unknown;
}

/** An input that can be changed. */
export interface ShownEntry extends ShownValue {
    round: Round;
    replaces: ServingContainer[];
    expectedAfterChange: (deployed: Deployed) => unknown;
}

/** An input that is fixed for life. */
export interface FixedEntry extends ShownValue {
    refusal: string;
}

/** Every input of some tables, by what becomes of a change. */
export interface Entries {
    shown: ShownEntry[];
    fixed: FixedEntry[];
    hidden: Entry[];
}

/** How a property's value is put into a wish. */
type Give<Args> = <Property extends keyof Args>(wish: Wish, property: Property, value: Args[Property]) => Wish;

/** The inputs of a table under the name of what has them. */
export function entriesOf<Args>(owner: string, table: InputsOf<Args>, give: Give<Args>): Entries {
    const entries: Entries = { shown: [], fixed: [], hidden: [] };
    for (const [property, input] of Object.entries(table) as [keyof Args & string, Input<Args[keyof Args]>][]) {
        addEntry(entries, `${owner}.${property}`, input, (wish, value) => give(wish, property, value));
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

/** A wish with several changes, one after the other. */
export function changedBy(wish: Wish, entries: Entry[]): Wish {
    return entries.reduce((former, entry) => entry.change(former), wish);
}

function addEntry<Value>(
    entries: Entries,
    name: string,
    input: Input<Value>,
    give: (wish: Wish, value: Value) => Wish,
): void {
    if ("divided" in input) {
        return;
    }
    const { changed, besides = (wish: Wish) => wish } =
        "shown" in input ? input.shown : "fixed" in input ? input.fixed : input.hidden;
    const change = (wish: Wish) => give(besides(wish), changed());
    if ("hidden" in input) {
        entries.hidden.push({ name, change });
        return;
    }
    const { first, shown, expected } = "shown" in input ? input.shown : input.fixed;
    const value = {
        name,
        begin: (wish: Wish) => give(wish, first()),
        shown,
        expectedAtFirst: (deployed: Deployed) => expected(first(), deployed),
    };
    if ("fixed" in input) {
        entries.fixed.push({ ...value, change, refusal: input.fixed.refusal });
    } else {
        const { replaces, round, allows } = input.shown;
        entries.shown.push({
            ...value,
            change: (wish) => allow(change(wish), allows),
            expectedAfterChange: (deployed) => expected(changed(), deployed),
            replaces,
            round,
        });
    }
}

function allow(wish: Wish, change: AllowableChange | undefined): Wish {
    const { allowedChanges = [] } = wish.cluster;
    return change === undefined ? wish : withCluster(wish, { allowedChanges: [...allowedChanges, change] });
}
