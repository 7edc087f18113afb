import type { Part } from "./measurement";
import { measureAvailability } from "./availability";
import { measureDataPath, measureTuning } from "./dataPath";
import { measureDeployment } from "./deployment";
import { measureFrontEnds } from "./frontEnds";
import { measureManyHosts } from "./manyHosts";
import { measureOverHosts } from "./overHosts";
import { measureProxyReplacement } from "./proxyReplacement";
import { measureScale } from "./scale";
import { measureStartUp } from "./startUp";

/** The parts of the benchmark, in the order in which they are measured. */
export const PARTS: { [name: string]: Part } = {
    startup: {
        description: "`pulumi preview` by what runs the program, from 1 to 64 nodes",
        measure: measureStartUp,
    },
    deployment: {
        description: "from nothing to the first object, beside Docker Compose",
        measure: measureDeployment,
        onMinioAlone: true,
    },
    datapath: {
        description: "S3 through the front end, through its peers, and past them",
        measure: measureDataPath,
    },
    scale: {
        description: "many connections at once, 16 backends",
        measure: measureScale,
    },
    availability: {
        description: "what fails while nodes and proxies are changed or fail",
        measure: measureAvailability,
    },
    replacement: {
        description: "how long nobody is answered while the proxy's container is replaced",
        measure: measureProxyReplacement,
    },
    hosts: {
        description: "`pulumi up` of 1, 4 and 16 nodes over 1, 2 and 4 virtual hosts",
        measure: measureOverHosts,
        onMinioAlone: true,
    },
    frontends: {
        description: "throughput through two front ends, beside one",
        measure: measureFrontEnds,
        onMinioAlone: true,
    },
    manyhosts: {
        description: "`pulumi preview` of 64 nodes over up to 16 hosts, whose engines are mocks",
        measure: measureManyHosts,
        onMinioAlone: true,
    },
    tuning: {
        description: "the front end with one change of HAProxy, its image or its container",
        measure: measureTuning,
        onRequest: true,
    },
};
