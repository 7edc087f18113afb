/** Requests that are sent at once. */
const AT_ONCE = 16;

/** Calls a function for each number from 0 on, some at once. */
export async function inTurns(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
    let next = 0;
    await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
            while (next < count) {
                await act(next++);
            }
        }),
    );
}
