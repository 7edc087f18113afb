/** Marks of special values (Pulumi's wire format, "Property values"). */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** A value with a mark. */
interface Marked {
    [SIGNATURE]: string;
    value?: unknown;
    /** Of an output: whether it is secret. */
    secret?: boolean;
}

/** A value without marks of secrets and outputs. What isn't known yet stays marked. */
export function plain(value: unknown): unknown {
    if (Array.isArray(value)) {
        return value.map(plain);
    }
    if (typeof value !== "object" || value === null) {
        return value;
    }
    if (SIGNATURE in value) {
        const { value: inner } = value as Marked;
        return inner === undefined ? UNKNOWN : plain(inner);
    }
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

/** Whether a value, or part of it, isn't known yet. */
export function holdsUnknown(value: unknown): boolean {
    if (typeof value === "object" && value !== null) {
        return Object.values(value).some(holdsUnknown);
    }
    return value === UNKNOWN;
}

/** Names of the properties that are secret, or of which a part is. */
export function secretNames(properties: unknown): string[] {
    return Object.entries(properties ?? {})
        .filter(([, value]) => holdsSecret(value))
        .map(([name]) => name);
}

function holdsSecret(value: unknown): boolean {
    if (typeof value !== "object" || value === null) {
        return false;
    }
    const { [SIGNATURE]: signature, secret: isSecret } = value as Partial<Marked>;
    return (
        signature === SECRET || (signature === OUTPUT && isSecret === true) || Object.values(value).some(holdsSecret)
    );
}

/** A value that is secret in state. What isn't known yet can't be marked. */
export function secret(value: unknown): unknown {
    return value === UNKNOWN ? value : { [SIGNATURE]: SECRET, value };
}
