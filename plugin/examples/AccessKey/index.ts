import { AccessKey } from "pulumi-docker-object-store";

const app = new AccessKey("app", { store: { name: "object-store-prod" }, policies: ["readonly"] });

export const { accessKey, secretKey } = app;
