/** A stack's config. */
export interface StackConfig {
    /** A plain value. Keys without a prefix are the project's. */
    (key: string): string | undefined;
    /** Whether a key has a secret value. */
    isSecret: (key: string) => boolean;
}
