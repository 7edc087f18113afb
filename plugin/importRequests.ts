import { ReadRequest } from "@pulumi/pulumi/proto/provider_pb";

/**
 * Lets the SDK's server answer a request to import a resource. Such a request has no properties, only an id, and the server
 * (3.270) fails on it before it asks the provider.
 */
export function answerImports(): void {
    const { prototype } = ReadRequest as { prototype: { getProperties: (this: ReadRequest) => object | undefined } };
    const { getProperties } = prototype;
    prototype.getProperties = function () {
        return getProperties.call(this) ?? { toJavaScript: () => ({}) };
    };
}
