/** Waits until all have ended, so that none is at work any more when one has failed. @throws the first failure. */
export async function allDone<T>(all: Promise<T>[]): Promise<T[]> {
    await Promise.allSettled(all);
    return Promise.all(all);
}
