import type { ContainerArgs } from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { HaproxyFrontEnd } from "../../../components/haproxyFrontEnd";
import type { ClusterEndpoints } from "../../../components/args/clusterEndpoints";

// Another proxy for a cluster, with a line from the config in the section `frontend http` of haproxy.cfg.
const config = new pulumi.Config();
const addedLine = config.get("addedLine");

pulumi.runtime.registerStackTransformation(({ type, props, opts }) => {
    const inputs = props as ContainerArgs;
    return type !== "docker:index/container:Container" || inputs.uploads === undefined
        ? undefined
        : {
              props: {
                  ...inputs,
                  uploads: pulumi.output(inputs.uploads).apply((uploads) => (uploads ?? []).map(addLine)),
              },
              opts,
          };
});

function addLine<Upload extends { file: string; content?: string }>(upload: Upload): Upload {
    return addedLine === undefined || !upload.file.endsWith("/haproxy.cfg")
        ? upload
        : { ...upload, content: upload.content?.replace("frontend http\n", `$&    ${addedLine}\n`) };
}

const { caCertificate, containerName } = new HaproxyFrontEnd("front-end", {
    cluster: config.requireObject<ClusterEndpoints>("cluster"),
    s3Host: "s3.localhost",
    consoleHost: "console.localhost",
    frontEndName: config.require("frontEndName"),
    image: config.require("haproxyImage"),
    httpPort: config.requireNumber("httpPort"),
    httpsPort: config.requireNumber("httpsPort"),
    publishAddress: "127.0.0.1",
    publicSubnet: config.require("publicSubnet"),
    retainCertificates: false,
    hstsMaxAge: config.getNumber("hstsMaxAge"),
});

export { caCertificate, containerName };
