import { CURRENT, OF_VERSION, VERSION_FILE } from "../naming/containerFiles";
import * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import * as random from "@pulumi/random";
import { awaitedByProgram } from "../pulumi/awaitedByProgram";
import { createHmac } from "node:crypto";
import { containerBasics, DAEMON_SETTINGS } from "./containerBasics";
import { allLabels, environmentList, labelList, replacedOnAnyChange, type Labels } from "./containerArgs";
import type { DockerHost } from "./providerHost";
import { systemClock } from "./poll";
import { waitUntilDone } from "./readiness";
import { script } from "./script";
import { changesNothing } from "../pulumi/pulumiCommand";

/** A volume that another container uses, and its mount path in this one. */
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
    /** Image that the writer runs. It needs `/bin/sh`, `cp`, `cat`, `mktemp`, `chown`, `readlink`, `sync` and `mv -T`. */
    image: pulumi.Input<string>;
    /** File name → content. All contents are kept secret. */
    files: { [name: string]: pulumi.Input<string> };
    /** Owner of the files, numeric `uid:gid`: the user that reads them. */
    owner: string;
    /** Additional volumes whose top folder is given to the same owner, with mode 0700. */
    ownedVolumes: MountedVolume[];
    /**
     * Files of which each of these volumes has one once the reader has used it. Where files were written before, a volume without any
     * that belongs to another user is refused: its disk may not be mounted. Default: none; each is given away.
     */
    formatFiles?: string[];
    /**
     * Shell command that checks the new files, run in their folder before they become current. The variable `FORMER` has
     * the folder of the current files, or is empty.
     */
    check?: string;
    /** Shell command that makes the reader of the files reload them. If it fails, the former files are restored. */
    announce?: string;
    /** Environment variables for both commands. They must not contain secrets. Default: none. */
    environment?: { [name: string]: pulumi.Input<string> };
    /** Labels of the volume and of the writer. */
    labels: Labels;
    /** Additional labels of the volume only, which outlives the writer. Default: none. Can't be changed later. */
    volumeLabels?: { [name: string]: string };
    /** Docker host, if it is not the default one. */
    dockerHost?: DockerHost;
    /** Time limit for writing, checking and announcing, in seconds. */
    timeout: number;
    /**
     * Resources that the writer waits for, so that the files change only when their reader may be updated. Default: none.
     */
    writeAfter?: pulumi.Input<pulumi.Resource[]>;
    /**
     * Number of former versions of the files that are kept, each at the link `of-VERSION`. A reader may still run with one
     * of them. Default: 0.
     */
    formerVersions?: number;
    /** Whether Pulumi protects the volume against deletion. Default: false. */
    retain?: boolean;
    /** Whether the host is away, so that the writer isn't waited for. Default: false. */
    away?: boolean;
}

/** Folder in the writer that the volume is mounted at. */
const FILES = "/files";

/** Folder in the writer for its uploads, readable by root only. The script's first step moves them to the volume. */
const UPLOADS = "/uploads";

/**
 * Files in a volume, with mode 0600 and owned by the user that reads them. A container writes them and then ends.
 *
 * A reader mounts the volume read-only and follows its link `current`. New files are checked beside the old ones; then the
 * link is switched in one step. So files change without replacing their reader, the reader's `docker inspect` shows no
 * secret, and a reader that isn't root can read them. The writer's layers contain no secrets either once it has ended:
 * after a failure its files stay in the volume, readable by root only, until it runs again.
 */
export class VolumeFiles extends pulumi.ComponentResource {
    /** The volume. */
    readonly volume: docker.Volume;
    /** Name of the volume. */
    readonly volumeName: pulumi.Output<string>;
    /** Changes with the content of the files without revealing it. */
    readonly version: pulumi.Output<string>;
    /** The writer, once it has finished: for `dependsOn` of a reader. */
    readonly written: pulumi.Output<pulumi.Resource[]>;

    constructor(name: string, args: VolumeFilesArgs, opts?: pulumi.ComponentResourceOptions) {
        super("docker-object-store:index:VolumeFiles", name, {}, opts);
        const begun = systemClock.now();
        const labels = labelList(args.labels);
        const childOptions = { parent: this, dependsOn: opts?.dependsOn };
        this.volume = new docker.Volume(
            name,
            { name: args.volumeName, labels: labelList(allLabels(args.labels, args.volumeLabels)) },
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
                // CHOWN and FOWNER allow changing the owner, DAC_OVERRIDE gives access to folders that already belong to
                // the reader.
                capabilities: { adds: ["CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER"], drops: ["ALL"] },
                // An image that declares /data as a volume would otherwise leave an anonymous volume behind.
                tmpfs: { "/data": "size=1m,mode=0755" },
                labels,
                uploads: Object.entries({ ...args.files, [VERSION_FILE]: version }).map(([file, content]) => ({
                    file: `${UPLOADS}/${file}`,
                    content: pulumi.secret(content),
                    permissions: "0600",
                })),
                volumes: [{ volumeName: this.volume.name, containerPath: FILES }, ...args.ownedVolumes],
            }),
            {
                ...childOptions,
                dependsOn: args.writeAfter ?? childOptions.dependsOn,
                deleteBeforeReplace: true,
                ignoreChanges: DAEMON_SETTINGS,
            },
        );
        this.volumeName = this.volume.name;
        this.version = version;
        const written = writer.id.apply(async (id) => {
            if (!changesNothing() && args.away !== true) {
                const { dockerHost, timeout } = args;
                const options = { hosts: [{ dockerHost }], timeout, component: this, begun };
                await waitUntilDone({ name: args.writerName, id }, options);
            }
            return [writer];
        });
        this.written = awaitedByProgram(written);
        this.registerOutputs({ volumeName: this.volumeName, version: this.version });
    }
}

/** A digest that reveals nothing about the content without the salt. A preview knows it already. */
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
function writerEnvironment(args: VolumeFilesArgs): { [name: string]: pulumi.Input<string> } {
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
        FORMATS: (args.formatFiles ?? []).join(" "),
        CHECK: args.check ?? "",
        ANNOUNCE: args.announce ?? "",
    };
}
