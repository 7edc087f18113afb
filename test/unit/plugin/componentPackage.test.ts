import { execFileSync } from "node:child_process";
import { StoreResources } from "../../../plugin/resources/storeResources";
import { PROJECT } from "../../../tools/paths";

/** Starts a provider as a plugin does, and cancels it as Pulumi does. */
const CANCELLED = `
    const { credentials } = require("@grpc/grpc-js");
    const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
    const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb");
    const { main } = require("@pulumi/pulumi/provider");
    const provider = { version: "1.0.0", cancel: () => Promise.resolve(console.error("cancelled")) };
    process.stdout.write = (port) => {
        const client = new ResourceProviderClient("127.0.0.1:" + port.trim(), credentials.createInsecure());
        client.cancel(new Empty(), (error) => process.exit(error ? 1 : 0));
        return true;
    };
    void main(provider, ["127.0.0.1:1"]);
`;

describe("the method cancel of the resources", () => {
    test("is called by Pulumi's SDK when an update is cancelled", () => {
        expect(StoreResources.prototype).toHaveProperty("cancel");
        const output = execFileSync("/bin/sh", ["-c", 'exec "$0" -e "$1" 2>&1', process.execPath, CANCELLED], {
            cwd: PROJECT,
            encoding: "utf8",
        });
        expect(output).toBe("cancelled\n");
    });
});
