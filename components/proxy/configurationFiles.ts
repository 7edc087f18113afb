import * as pulumi from "@pulumi/pulumi";
import { ACME_DIRECTORY, CERTIFICATE_DIRECTORY } from "../certificate/acmeScripts";
import type { Labels } from "../docker/containerArgs";
import { script } from "../docker/script";
import type { VolumeFilesArgs } from "../docker/volumeFiles";
import type { ChangingCertificate, FixedCertificate } from "../haproxyConfig/args";
import { renderHaproxyConfig } from "../haproxyConfig/config";
import { HANGING_REQUESTS_PROGRAM } from "../haproxyConfig/hangingRequests";
import { renderInitialServerStates } from "../haproxyConfig/serverState";
import { STARTED_NODES_PROGRAM } from "../haproxyConfig/startedNodes";
import { SOCKET_DIRECTORY } from "../proxyControl/proxyFiles";
import type { ProxySettings } from "../settings/proxySettings";
import type { ServedCertificate } from "./certificateKind";
import { HAPROXY_USER, INITIAL_SERVER_STATES, RELOAD } from "./proxyContainer";

/** What the files of a proxy are made of. */
export interface ConfigurationParts {
    image: pulumi.Input<string>;
    served: ServedCertificate;
    /** Names of the volumes of the sockets, of the ACME client, and of the certificate that it obtains. */
    sockets: pulumi.Input<string>;
    volumes: { acme: pulumi.Input<string>; certificate: pulumi.Input<string> };
    labels: Labels;
    /** Address from which a program on the host checks the proxy. */
    checkedFrom: string | undefined;
    away: boolean;
}

/** Name of the volume with the configuration and certificate. */
export function configurationVolume({ frontEndName }: ProxySettings): string {
    return `${frontEndName}-configuration`;
}

/** The proxy's files: they are checked by `haproxy -c` of its own image, then loaded by a reload. */
export function configurationFiles(
    settings: ProxySettings,
    { image, served, sockets, volumes, labels, checkedFrom, away }: ConfigurationParts,
): VolumeFilesArgs {
    return {
        volumeName: configurationVolume(settings),
        writerName: `${settings.frontEndName}-configure`,
        image,
        files: {
            "haproxy.cfg": haproxyConfig(settings, served.configured, checkedFrom),
            [INITIAL_SERVER_STATES]: settings.stores.apply(renderInitialServerStates),
            ...served.files,
            ...settings.moveFiles,
            [HANGING_REQUESTS_PROGRAM]: script(__dirname, HANGING_REQUESTS_PROGRAM),
            [STARTED_NODES_PROGRAM]: script(__dirname, STARTED_NODES_PROGRAM),
        },
        owner: HAPROXY_USER,
        ownedVolumes: [
            { volumeName: sockets, containerPath: SOCKET_DIRECTORY },
            { volumeName: volumes.acme, containerPath: ACME_DIRECTORY },
            { volumeName: volumes.certificate, containerPath: CERTIFICATE_DIRECTORY },
        ],
        check: [served.preparation ?? [], "haproxy -c -f haproxy.cfg"].flat().join("\n"),
        announce: RELOAD,
        environment: served.environment,
        labels,
        dockerHost: settings.dockerHost,
        timeout: settings.readyTimeout,
        away,
    };
}

function haproxyConfig(
    settings: ProxySettings,
    certificate: pulumi.Output<FixedCertificate | ChangingCertificate>,
    checkedFrom: string | undefined,
): pulumi.Output<string> {
    const { stores, services, httpsPort } = settings;
    return pulumi.all([stores, services, httpsPort, certificate]).apply(([ofStores, ofServices, port, configured]) =>
        renderHaproxyConfig({
            ...settings,
            ipv6: settings.publicIpv6 !== undefined,
            stores: ofStores,
            services: ofServices,
            httpsPort: port,
            certificate: configured,
            checkedFrom,
        }),
    );
}
