import { packageManifest } from "../e2e/harness/packageConsumer";

/** Versions of Node.js that `npm run test:versions` runs: the newest of each line that has long-term support. */
export const NODE_VERSIONS = ["20.20.2", "22.23.3", "24.21.0"] as const;

const { peerDependencies, dependencies, devDependencies } = packageManifest();

/** Versions of the Pulumi SDK: the oldest that the package allows, and the pinned one, which `npm run pins` raises. */
export const SDK_VERSIONS: readonly string[] = [
    (peerDependencies["@pulumi/pulumi"] ?? "").replace("^", ""),
    devDependencies["@pulumi/pulumi"] ?? "",
];

/** The oldest version of the engine's client that the package allows. `npm ci` installs the pinned one. */
export const OLDEST_CLIENT: string = (dependencies["dockerode"] ?? "").replace("^", "");

/** Versions of TypeScript: the one that is pinned here, and the newest that an SDK allows. */
export const TYPESCRIPT_VERSIONS: readonly string[] = [devDependencies["typescript"] ?? "", "6.0.3"];
