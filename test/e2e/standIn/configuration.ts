import { accessSync, constants } from "node:fs";
import { LOG_LEVELS, type LogLevel } from "./log";
import { parseVolumes, type Drive } from "./volumes";

/** Address to which a listener binds. */
export interface BindAddress {
    host: string;
    port: number;
}

/** Client of an identity provider. */
export interface IdentityProvider {
    /** Its issuer, or the URL of its discovery document. */
    configurationUrl: URL;
    clientId: string;
    clientSecret: string;
    /** Public URL of the console. */
    consoleUrl: string;
}

/** All settings from the environment (service contract, section 1). */
export interface Configuration {
    accessKey: string;
    secretKey: string;
    s3Address: BindAddress;
    /** Undefined if the console is off. */
    consoleAddress?: BindAddress;
    logLevel: LogLevel;
    logDirectory: string;
    /** Every drive of the cluster. */
    drives: Drive[];
    /** Paths of this node's own drives. */
    localDrives: string[];
    identityProvider?: IdentityProvider;
    /** Seconds that readiness waits for each peer. If it is undefined, readiness queries no peer. */
    peerTimeout?: number;
}

/**
 * Reads the SERVICE_ variables.
 *
 * @throws {Error} with the variable's name, if one is missing or invalid.
 */
export function readConfiguration(environment: NodeJS.ProcessEnv, hostname: string): Configuration {
    const optional = (name: string): string | undefined => {
        const value = environment[name];
        return value === "" ? undefined : value;
    };
    const required = (name: string): string => {
        const value = optional(name);
        if (value === undefined) {
            throw new Error(`${name} is missing`);
        }
        return value;
    };
    const parsed = <Value>(name: string, parse: (text: string) => Value): Value => {
        const text = required(name);
        try {
            return parse(text);
        } catch (error) {
            const reason = error instanceof Error ? error.message : String(error);
            throw new Error(`${name} is wrong: ${reason}`, { cause: error });
        }
    };
    const drives = parsed("SERVICE_VOLUMES", parseVolumes);
    return {
        accessKey: parsed("SERVICE_ACCESS_KEY", (text) => atLeast(3, text)),
        secretKey: parsed("SERVICE_SECRET_KEY", (text) => atLeast(8, text)),
        s3Address: parsed("SERVICE_ADDRESS", parseAddress),
        consoleAddress:
            environment["SERVICE_CONSOLE_ENABLE"] === "true"
                ? parsed("SERVICE_CONSOLE_ADDRESS", parseAddress)
                : undefined,
        logLevel: parsed("SERVICE_OBS_LOGGER_LEVEL", parseLogLevel),
        logDirectory: parsed("SERVICE_OBS_LOG_DIRECTORY", writableFolder),
        drives,
        localDrives: parsed("SERVICE_VOLUMES", () =>
            drivesOf(hostname, drives).map(({ path }) => writableFolder(path)),
        ),
        identityProvider:
            optional("SERVICE_IDENTITY_OPENID_CONFIG_URL") === undefined
                ? undefined
                : {
                      configurationUrl: parsed("SERVICE_IDENTITY_OPENID_CONFIG_URL", (text) => new URL(text)),
                      clientId: required("SERVICE_IDENTITY_OPENID_CLIENT_ID"),
                      clientSecret: required("SERVICE_IDENTITY_OPENID_CLIENT_SECRET"),
                      consoleUrl: parsed("SERVICE_BROWSER_REDIRECT_URL", (text) => new URL(text).origin),
                  },
        peerTimeout:
            optional("SERVICE_HEALTH_PEER_TIMEOUT_SECS") === undefined
                ? undefined
                : parsed("SERVICE_HEALTH_PEER_TIMEOUT_SECS", parseSeconds),
    };
}

/** The message never contains the value, which is a secret. */
function atLeast(length: number, text: string): string {
    if (text.length < length) {
        throw new Error(`it has fewer than ${length} characters`);
    }
    return text;
}

function parseAddress(text: string): BindAddress {
    const [, host = "", port] = /^([^:]*):(\d{1,5})$/.exec(text) ?? [];
    if (port === undefined) {
        throw new Error(`"${text}" is not host:port`);
    }
    return { host: host === "" ? "0.0.0.0" : host, port: Number(port) };
}

function parseSeconds(text: string): number {
    if (!/^[1-9]\d*$/.test(text)) {
        throw new Error(`"${text}" is no count of seconds`);
    }
    return Number(text);
}

function parseLogLevel(text: string): LogLevel {
    const level = LOG_LEVELS.find((known) => known === text);
    if (level === undefined) {
        throw new Error(`"${text}" is none of ${LOG_LEVELS.join(", ")}`);
    }
    return level;
}

function drivesOf(hostname: string, drives: Drive[]): Drive[] {
    const own = drives.filter(({ host }) => host === undefined || host === hostname);
    if (own.length === 0) {
        throw new Error(`it names no drive of this node, ${hostname}`);
    }
    return own;
}

function writableFolder(path: string): string {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return path;
}
