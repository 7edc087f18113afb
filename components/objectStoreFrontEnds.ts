import * as pulumi from "@pulumi/pulumi";
import { FloatingFrontEnds } from "./floatingFrontEnds";
import { SelfSignedCertificate } from "./certificate/selfSignedCertificate";
import { HaproxyFrontEnd, type FrontEndOptions } from "./frontEnd/haproxyFrontEnd";
import type { ObjectStoreParts } from "./objectStoreParts";
import { LEFT_AS_THEY_ARE, type CheckedOptions } from "./preflight/engineSnapshot";
import type { ClusterEndpoints } from "./traffic/clusterEndpoints";

/**
 * The front ends of a store: one, or one on each host that publishes ports. All serve the same hostnames and the same
 * certificate. A change reaches them one after the other: each waits until the one before serves.
 */
export class ObjectStoreFrontEnds {
    readonly s3Endpoint: pulumi.Output<string>;
    readonly consoleUrl: pulumi.Output<string>;
    readonly caCertificate: pulumi.Output<string>;
    readonly certificateNotAfter: pulumi.Output<string>;

    constructor(parts: ObjectStoreParts, cluster: pulumi.Output<ClusterEndpoints>, opts: CheckedOptions) {
        const { names, frontEnds } = parts;
        const { unreachableHosts: away = [] } = parts.cluster;
        const [first] = frontEnds;
        const selfSigned =
            first?.host === undefined
                ? undefined
                : new SelfSignedCertificate(
                      `${names.frontEnd}-certificate`,
                      {
                          ...first.args.certificate?.selfSigned,
                          hostnames: pulumi.all([first.args.s3Host ?? "", first.args.consoleHost ?? ""]),
                          retainCa: first.args.retainCertificates ?? true,
                      },
                      { parent: opts.parent, dependsOn: opts.dependsOn },
                  );
        const made: HaproxyFrontEnd[] = [];
        const address =
            parts.floating === undefined ? undefined : new FloatingFrontEnds(parts, parts.floating, cluster, opts);
        for (const part of frontEnds) {
            const { host, name, args } = part;
            const options: FrontEndOptions =
                host === undefined
                    ? opts
                    : {
                          ...opts,
                          ...(away.includes(host) ? { ...LEFT_AS_THEY_ARE, away: true } : {}),
                          selfSigned,
                          provider: opts.hostProviders?.get(host),
                          dependsOn: after(opts.dependsOn, made.at(-1)),
                          ...address?.optionsOf(host),
                      };
            const frontEnd = new HaproxyFrontEnd(name, { ...args, cluster }, options);
            if (host !== undefined) {
                address?.add(host, frontEnd);
            }
            made.push(frontEnd);
        }
        const output = (name: "s3Endpoint" | "consoleUrl" | "caCertificate" | "certificateNotAfter") =>
            pulumi.all(made.map((frontEnd) => frontEnd[name])).apply(([value = ""]) => value);
        this.s3Endpoint = output("s3Endpoint");
        this.consoleUrl = output("consoleUrl");
        this.caCertificate = output("caCertificate");
        this.certificateNotAfter = output("certificateNotAfter");
    }
}

/** Dependencies that are met once another front end serves. In a preview, which deploys nothing, that one counts at once. */
function after(
    dependsOn: pulumi.ResourceOptions["dependsOn"] = [],
    before: HaproxyFrontEnd | undefined,
): pulumi.Output<pulumi.Resource[]> {
    const serving = before === undefined || pulumi.runtime.isDryRun() ? pulumi.output("") : before.s3Endpoint;
    return pulumi.all([pulumi.output(dependsOn), serving]).apply(([resources]) => [resources].flat());
}
