/** @throws every error but the engine's answer that it has no such image, or that no image is called so: a pull says why. */
export function throwUnlessNoImage(error: unknown): void {
    if ((error as { statusCode?: number }).statusCode !== 400) {
        throwUnlessMissing(error);
    }
}

/** @throws every error but the engine's answer that there is no such thing. */
export function throwUnlessMissing(error: unknown): void {
    if ((error as { statusCode?: number }).statusCode !== 404) {
        throw error;
    }
}
