import type { PublicSide } from "./publicSide";
import { serviceProfile } from "../../../components/store/profiles/contract";

export const { admin, consoleAdmin, internal } = serviceProfile.restrictedPaths;

/** Paths below those that a profile lists. The stand-in answers them as its own. */
export const exampleOf = (path: string) => path.replace(/admin\/\*$/, "admin/v3/info").replace(/\*$/, "x");

export const CLOSED_ON_S3 = [...admin, ...internal].map(exampleOf);
export const CLOSED_ON_CONSOLE = [...admin.filter((path) => !consoleAdmin.includes(path)), ...internal].map(exampleOf);
export const OPEN_ON_CONSOLE = consoleAdmin.map(exampleOf);

/** Expects that the proxy itself answers each of these paths with a status. */
export const expectAll = async (
    side: PublicSide,
    expected: number,
    paths: string[],
    ask: (path: string) => Promise<{ status?: number; body: string }>,
) => {
    await side.node.clearRequests();
    const answers: { [path: string]: number | undefined } = {};
    for (const path of paths) {
        answers[path] = (await ask(path)).status;
    }
    expect(answers).toEqual(Object.fromEntries(paths.map((path) => [path, expected])));
    const urls = (await side.node.requests()).map(({ url }) => url);
    const checks = [serviceProfile.s3HealthPath, serviceProfile.consoleHealthPath, serviceProfile.livenessPath];
    expect(urls.filter((url) => !checks.includes(url))).toEqual([]);
};
