import type { Deployed } from "./deployed";

/** Values of the variables with their own value, and the uses of the others. */
export async function valuesByUse(deployed: Deployed): Promise<{ [use: string]: string | string[] }> {
    const open = await deployed.variables();
    const own: { [use: string]: string } = {};
    const given: string[] = [];
    for (const [use, name] of Object.entries<string>({ ...deployed.variableNames })) {
        const value = open[name] ?? (await deployed.secret(name));
        if (value !== undefined && ["volumes", "address", "consoleAddress", "logDirectory"].includes(use)) {
            own[use] = value;
        } else if (value !== undefined) {
            given.push(use);
        }
    }
    return { ...own, given };
}

/** Paths that the engine's health check requests: S3's, the console's and the liveness path. */
export async function enginePaths(deployed: Deployed): Promise<{ s3: string; console: string; liveness: string }> {
    const script = (await deployed.node()).Config.Healthcheck?.Test?.at(-1) ?? "";
    const paths = (parameter: string) => {
        const urls = new RegExp(`^${parameter}='([^']*)'$`, "m").exec(script)?.[1] ?? "";
        return urls.split(" ").map((url) => url.replace(/^http:\/\/127\.0\.0\.1:\d+/, ""));
    };
    const [s3 = "", console = ""] = paths("_URLS");
    const [liveness = ""] = paths("_LIVENESS_URL");
    return { s3, console, liveness };
}

/** Paths that the proxy's health checks request: S3's, then the console's. */
export async function proxyPaths(deployed: Deployed): Promise<string[]> {
    const lines = await deployed.configured("http-check send meth GET uri ");
    return lines.map((line) => line.split(" ")[0] ?? "");
}
