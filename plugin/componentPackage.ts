import * as pulumi from "@pulumi/pulumi";
import * as components from "../components";
import { StoreResources } from "./resources/storeResources";
import schema from "./schema.json";

/** A component, with the outputs that its class declares. */
type MadeComponent = pulumi.ComponentResource & { readonly [output: string]: unknown };

/** A component's class, as another language's program sees it: args are whatever was sent. */
type Component = new (name: string, args: pulumi.Inputs, options: pulumi.ComponentResourceOptions) => MadeComponent;

/** What the schema says of a component. */
interface ComponentSchema {
    properties: { [name: string]: unknown };
}

/**
 * Gives the components to programs that aren't written for Node.js, and the resources in a store to programs in all
 * languages. `schema.json` says how both look there.
 */
export class ComponentPackage extends StoreResources implements pulumi.provider.Provider {
    readonly version = schema.version;
    readonly schema = JSON.stringify(schema);

    /** Makes one component, in the program's stack. Resolves once its outputs are known, or it can't be had. */
    construct(
        name: string,
        type: string,
        inputs: pulumi.Inputs,
        options: pulumi.ComponentResourceOptions,
    ): Promise<pulumi.provider.ConstructResult> {
        const described = (schema.resources as { [type: string]: ComponentSchema | undefined })[type];
        if (described === undefined) {
            return Promise.reject(new Error(`there is no component ${type} in ${schema.name} ${schema.version}`));
        }
        const className = type.split(":").at(-1) ?? "";
        const Class = (components as unknown as { [name: string]: Component })[className] as Component;
        const component = new Class(name, inputs, options);
        const outputs = Object.keys(described.properties).map((property) => [property, component[property]]);
        return Promise.resolve({ urn: component.urn, state: Object.fromEntries(outputs) as pulumi.Inputs });
    }
}
