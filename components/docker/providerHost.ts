import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { promiseOf } from "../pulumi/internals";
import type { EngineSettings } from "./engineEndpoint";

/**
 * Settings of a component's Docker provider, which may come from other resources. Undefined settings are taken from the
 * environment.
 */
export type DockerHost = pulumi.Input<EngineSettings>;

/** The readable part of a user's own provider. In a plugin that is only its name. */
interface ShownProvider extends Partial<Omit<docker.Provider, "sshOpts">> {
    /** As JSON. */
    sshOpts?: pulumi.Output<string | undefined>;
}

/**
 * The engine that a component's Docker provider talks to. The program itself queries the same engine. It is found by the
 * settings of the provider that was passed to the component, otherwise by the config keys of the default provider. A host
 * in the `dockerHost` arg has precedence over both.
 */
export function dockerHostOf(
    component: pulumi.Resource,
    given: pulumi.Input<string | undefined>,
): pulumi.Output<EngineSettings> {
    const provider = component.getProvider("docker:index/container:Container") as ShownProvider | undefined;
    const settings = provider === undefined ? pulumi.output(configuredSettings()) : settingsOf(provider);
    const networkIdOfProvider = networkIdBy({ parent: component });
    // Not used in any input of a resource, and no secret can be derived from it.
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

/** An output's value. In a preview, `apply` doesn't distinguish a value that isn't set from one that isn't known yet. */
function valueOf(output: pulumi.Output<unknown> | undefined): Promise<unknown> {
    return output === undefined ? Promise.resolve(undefined) : promiseOf(output, true);
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
