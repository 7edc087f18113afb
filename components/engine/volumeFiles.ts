import { CURRENT, OF_VERSION, VERSION_FILE } from "../naming/containerFiles";
import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { createHmac } from "node:crypto";
import { containerBasics, DAEMON_SETTINGS, environmentList, labelList, replacedOnAnyChange } from "./containerBasics";
import type { DockerHost } from "./dockerHost";
import { systemClock } from "./poll";
import { waitUntilDone } from "./readiness";
import { script } from "./script";

/** A volume that another container uses, as this one mounts it. */
export interface MountedVolume {
    volumeName: pulumi.Input<string>;
    containerPath: string;
}

/** Args of {@link VolumeFiles}. */
export interface VolumeFilesArgs {
    /** Name of the volume that holds the files. */
    volumeName: string;
    /** Name of the container that writes them. */
    writerName: string;
    /** Image that the writer runs: one with `/bin/sh`, `cp`, `cat`, `mktemp`, `chown`, `readlink`, `sync` and `mv -T`. */
    image: pulumi.Input<string>;
    /** File name → content. All of it is kept secret. */
    files: { [name: string]: pulumi.Input<string> };
    /** Owner of the files, `uid:gid`, as numbers: the user that reads them. */
    owner: string;
    /** Further volumes, whose top folder is given to the owner as well, with mode 0700. */
    ownedVolumes: MountedVolume[];
    /**
     * Shell command that checks the new files, from within their folder, before they are made current. The variable `FORMER`
     * has the folder of the files in force, or nothing.
     */
    check?: string;
    /** Shell command that has the reader of the files reload them. Where it fails, the former files return. */
    announce?: string;
    /** Environment variables for both commands. Nothing secret. Default: none. */
    environment?: { [name: string]: string };
    /** Labels of the volume and of the writer. */
    labels: { [name: string]: string };
    /** More labels of the volume alone, which outlives the writer. Default: none. Fixed for its life. */
    volumeLabels?: { [name: string]: string };
    /** Docker host, where it is not the default one. */
    dockerHost?: DockerHost;
    /** Limit for writing, checking and announcing, in seconds. */
    timeout: number;
    /** What the writer waits for, so that files change when it is their reader's turn. Default: nothing. */
    writeAfter?: pulumi.Input<pulumi.Resource[]>;
    /**
     * How many former versions of the files stay, each at the link `of-VERSION`: a reader may still run with one of them.
     * Default: 0.
     */
    formerVersions?: number;
    /** Whether Pulumi refuses to delete the volume. Default: false. */
    retain?: boolean;
}

/** Folder in the writer where the volume is mounted. */
const FILES = "/files";

/** Folder in the writer where its uploads arrive, readable by root alone. They leave it for the volume before anything else. */
const UPLOADS = "/uploads";

/**
 * Files in a volume, of mode 0600 and owned by the user that reads them, written by a container that then ends.
 *
 * A reader mounts the volume read-only and follows the link `current` in it: new files are checked beside the old,
 * then the link moves, in one step. So files change without their reader being replaced, nothing secret stands in
 * a reader's `docker inspect`, and a reader that isn't root can read them. Nor does anything secret stay in the layers of
 * the writer once it has ended: files of a writer that failed wait in the volume, for root alone, until it is run again.
 */
export class VolumeFiles extends pulumi.ComponentResource {
    /** Name of the volume. */
    readonly volumeName: pulumi.Output<string>;
    /** Changes with the content of the files, and reveals nothing about it. */
    readonly version: pulumi.Output<string>;
    /** The writer, once it has done its work: for `dependsOn` of a reader. */
    readonly written: pulumi.Output<pulumi.Resource[]>;

    constructor(name: string, args: VolumeFilesArgs, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:VolumeFiles", name, {}, opts);
        const begun = systemClock.now();
        const labels = labelList(args.labels);
        const childOptions = { parent: this, dependsOn: opts?.dependsOn };
        const volume = new docker.Volume(
            name,
            { name: args.volumeName, labels: labelList({ ...args.labels, ...args.volumeLabels }) },
            { ...childOptions, protect: args.retain, ignoreChanges: ["labels"] },
        );
        const salt = new random.RandomPassword(`${name}-salt`, { length: 32, special: false }, childOptions);
        const version = saltedDigest(args.files, salt.result);
        const writer = new docker.Container(
            `${name}-writer`,
            replacedOnAnyChange({
                ...containerBasics,
                name: args.writerName,
                image: args.image,
                entrypoints: ["/bin/sh", "-c"],
                command: [script(__dirname, "writeFiles.sh")],
                envs: environmentList(writerEnvironment(args)),
                user: "0:0",
                networkMode: "none",
                mustRun: false,
                restart: "no",
                // CHOWN and FOWNER hand the files over, DAC_OVERRIDE reaches folders that are the reader's already.
                capabilities: { adds: ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER"], drops: ["ALL"] },
                // An image that declares /data a volume would leave a nameless one behind.
                tmpfs: { "/data": "size=1m,mode=0755" },
                labels,
                uploads: Object.entries({ ...args.files, [VERSION_FILE]: version }).map(([file, content]) => ({
                    file: `${UPLOADS}/${file}`,
                    content: pulumi.secret(content),
                    permissions: "0600",
                })),
                volumes: [{ volumeName: volume.name, containerPath: FILES }, ...args.ownedVolumes],
            }),
            {
                ...childOptions,
                dependsOn: args.writeAfter ?? childOptions.dependsOn,
                deleteBeforeReplace: true,
                ignoreChanges: DAEMON_SETTINGS,
            },
        );
        this.volumeName = volume.name;
        this.version = version;
        this.written = writer.id.apply(async (id) => {
            if (!pulumi.runtime.isDryRun()) {
                const { dockerHost, timeout } = args;
                await waitUntilDone({ name: args.writerName, id }, { dockerHost, timeout, component: this, begun });
            }
            return [writer];
        });
        this.registerOutputs({ volumeName: this.volumeName, version: this.version });
    }
}

/** A digest that reveals nothing of the content to whoever lacks the salt, and that a preview knows already. */
function saltedDigest(
    files: { [name: string]: pulumi.Input<string> },
    salt: pulumi.Output<string>,
): pulumi.Output<string> {
    return pulumi.unsecret(
        pulumi
            .all([pulumi.output(files), salt])
            .apply(([contents, key]) =>
                createHmac("sha256", key).update(JSON.stringify(contents)).digest("hex").slice(0, 16),
            ),
    );
}

/** The environment of the writer's script. */
function writerEnvironment(args: VolumeFilesArgs): { [name: string]: string } {
    return {
        ...args.environment,
        FILES,
        UPLOADS,
        VERSION_FILE,
        CURRENT,
        OF_VERSION,
        FORMER_VERSIONS: String(args.formerVersions ?? 0),
        OWNER: args.owner,
        OWNED: args.ownedVolumes.map(({ containerPath }) => containerPath).join(" "),
        CHECK: args.check ?? "",
        ANNOUNCE: args.announce ?? "",
    };
}
