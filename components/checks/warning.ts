import * as pulumi from "@pulumi/pulumi";

/**
 * Logs a warning, one about a component once that is registered. Pulumi logs in order, and what is about a component waits for it: a
 * component that waits for other resources would keep back all later messages, and whatever waits for these.
 */
export function warn(component: pulumi.Resource | undefined, text: string): void {
    pulumi.output(component?.urn).apply(() => pulumi.log.warn(text, component));
}
