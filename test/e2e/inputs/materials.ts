import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate, type TestCertificate } from "../../certificates";
import { freeClusterName, freePorts, freeSubnet } from "../harness/freeResources";
import { DockerHost } from "../harness/dockerHost";
import { testImages } from "../harness/testRun";

/** Two values: for the creation, and for the change. */
export type Pair<Value> = [first: Value, changed: Value];

/** Hostnames that clients may request. */
export const S3_HOSTS: Pair<string> = ["s3.localhost", "s3.example.com"];
export const CONSOLE_HOSTS: Pair<string> = ["console.localhost", "console.example.com"];

/** Values of inputs that depend on this machine: free ports, networks, folders, images. */
export interface Materials {
    clusterName: string;
    /** Store images: of the creation, of the changed profile, and of the changed args. */
    storeImages: [string, string, string];
    /** The first store image under another name. */
    sameStoreImage: string;
    proxyImages: Pair<string>;
    httpPorts: Pair<number>;
    httpsPorts: Pair<number>;
    nodeSubnets: Pair<string>;
    publicSubnets: Pair<string>;
    certificates: Pair<TestCertificate>;
    driveFolders: Pair<string>;
    remove: () => Promise<void>;
}

export async function makeMaterials(): Promise<Materials> {
    const clusterName = await freeClusterName();
    const { docker } = new DockerHost();
    const { standIn, haproxy } = testImages();
    const made: string[] = [];
    /** Creates an image with the same content and another id. */
    const copyOf = async (image: string, copy: string) => {
        const container = await docker.createContainer({ Image: image, Cmd: ["never-started"] });
        const repo = `${clusterName}-${copy}`;
        await container.commit({ repo, tag: "1.0" });
        await container.remove({ v: true });
        made.push(`${repo}:1.0`);
        return `${repo}:1.0`;
    };
    const sameStore = `${clusterName}-same-store`;
    await docker.getImage(standIn).tag({ repo: sameStore, tag: "1.0" });
    made.push(`${sameStore}:1.0`);

    const folder = mkdtempSync(join(tmpdir(), "inputs-"));
    const driveFolders: Pair<string> = [join(folder, "drive1"), join(folder, "drive2")];
    driveFolders.forEach((path) => mkdirSync(path));
    const [http, https, otherHttp, otherHttps] = [...(await freePorts()), ...(await freePorts())];
    const nodes = await freeSubnet();
    const otherNodes = await freeSubnet([nodes]);
    const clients = await freeSubnet([nodes, otherNodes]);
    const otherClients = await freeSubnet([nodes, otherNodes, clients]);
    const hostnames = [...S3_HOSTS, ...CONSOLE_HOSTS];
    return {
        clusterName,
        storeImages: [standIn, await copyOf(standIn, "profile-store"), await copyOf(standIn, "other-store")],
        sameStoreImage: `${sameStore}:1.0`,
        proxyImages: [haproxy, await copyOf(haproxy, "other-proxy")],
        httpPorts: [http, otherHttp],
        httpsPorts: [https, otherHttps],
        nodeSubnets: [nodes, otherNodes],
        publicSubnets: [clients, otherClients],
        certificates: [await makeCertificate(hostnames), await makeCertificate(hostnames)],
        driveFolders,
        remove: async () => {
            // The store's files belong to its user; only root can remove them.
            await new DockerHost().runOnVolumes(standIn, { "/drives": folder }, "rm -rf /drives/*/* /drives/*/.[!.]*");
            rmSync(folder, { recursive: true });
            for (const image of made) {
                // A container that reads the volume may use any image.
                await docker.getImage(image).remove({ force: true });
            }
        },
    };
}

/** Four networks that overlap with no other network. */
