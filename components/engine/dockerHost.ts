import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import type { EngineSettings } from "./engineEndpoint";

/** Settings of a component's Docker provider that may come from other resources; none for those of the environment. */
export type DockerHost = pulumi.Input<EngineSettings>;

/** A provider of the user's own, as far as it shows: in a plugin no more than its name. */
interface ShownProvider extends Partial<Omit<docker.Provider, "sshOpts">> {
    /** As JSON. */
    sshOpts?: pulumi.Output<string | undefined>;
}

/**
 * The engine that a component's Docker provider talks to, which the program itself has to ask too: by the settings of the provider that
 * was passed to the component, else by the config keys of the default one. A host of the `dockerHost` arg comes before both.
 */
export function dockerHostOf(
    component: pulumi.Resource,
    given: pulumi.Input<string | undefined>,
): pulumi.Output<EngineSettings> {
    const provider = component.getProvider("docker:index/container:Container") as ShownProvider | undefined;
    const settings = provider === undefined ? pulumi.output(configuredSettings()) : settingsOf(provider);
    const networkIdOfProvider = networkIdBy({ parent: component });
    // No input of a resource is made of it, and what follows from it is no secret.
    return pulumi.unsecret(
        pulumi.all([settings, given]).apply(([known, givenHost]) => ({ ...known, givenHost, networkIdOfProvider })),
    );
}

/** The engine that the program's default Docker provider talks to. */
export function configuredEngine(): EngineSettings {
    return { ...configuredSettings(), networkIdOfProvider: networkIdBy({}) };
}

function settingsOf(provider: ShownProvider): pulumi.Output<EngineSettings> {
    const { host, context, certPath, caMaterial, certMaterial, keyMaterial, sshOpts } = provider;
    const properties = { host, context, certPath, caMaterial, certMaterial, keyMaterial, sshOpts };
    const values = Object.entries(properties).map(async ([name, property]): Promise<[string, unknown]> => {
        const value = await valueOf(property);
        return [name, name === "sshOpts" && typeof value === "string" ? JSON.parse(value) : value];
    });
    return pulumi.output(Promise.all(values).then((entries) => Object.fromEntries(entries) as EngineSettings));
}

/** An output's value. In a preview `apply` doesn't distinguish one that isn't set from one that isn't known yet. */
function valueOf(output: pulumi.Output<unknown> | undefined): Promise<unknown> {
    const { promise } = (output ?? {}) as { promise?: (withUnknowns: boolean) => Promise<unknown> };
    return promise?.(true) ?? Promise.resolve(undefined);
}

function configuredSettings(): EngineSettings {
    const config = new pulumi.Config("docker");
    return {
        host: config.get("host"),
        context: config.get("context"),
        certPath: config.get("certPath"),
        caMaterial: config.get("caMaterial"),
        certMaterial: config.get("certMaterial"),
        keyMaterial: config.get("keyMaterial"),
        sshOpts: config.getObject<string[]>("sshOpts"),
    };
}

function networkIdBy(options: pulumi.InvokeOptions): (name: string) => Promise<string | undefined> {
    return async (name) => ((await docker.getNetwork({ name }, options)) as { id?: string } | undefined)?.id;
}
