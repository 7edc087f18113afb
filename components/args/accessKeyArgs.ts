import type * as pulumi from "@pulumi/pulumi";
import type { StoreReference } from "./storeReference";

/** The settings of an access key besides its name and policies. */
export interface AccessKeySettings {
    /**
     * Secret key, printable ASCII characters. A change makes a new access key.
     *
     * @default generated, 40 letters and digits
     * @length 8..40
     * @secret
     */
    secretKey?: pulumi.Input<string>;
    /**
     * Any text. A change makes a new access key with a new secret; the former one is valid until everything that uses
     * this one is updated.
     *
     * @default none
     */
    rotation?: pulumi.Input<string>;
}

/** Args of an `AccessKey`: a user of the store, with policies. */
export interface AccessKeyArgs extends AccessKeySettings {
    /** The store, as its output `reference` names it. A change of its name makes a new access key. */
    store: pulumi.Input<StoreReference>;
    /**
     * Beginning of the access key's id, letters, digits and hyphens, 11 at most; a hyphen and 8 characters that come
     * from the resource's URN follow. A change makes a new access key.
     *
     * @default the first 11 characters of the resource's name
     */
    namePrefix?: pulumi.Input<string>;
    /** Names of the policies that say what it may do. Without one it may do nothing. A change applies at once. */
    policies: pulumi.Input<pulumi.Input<string>[]>;
}
