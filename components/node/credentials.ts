import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { checkSecret } from "../checks/inputChecks";
import { refuse } from "../checks/refusal";
import type { ServiceProfile } from "../store/serviceProfile";
import { INTERNODE_SECRET_LENGTH } from "../settings/clusterChecks";

/** Secrets that the user sets. Each one that is not set is generated. */
export interface CredentialsArgs {
    profile: ServiceProfile;
    accessKey?: pulumi.Input<string>;
    secretKey?: pulumi.Input<string>;
    internodeSecret?: pulumi.Input<string>;
    /**
     * Whether Pulumi protects the generated root keys against deletion: they must live as long as the data that they open.
     */
    retainData: boolean;
}

/**
 * The root credentials of a store (service contract, section 5), and the secret between its nodes for stores that have a
 * separate one. All of them are Pulumi secrets.
 */
export class Credentials extends pulumi.ComponentResource {
    readonly accessKey: pulumi.Output<string>;
    readonly secretKey: pulumi.Output<string>;
    /** Undefined for a store whose nodes authenticate to each other by the root credentials. */
    readonly internodeSecret: pulumi.Output<string> | undefined;

    constructor(name: string, args: CredentialsArgs, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:Credentials", name, {}, opts);
        const childOptions = { parent: this, dependsOn: opts?.dependsOn };
        // Generated even if the user sets a value. It stays in the state, so that setting a value, or removing it again,
        // deletes no protected resource.
        const generated = (part: string, characters: random.RandomPasswordArgs, protect = args.retainData) =>
            new random.RandomPassword(
                `${name}-${part}`,
                { special: false, ...characters },
                { ...childOptions, protect },
            ).result;
        const { profile } = args;
        const accessKey = generated("access-key", { length: 20, lower: false });
        const secretKey = generated("secret-key", { length: 40 });
        this.accessKey =
            args.accessKey === undefined
                ? accessKey
                : given("accessKey", args.accessKey, profile.minimumAccessKeyLength);
        this.secretKey =
            args.secretKey === undefined
                ? secretKey
                : given("secretKey", args.secretKey, profile.minimumSecretKeyLength);
        if (profile.variables.internodeSecret !== undefined) {
            // It opens no data, and a store without such a secret may take the drives over. So it isn't protected.
            const internodeSecret = generated("internode-secret", { length: 40 }, false);
            this.internodeSecret =
                args.internodeSecret === undefined
                    ? internodeSecret
                    : given("internodeSecret", args.internodeSecret, INTERNODE_SECRET_LENGTH);
        }
        this.registerOutputs({ accessKey: this.accessKey, secretKey: this.secretKey });
    }
}

function given(property: string, value: pulumi.Input<string>, minimumLength: number): pulumi.Output<string> {
    return pulumi.secret(value).apply((secret) => {
        refuse("Credentials", checkSecret(property, secret, minimumLength));
        return secret;
    });
}
