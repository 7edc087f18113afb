import type { OneShotContainers } from "../docker/oneShotContainers";
import type { Problem } from "../checks/problem";
import { DEFAULT_LEGO_IMAGE, type AcmeSettings } from "./acmeSettings";
import { PROVIDERS_PAGE } from "./dnsChallenge";

/** The part of an engine that the test needs. */
export interface ProviderEngine {
    readonly oneShots: Pick<OneShotContainers, "try">;
}

/**
 * Tests in an update, before anything is changed, whether the client in an image has a DNS provider: other releases of lego
 * have others, and Debian's build of the same release lacks a quarter of them. For the default image, the table is enough.
 *
 * @param image Id of the client's image.
 * @param owner Proxy that the client belongs to.
 */
export async function missingProvider(
    { dns, image: name }: Pick<AcmeSettings, "dns" | "image">,
    { image, owner }: { image: string; owner: string },
    engine: ProviderEngine,
): Promise<Problem[]> {
    if (dns === undefined || name === DEFAULT_LEGO_IMAGE) {
        return [];
    }
    const refusal = await engine.oneShots.try(owner, {
        Image: image,
        User: "65534:65534",
        Entrypoint: ["lego"],
        Cmd: ["--path", "/tmp", "dnshelp", "--code", dns.provider],
        HostConfig: {
            NetworkMode: "none",
            ReadonlyRootfs: true,
            CapDrop: ["ALL"],
            SecurityOpt: ["no-new-privileges:true"],
        },
    });
    const reason = `"${dns.provider}" is not a DNS provider of the ACME client in the configured image (${refusal}): give another one of ${PROVIDERS_PAGE}, or another image`;
    return refusal === undefined ? [] : [{ propertyPath: "certificate.acme.dns.provider", reason }];
}
