import * as pulumi from "@pulumi/pulumi";

/** The part of a gRPC client's channel that shows whether the server has gone. */
interface Channel {
    getConnectivityState(connect: boolean): number;
}

/** Values of gRPC's `connectivityState`: no connection can be made; the client was closed. */
const LOST = [3, 4];

/** Returns a function that says whether Pulumi has ended, for the program or component that calls this now. */
export function pulumiConnection(): () => boolean {
    const monitor = pulumi.runtime.getMonitor() as { getChannel?: () => Channel } | undefined;
    const channel = monitor?.getChannel?.();
    return () => channel !== undefined && LOST.includes(channel.getConnectivityState(true));
}
