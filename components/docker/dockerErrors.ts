/**
 * @throws every error except the engine's answers that it has no such image, or that the name is not valid for an image:
 * the pull reports these.
 */
export function throwUnlessNoImage(error: unknown): void {
    if ((error as { statusCode?: number }).statusCode !== 400) {
        throwUnlessMissing(error);
    }
}

/** @throws every error except the engine's answer that the object doesn't exist. */
export function throwUnlessMissing(error: unknown): void {
    if ((error as { statusCode?: number }).statusCode !== 404) {
        throw error;
    }
}
