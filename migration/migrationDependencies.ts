import type { RolloutDependencies } from "../components/rollout/dependencies";
import { ProcessInterruptions } from "../components/pulumi/interruption";
import { systemClock } from "../components/docker/poll";
import { ProxyServers } from "../components/proxyControl/proxyServers";
import { say, StepError } from "../tools/cli/step";
import type { FoundCluster } from "./foundCluster";

/** What a migration interacts with. */
export type MigrationDependencies = Omit<RolloutDependencies, "steps">;

/** Longest time for the way back after a signal, in milliseconds: the owner of every file is changed. */
const GRACE_MILLISECONDS = 600_000;

/** What a migration on real engines interacts with. */
export function migrationDependencies({ engines, networkName, nodes }: FoundCluster): MigrationDependencies {
    return {
        engine: engines,
        proxies: new ProxyServers(engines, networkName, { nodes: nodes.map(({ place }) => place) }),
        report: {
            progress: (text) => said(text),
            warning: (text) => said(`warning: ${text}`),
            error: (message) => new StepError(message),
        },
        interruptions: new ProcessInterruptions({
            process,
            isPulumiGone: () => false,
            interval: 1000,
            grace: GRACE_MILLISECONDS,
        }),
        clock: systemClock,
    };
}

function said(text: string): Promise<void> {
    say(text);
    return Promise.resolve();
}
