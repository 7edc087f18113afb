import * as pulumi from "@pulumi/pulumi";

/** The part of Pulumi's SDK that sends debug messages to the engine. */
export interface DebugLog {
    debug: typeof pulumi.log.debug;
}

/**
 * Keeps Pulumi's SDK from sending its own debug messages, about four requests to the engine for each resource, which it sends
 * even if nobody reads them. With `DEBUG` in the environment they are sent; then `pulumi up --debug` shows them.
 */
export function omitDebugMessages(
    log: DebugLog = pulumi.log,
    environment: { [name: string]: string | undefined } = process.env,
): void {
    if (environment["DEBUG"] === undefined) {
        log.debug = () => Promise.resolve();
    }
}
