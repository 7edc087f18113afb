import type { Server } from "node:http";
import { hostname } from "node:os";
import { readConfiguration, type Configuration } from "./configuration";
import { consoleRoutes } from "./consoleRoutes";
import { CONTROL_ADDRESS, createControl } from "./control";
import { formatDrives } from "./driveFormat";
import { fixtureRoutes } from "./fixtureRoutes";
import { HealthEndpoints } from "./health";
import { internalRoutes } from "./internalRoutes";
import { close, createListener, listen } from "./listener";
import { serveLiveConnections } from "./liveConnection";
import { Log, LOG_LEVELS } from "./log";
import { ObjectFiles } from "./objectFiles";
import { askPeers } from "./peers";
import { Recorder } from "./recorder";
import { replicaRoute, replicateTo } from "./replication";
import { s3Routes } from "./s3";
import { signInRoutes } from "./signIn";

/** Seconds that running requests have after the stop signal. */
const DRAIN_SECONDS = 25;

/**
 * Starts the listeners that the environment configures. As in RustFS, S3 and the internal paths are on both listeners.
 */
async function start(configuration: Configuration): Promise<void> {
    const log = new Log(configuration.logDirectory, configuration.logLevel);
    LOG_LEVELS.forEach((level) => log.write(level, `a line at the level ${level}`));
    formatDrives(configuration.localDrives);
    const recorder = new Recorder();
    const { drives, peerTimeout } = configuration;
    const hasQuorum =
        peerTimeout === undefined ? () => Promise.resolve(true) : askPeers(drives, hostname(), peerTimeout);
    const health = new HealthEndpoints(recorder, hasQuorum);
    const files = new ObjectFiles(configuration.localDrives[0] ?? "");
    const s3 = s3Routes(files, configuration, replicateTo(drives, hostname()));
    const replica = replicaRoute(files);

    const s3Routing = [health.route("s3"), fixtureRoutes, replica, internalRoutes, s3];
    const s3Listener = createListener("s3", s3Routing, recorder, log);
    const servers = [s3Listener];
    await listen(s3Listener, configuration.s3Address);
    if (configuration.consoleAddress !== undefined) {
        const signIn = signInRoutes(configuration.identityProvider);
        const consoleRouting = [health.route("console"), consoleRoutes, signIn, fixtureRoutes, internalRoutes, s3];
        const consoleListener = createListener("console", consoleRouting, recorder, log);
        const live = serveLiveConnections(consoleListener, recorder);
        process.once("SIGTERM", () => live.clients.forEach((connection) => connection.close(1001)));
        servers.push(consoleListener);
        await listen(consoleListener, configuration.consoleAddress);
    }
    await listen(createControl(health, recorder), CONTROL_ADDRESS);
    process.once("SIGTERM", () => void stop(servers, log));
}

/** Exits with 0 once running requests have their responses, or at the time limit. */
async function stop(servers: Server[], log: Log): Promise<void> {
    log.write("info", "stopping");
    setTimeout(() => process.exit(0), DRAIN_SECONDS * 1000).unref();
    await Promise.all(servers.map(close));
    process.exit(0);
}

async function main(): Promise<void> {
    await start(readConfiguration(process.env, hostname()));
}

main().catch((error: unknown) => {
    console.error(`the service can't start: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
});
