import type { Clock } from "../../../components/docker/poll";

/** Simulated time that advances as soon as nothing else is to do: minutes take milliseconds, in the right order. */
export class VirtualClock implements Clock {
    private time = 0;
    private readonly sleepers: { until: number; wake: () => void }[] = [];
    private pumping = false;

    now(): number {
        return this.time;
    }

    sleep(milliseconds: number): Promise<void> {
        return new Promise((wake) => {
            this.sleepers.push({ until: this.time + milliseconds, wake });
            this.sleepers.sort((one, other) => one.until - other.until);
            this.pump();
        });
    }

    /** Runs an action at a time, in seconds. */
    at(seconds: number, action: () => void): void {
        void this.sleep(seconds * 1000 - this.time).then(action);
    }

    private pump(): void {
        if (this.pumping) {
            return;
        }
        this.pumping = true;
        // Work that only waits for promises comes first.
        setImmediate(() => {
            this.pumping = false;
            const next = this.sleepers.shift();
            if (next !== undefined) {
                this.time = Math.max(this.time, next.until);
                next.wake();
                this.pump();
            }
        });
    }
}
