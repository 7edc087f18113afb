import { appendFileSync } from "node:fs";
import { join } from "node:path";

/** Levels of SERVICE_OBS_LOGGER_LEVEL, the most important first. */
export const LOG_LEVELS = ["error", "warn", "info", "debug", "trace"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** The log file: lines at the configured level or a more important one. */
export class Log {
    private readonly file: string;

    constructor(
        directory: string,
        private readonly level: LogLevel,
    ) {
        this.file = join(directory, "service.log");
    }

    write(level: LogLevel, message: string): void {
        if (LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(this.level)) {
            appendFileSync(this.file, `${new Date().toISOString()} ${level} ${message}\n`);
        }
    }
}
