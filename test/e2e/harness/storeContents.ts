import type { PutObjectCommandOutput, S3Client } from "@aws-sdk/client-s3";
import { BUILT_IMAGES } from "../../../tools/images/builtImages";
import type { Deployment, DeploymentOutputs } from "./deployment";

export const CLIENT_IMAGE = BUILT_IMAGES.mc.reference;

/** Keys by the names of stack config. */
export interface Keys {
    [name: string]: { accessKey: string; secretKey: string };
}

export type OutputsWithKeys = DeploymentOutputs & { accessKeys?: Keys };

/** A store with buckets, policies and access keys from stack config. */
export interface StoreContents {
    deployment: () => Deployment;
    outputs: () => OutputsWithKeys;
    /** A client with the root keys. */
    root: () => S3Client;
    /** Runs the store's client, as an administrator who changes something by hand. */
    byHand: (...args: string[]) => Promise<unknown>;
    configure: (contents: { buckets?: object; policies?: object; accessKeys?: object }) => Promise<void>;
    update: () => ReturnType<Deployment["up"]>;
    /** A client with an access key from stack config. */
    clientOf: (name: string) => S3Client;
    put: (client: S3Client, key: string, bucket?: string) => Promise<PutObjectCommandOutput>;
}
