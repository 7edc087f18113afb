import type { ProxyControl } from "../../../components/proxyControl/proxyServers";
import { VirtualClock } from "./virtualClock";

/** Faults of the virtual cluster. */
export interface Trouble {
    /** Node whose files can't be written. */
    writerFails?: string;
    /** Node whose container the engine refuses: Pulumi never reports the result. */
    creationFails?: string;
    /** Nodes that never become ready after their replacement. */
    staysDown?: string[];
    /** Nodes that aren't ready at the start. */
    isDown?: string[];
    /** Those of them whose container doesn't run. */
    crashed?: string[];
    /** Node with a request that never ends. */
    busy?: string;
    /** Nodes that an operator has drained. */
    drained?: string[];
    /** Whether an old worker still runs after a reload, which an operator's drain didn't reach. */
    reloaded?: boolean;
    /** Whether a drained node gets reads while no other is in service. */
    readsGoOn?: boolean;
    /** Nodes that an operator has also taken out of the read backend. */
    readsDrained?: string[];
    /** Nodes that an interrupted update has left out of service. */
    leftOut?: string[];
    /** Nodes that an interrupted update has left out of the read backend. */
    readsLeftOut?: string[];
    /** Whether the proxies refuse the first `ready reads`. */
    readsFailOnce?: boolean;
    /** Time, in seconds, from which on the proxies don't obey any more. */
    proxiesFailAt?: number;
    /** Control of a proxy with other users too; its answers replace the cluster's own. */
    proxies?: ProxyControl;
    /** Clock shared with others. Default: its own. */
    clock?: VirtualClock;
    /** First three numbers of the nodes' addresses. Default: 10.0.0. */
    network?: string;
    /** Seconds by which the engine's clock is ahead of this machine's. */
    engineAhead?: number;
}
