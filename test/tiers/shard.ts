import { InvalidArgumentError, type Option } from "commander";

/** One of several parts of a list, counted from 1. */
export interface Shard {
    index: number;
    count: number;
}

/** An option that names a shard: `2/5` is the second of five. */
export function shardOption(option: Option): Option {
    return option.argParser((text): Shard => {
        const [, index, count] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
        if (index === undefined || count === undefined || index < 1 || index > count) {
            throw new InvalidArgumentError("Give a part and how many there are, such as 2/5.");
        }
        return { index, count };
    });
}

/** The items of a shard: every item is in one of them. Items that are neighbours are in different ones. */
export function shardOf<Item>(items: readonly Item[], { index, count }: Shard): Item[] {
    return items.filter((_, place) => place % count === index - 1);
}
