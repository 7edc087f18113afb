import type { HostEngine } from "../docker/hosts";
import type { HealingAnswers } from "../store/driveHealing";
import type { ServiceProfile } from "../store/serviceProfile";
import { failedAnswer, NodeRequests } from "./nodeRequests";

/** A node whose store may answer. */
export interface AskedNode {
    /** Id or name of its container. */
    container: string;
    engine: Pick<HostEngine, "run">;
}

/** The answers of one node to the requests of its profile about healing. */
export async function askAboutHealing(
    { container, engine }: AskedNode,
    profile: ServiceProfile,
): Promise<HealingAnswers> {
    const requests = new NodeRequests((command, seconds) => engine.run(container, command, [], seconds), profile);
    const asked = Object.entries(profile.healing ?? {}).map(async ([name, request]: [string, string]) => {
        const [method, path = ""] = request.split(" ");
        try {
            const [answer] = await (method === "POST" ? requests.post([path]) : requests.get([path]));
            const failure = answer === undefined ? "doesn't answer" : failedAnswer(answer);
            return [name, answer?.status === 200 ? answer.body : new Error(`${container} ${failure}`)] as const;
        } catch (error) {
            return [name, new Error(`${container}: ${(error as Error).message}`)] as const;
        }
    });
    return Object.fromEntries(await Promise.all(asked));
}
