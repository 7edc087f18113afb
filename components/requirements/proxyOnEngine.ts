import type { DockerEngine } from "../docker/engine";
import type { ListedContainer } from "../docker/model";
import { LABELS } from "../naming/labels";

/** The part of the engine that knows proxies. */
type ProxyEngine = Pick<DockerEngine, "containers">;

/** A container of a proxy on an engine. */
export async function proxyOf(engine: ProxyEngine, frontEndName: string): Promise<ListedContainer | undefined> {
    const containers = await engine.containers(LABELS.proxy, frontEndName);
    return containers.find(({ name }) => name === `${frontEndName}-proxy`);
}

/** Whether an engine certainly has no container of a proxy, so that nothing runs with its files. */
export async function hasNoProxy(connect: () => Promise<ProxyEngine>, frontEndName: string): Promise<boolean> {
    try {
        return (await proxyOf(await connect(), frontEndName)) === undefined;
    } catch {
        return false;
    }
}
