import { clientConfiguration } from "../../../../components/storeClient/clientContainer";
import { otherStores } from "../../../../tools/admin/otherStores";

describe("other stores in the environment of npm run admin", () => {
    const environment = {
        MC_HOST_other: "https://replica-1:se:cr@et/@s3.other.example.com:8443",
        MC_HOST_unused: "https://key:secret@s3.unused.example.com",
        PATH: "/bin",
    };
    const args = ["replicate", "add", "store/photos", "--remote-bucket", "other/photos"];

    test("are those that the arguments name", () => {
        expect(otherStores(args, environment)).toEqual({
            other: { url: "https://s3.other.example.com:8443", accessKey: "replica-1", secretKey: "se:cr@et/" },
        });
        expect(otherStores(["ls", "store"], environment)).toEqual({});
    });

    test("can't replace the stack's own store", () => {
        expect(otherStores(["ls", "store"], { MC_HOST_store: "https://key:secret@elsewhere" })).toEqual({});
    });

    test("have the form that mc itself reads; a refusal doesn't contain the value", () => {
        for (const value of ["s3.example.com", "https://s3.example.com", "https://the-key@s3.example.com", ""]) {
            const read = () => otherStores(["ls", "other/bucket"], { MC_HOST_other: value });
            expect(read).toThrow("MC_HOST_other: its form has to be https://ACCESS_KEY:SECRET_KEY@HOST");
            expect(read).not.toThrow(/the-key/);
        }
    });

    test("are in the client's configuration beside the stack's own", () => {
        const target = {
            docker: undefined as never,
            network: "store-nodes",
            node: "node1",
            address: "10.8.0.10",
            secretsVersion: "1",
        };
        const keys = { accessKey: "root", secretKey: "root-secret" };
        expect(JSON.parse(clientConfiguration(target, keys, otherStores(args, environment)))).toMatchObject({
            aliases: {
                store: { url: "http://10.8.0.10:9000", ...keys },
                other: { url: "https://s3.other.example.com:8443", accessKey: "replica-1", api: "S3v4" },
            },
        });
    });
});
