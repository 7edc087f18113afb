import { ObjectStore } from "pulumi-docker-object-store";

const store = new ObjectStore("store", {
    s3Host: "s3.example.com",
    consoleHost: "console.example.com",
    nodeCount: 4,
    drivePaths: [1, 2, 3, 4].map((disk) => [`/mnt/disk${disk}/object-store`]),
});

export const { s3Endpoint, accessKey, secretKey } = store;
