/** Time between a container's stop signal and its kill, in seconds: longer than the 10 s that RustFS drains for. */
export const STOP_SECONDS = 30;

/** Settings of every container of the components. */
export interface ContainerBasics {
    logDriver: string;
    logOpts: { [name: string]: string };
    securityOpts: string[];
    stopTimeout: number;
    destroyGraceSeconds: number;
}

/** Log size limits, no new privileges, time to stop. Each container sets its own capabilities and gives the reasons. */
export const containerBasics: ContainerBasics = {
    logDriver: "json-file",
    logOpts: { "max-size": "10m", "max-file": "3" },
    securityOpts: ["no-new-privileges:true"],
    stopTimeout: STOP_SECONDS,
    destroyGraceSeconds: STOP_SECONDS,
};

/**
 * Inputs to which a daemon adds its own settings (`log-opts` and `default-ulimits` in daemon.json). A refresh would report
 * these as changes. For `ignoreChanges`; a change by this library changes the digest of all inputs, and so still replaces
 * the container.
 */
export const DAEMON_SETTINGS = ["logOpts", "ulimits"];

/** Limit of open files of a container, used if none is configured. The engine refuses a limit above its own. */
export const DEFAULT_OPEN_FILES = 20000;

/** The limit of open files in the Docker provider's format. */
export function openFilesLimit(openFiles = DEFAULT_OPEN_FILES): { name: string; soft: number; hard: number }[] {
    return [{ name: "nofile", soft: openFiles, hard: openFiles }];
}
