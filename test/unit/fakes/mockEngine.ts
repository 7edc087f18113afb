import * as pulumi from "@pulumi/pulumi";

/** A resource that a component has registered. */
export interface RegisteredResource {
    name: string;
    type: string;
    inputs: { [name: string]: unknown };
}

/**
 * A replacement for Pulumi's engine: accepts every resource, assigns an id, and records the resource.
 *
 * @param preview Whether it is a preview, in which nothing waits.
 * @param pending Types of resources whose creation never ends.
 */
export async function mockEngine(preview = true, pending: readonly string[] = []): Promise<RegisteredResource[]> {
    const resources: RegisteredResource[] = [];
    await pulumi.runtime.setMocks(
        {
            newResource: ({ name, type, inputs: given, custom }) => {
                const inputs = given as { [name: string]: unknown };
                resources.push({ name, type, inputs });
                const computed: { [type: string]: object } = {
                    "docker:index/remoteImage:RemoteImage": { imageId: `sha256:${String(inputs["name"])}` },
                    "random:index/randomPassword:RandomPassword": { result: `generated-${name}` },
                    "random:index/randomId:RandomId": { hex: `hex-of-${name}` },
                    "tls:index/privateKey:PrivateKey": { privateKeyPem: "key", privateKeyPemPkcs8: `key of ${name}` },
                    "tls:index/locallySignedCert:LocallySignedCert": {
                        certPem: `certificate ${name}\n`,
                        validityEndTime: "2030-01-01T00:00:00Z",
                    },
                    "tls:index/selfSignedCert:SelfSignedCert": { certPem: "ca" },
                };
                if (pending.includes(type)) {
                    return new Promise(() => undefined);
                }
                return { id: custom === false ? undefined : `id-of-${name}`, state: { ...inputs, ...computed[type] } };
            },
            call: () => ({}),
        },
        "object-store",
        "test",
        preview,
    );
    return resources;
}

/** Resolves once no more resources are registered. A busy machine may need some time. */
export async function settled(resources: RegisteredResource[]): Promise<void> {
    for (let before = -1; before !== resources.length || before === 0;) {
        before = resources.length;
        await new Promise((resolve) => setTimeout(resolve, 250));
    }
}

/** The plain value of an output, once everything registered so far is settled. */
export function valueOf<Value>(output: pulumi.Output<Value>): Promise<Value> {
    return new Promise((resolve) => output.apply(resolve));
}

/** The value inside a secret. Throws if it isn't a secret. */
export function secretValue(wrapped: unknown): unknown {
    const { "4dabf18193072939515e22adb298388d": signature, value } = wrapped as { [key: string]: unknown };
    if (signature !== "1b47061264138c4ac30d75fd1eb44270") {
        throw new Error("it is no secret");
    }
    return value;
}
