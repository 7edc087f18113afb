import type { DeploymentConfig } from "./deployment";
import { freePorts } from "./freeResources";
import { testImages } from "./testRun";

/** Stack config of one node of MinIO, on ports of loopback that nothing listens on. */
export async function stackDefaults(clusterName: string): Promise<DeploymentConfig> {
    const [httpPort, httpsPort] = await freePorts();
    const { minio, haproxy } = testImages();
    return {
        storeName: clusterName,
        profile: "minio",
        image: minio,
        haproxyImage: haproxy,
        httpPort: String(httpPort),
        httpsPort: String(httpsPort),
        publishAddress: "127.0.0.1",
        allowDrivesOnOneDevice: "true",
    };
}
