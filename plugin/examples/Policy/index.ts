import { Policy } from "pulumi-docker-object-store";

const reports = new Policy("reports", {
    store: { name: "object-store-prod" },
    read: ["photos"],
    readWrite: ["photos/reports/"],
});

export const { policyName } = reports;
