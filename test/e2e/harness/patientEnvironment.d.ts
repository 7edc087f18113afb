import type { TestEnvironment } from "jest-environment-node";

declare class PatientEnvironment extends TestEnvironment {
    handleTestEvent(
        this: { extended: WeakSet<object> },
        event: { name: string; hook?: { timeout?: number }; test?: { timeout?: number } },
        state: { testTimeout: number },
    ): void;
}

export = PatientEnvironment;
