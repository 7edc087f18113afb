/** A number that is set: 0 and less mean that there is none. */
export function positive(value: number | undefined): number | undefined {
    return value === undefined || value <= 0 ? undefined : value;
}

/** A text or a list that is set: an empty one means that there is none. */
export function nonEmpty<Value extends string | string[]>(value: Value | null | undefined): Value | undefined {
    return value === undefined || value === null || value.length === 0 ? undefined : value;
}

/** The value without its undefined properties, which a store doesn't return. */
export function withoutUndefined<Value extends object>(value: Value): Value {
    return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Value;
}
