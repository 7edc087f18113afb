/** A stack's config. */
export interface StackConfig {
    /** A plain value; keys without a prefix have the project's. */
    (key: string): string | undefined;
    /** Whether a key has a secret value. */
    isSecret: (key: string) => boolean;
}
