import { Bucket } from "pulumi-docker-object-store";

const photos = new Bucket("photos", {
    store: { name: "object-store-prod" },
    bucketName: "photos",
    versioning: true,
    lifecycle: [{ id: "temporary", prefix: "tmp/", expireDays: 7 }],
});

export const { bucketName } = photos;
