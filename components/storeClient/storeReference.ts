import type * as pulumi from "@pulumi/pulumi";
import type { EngineSettings } from "../docker/engineEndpoint";
import { checkDockerName } from "../checks/inputChecks";
import { checkImage } from "../checks/imageChecks";
import type { Problem } from "../checks/problem";
import type { StoreHost } from "../args/hostArgs";
import type { StoreReference } from "../args/storeReference";

/** Image of MinIO's client, which administers both stores. */
export const DEFAULT_CLIENT_IMAGE = "minio/mc:RELEASE.2025-08-13T08-35-41Z";

/** Environment variable with the client's image for stores that don't name it. Only an import needs it. */
const CLIENT_IMAGE_VARIABLE = "OBJECT_STORE_CLIENT_IMAGE";

/** Image of MinIO's client for a store's contents. */
export function clientImageOf({ clientImage }: Pick<StoreReference, "clientImage">): string {
    return clientImage ?? process.env[CLIENT_IMAGE_VARIABLE] ?? DEFAULT_CLIENT_IMAGE;
}

/** What to do if an engine can't have the client's image. */
export function clientImageRemedy(failure: string): string {
    return (
        `the client's image ${failure}. Pull or load one there, or name another one of MinIO's client as clientImage; ` +
        `for an import, in ${CLIENT_IMAGE_VARIABLE}`
    );
}

/** The reference to a store that a program deploys. Settings that it leaves to the environment stay left to it. */
export function referenceTo(
    name: string,
    { clientImage, hosts }: Pick<StoreReference, "clientImage" | "hosts">,
    engine: pulumi.Output<EngineSettings>,
): pulumi.Output<StoreReference> {
    return engine.apply(({ givenHost, host, certPath }) =>
        withoutUndefined({
            name,
            clientImage,
            ...(hosts === undefined ? { dockerHost: givenHost ?? host, certPath } : { hosts }),
        }),
    );
}

function withoutUndefined(reference: StoreReference): StoreReference {
    return Object.fromEntries(
        Object.entries(reference).filter(([, value]) => value !== undefined),
    ) as unknown as StoreReference;
}

/** Every problem of a reference that can be found without querying an engine. */
export function checkStoreReference(propertyPath: string, store: StoreReference): Problem[] {
    return [
        ...checkDockerName(`${propertyPath}.name`, store.name),
        ...(store.clientImage === undefined ? [] : checkImage(`${propertyPath}.clientImage`, store.clientImage)),
        ...(store.hosts !== undefined && store.dockerHost !== undefined
            ? [
                  {
                      propertyPath: `${propertyPath}.dockerHost`,
                      reason: "and hosts exclude each other: remove dockerHost, since each host has its own",
                  },
              ]
            : []),
    ];
}

/** The engines of a store's hosts; of one host without a name, the only one. */
export function enginesOfStore({ hosts, dockerHost, certPath }: StoreReference): EngineSettings[] {
    return (
        hosts?.map(hostSettings) ?? [
            {
                ...(dockerHost === undefined ? {} : { givenHost: dockerHost }),
                ...(certPath === undefined ? {} : { certPath }),
                names: { host: "store.dockerHost", certPath: "store.certPath" },
            },
        ]
    );
}

/** The engine of a named host. */
export function hostSettings({ name, dockerHost, certPath }: StoreHost): EngineSettings {
    const names = { host: `the dockerHost of host ${name}`, certPath: `the certPath of host ${name}` };
    return { givenHost: dockerHost, certPath, names };
}
