import { ObjectStore } from "pulumi-docker-object-store";
import { storeArgs } from "./storeArgs";

const store = new ObjectStore("store", storeArgs());

export const { s3Endpoint, consoleUrl, accessKey, secretKey, caCertificate, volumeNames } = store;
