import type { DeploymentConfig, DeploymentOutputs } from "./deployment";
import type { DockerHost } from "./dockerHost";
import { encryptForMinio, StoreAdmin } from "./storeAdmin";
import { minioRoutes, rustfsRoutes } from "./storeRoutes";
import { furtherImage, testImages } from "./testRun";

/** A real store that the suites run on. */
export interface Store {
    name: string;
    /** Stack config that deploys it. */
    config: DeploymentConfig;
    /** A path of the console that is answered with 200. */
    consolePath: string;
    /** Paths of the store's own that the S3 hostname closes: admin, RPC, metrics. */
    closedPaths: string[];
    /** Its other paths that aren't S3, with the reason why the S3 hostname leaves them open. */
    openPaths: { [path: string]: string };
    /** The store's own admin API. */
    admin: (host: DockerHost, outputs: DeploymentOutputs) => StoreAdmin;
    /** Creates a user that may read and write, by the store's own admin API, from inside a node. */
    createUser: (host: DockerHost, outputs: DeploymentOutputs, user: User) => Promise<void>;
}

/** A user of a store. */
export interface User {
    accessKeyId: string;
    secretAccessKey: string;
}

/** MinIO, which `npm test` runs on. */
export function minioStore(): Store {
    const admin: Store["admin"] = (host, outputs) =>
        new StoreAdmin(host, outputs, { path: "/minio/admin/v3", encrypt: encryptForMinio });
    return {
        name: "MinIO",
        config: { profile: "minio", image: testImages().minio },
        consolePath: "/",
        closedPaths: minioRoutes.closed,
        openPaths: minioRoutes.open,
        admin,
        createUser: (host, outputs, user) => admin(host, outputs).createUser(user),
    };
}

/** RustFS, which `npm run test:full` runs on. A build from its crate has no console pages. */
export function rustfsStore(): Store {
    const admin: Store["admin"] = (host, outputs) =>
        new StoreAdmin(host, outputs, { path: "/rustfs/admin/v3", encrypt: (body) => body });
    return {
        name: "RustFS",
        config: { profile: "rustfs", image: furtherImage("rustfs") },
        consolePath: "/rustfs/console/health",
        closedPaths: rustfsRoutes.closed,
        openPaths: rustfsRoutes.open,
        admin,
        createUser: (host, outputs, user) => admin(host, outputs).createUser(user),
    };
}

/**
 * The contract stand-in, with the generic profile. With it, tests inspect the requests it receives, and set its health.
 */
export function standInStore(): Store {
    const admin = () => {
        throw new Error("the stand-in has no users");
    };
    return {
        name: "the stand-in",
        config: { profile: "service", image: testImages().standIn },
        consolePath: "/",
        closedPaths: ["/service/admin/v3/info"],
        openPaths: {},
        admin,
        createUser: () => Promise.resolve().then(admin),
    };
}
