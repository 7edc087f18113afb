import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { containerBasics } from "../../docker/containerBasics";
import { environmentList, labelList, type Labels } from "../../docker/containerArgs";
import { checkCommand, KEEPALIVED_FOLDER, tableOf } from "./keepalivedNames";
import { script } from "../../docker/script";
import type { FloatingAddressArgs } from "../../args/floatingAddressArgs";
import { renderKeepalivedConfig, type AddressHost } from "./keepalivedConfig";

/** The address, its hosts, and the port at which their proxies are checked. */
export interface FloatingAddress extends FloatingAddressArgs {
    /** Hosts with a proxy, the preferred one first. */
    hosts: readonly AddressHost[];
    /** Published HTTP port of every proxy. */
    httpPort: pulumi.Input<number>;
}

/** Arguments of keepalived's container on one host, as the Docker provider takes them. */
export function keepalivedContainer(
    name: string,
    floating: FloatingAddress,
    host: AddressHost,
    parts: { image: pulumi.Input<string>; labels: Labels },
): docker.ContainerArgs {
    const table = tableOf(floating);
    const configuration = pulumi.output(floating.httpPort).apply((httpPort) =>
        renderKeepalivedConfig({
            ...floating,
            host,
            routerId: floating.routerId ?? (Number(floating.address.split(".").at(-1)) || 255),
            check: checkCommand(host, httpPort).join(" "),
            atEnd: `/usr/sbin/nft delete table ip ${table}`,
        }),
    );
    return {
        ...containerBasics,
        name,
        image: parts.image,
        entrypoints: ["/bin/sh", "-c"],
        command: [script(__dirname, "startKeepalived.sh")],
        envs: environmentList({
            HOST_ADDRESS: host.address,
            FOLDER: KEEPALIVED_FOLDER,
            CONFIGURATION: configuration,
            CHECK: script(__dirname, "checkServing.pl"),
            TABLE: table,
        }),
        user: "0:0",
        // The address is the host's own, not the container's.
        networkMode: "host",
        restart: "unless-stopped",
        readOnly: true,
        tmpfs: { "/run": "size=1m,mode=0755" },
        // NET_ADMIN for the address and the rule of a hand-over, NET_RAW for VRRP, which is an IP protocol of its own, SETGID
        // for the check: keepalived sets the groups of every script that it runs, and runs none if it can't.
        capabilities: { adds: ["CAP_NET_ADMIN", "CAP_NET_RAW", "CAP_SETGID"], drops: ["ALL"] },
        healthcheck: {
            tests: ["CMD-SHELL", `kill -0 "$(cat ${KEEPALIVED_FOLDER}/vrrp.pid)"`],
            interval: "2s",
            timeout: "5s",
            retries: 3,
            startPeriod: "10s",
            startInterval: "0s",
        },
        labels: labelList(parts.labels),
    };
}
