import { deflateRawSync } from "node:zlib";
import { readIamExport } from "../../../../tools/move/iamExport";
import type { StoreRequest } from "../../../../tools/move/nodeStore";
import { copyUsers, removalsOf } from "../../../../tools/move/users";

/** A ZIP archive as Go writes it: sizes are only in its directory. */
function zip(files: { [name: string]: unknown }): Buffer {
    const [parts, directory]: [Buffer[], Buffer[]] = [[], []];
    let place = 0;
    Object.entries(files).forEach(([name, value], index) => {
        const content = Buffer.from(JSON.stringify(value));
        const data = index === 0 ? content : deflateRawSync(content);
        const header = Buffer.alloc(30);
        header.writeUInt16LE(name.length, 26);
        header.writeUInt16LE(3, 28);
        const local = Buffer.concat([header, Buffer.from(name), Buffer.alloc(3), data, Buffer.from("descriptor")]);
        const entry = Buffer.alloc(46);
        entry.writeUInt16LE(index === 0 ? 0 : 8, 10);
        entry.writeUInt32LE(data.length, 20);
        entry.writeUInt16LE(name.length, 28);
        entry.writeUInt32LE(place, 42);
        parts.push(local);
        directory.push(entry, Buffer.from(name));
        place += local.length;
    });
    const end = Buffer.alloc(22);
    end.write("PK\x05\x06", "latin1");
    end.writeUInt16LE(Object.keys(files).length, 10);
    end.writeUInt32LE(place, 16);
    return Buffer.concat([...parts, ...directory, end]);
}

const exported = (files: { [name: string]: unknown }) =>
    zip(Object.fromEntries(Object.entries(files).map(([name, value]) => [`iam-assets/${name}.json`, value])));

test("an export is read, whether its files are compressed or not", () => {
    expect(readIamExport(exported({ users: { ann: { secretKey: "x" } }, groups: null, policies: { p: {} } }))).toEqual({
        users: { ann: { secretKey: "x" } },
        groups: {},
        policies: { p: {} },
    });
    expect(() => readIamExport(Buffer.from("<Error/>"))).toThrow("ZIP");
});

test("what only the second store has is removed, before what it needs", () => {
    const group = (members: string[]) => ({ status: "enabled", members });
    const wanted = {
        users: { ann: {}, bob: {} },
        groups: { staff: group(["ann"]) },
        policies: { read: {} },
        user_mappings: { ann: { policy: "read" } },
    };
    const found = {
        users: { ann: {}, bob: {}, "gone user": {} },
        groups: { staff: group(["ann", "bob"]), "gone group": group(["bob"]) },
        policies: { read: {}, "gone (policy)": {} },
        svcaccts: { gonekey: {} },
        user_mappings: { ann: { policy: "read" }, bob: { policy: "read" }, "gone user": { policy: "read" } },
        group_mappings: { staff: { policy: "read" } },
    };
    expect(
        removalsOf(wanted, found).map(
            ({ method, path, body }) => `${method} ${path} ${body === undefined ? "" : body.toString()}`,
        ),
    ).toEqual([
        "PUT /set-user-or-group-policy?isGroup=false&policyName=&userOrGroup=bob ",
        "PUT /set-user-or-group-policy?isGroup=true&policyName=&userOrGroup=staff ",
        'PUT /update-group-members {"group":"staff","members":["bob"],"groupStatus":"enabled","isRemove":true}',
        'PUT /update-group-members {"group":"gone group","members":["bob"],"groupStatus":"enabled","isRemove":true}',
        'PUT /update-group-members {"group":"gone group","members":[],"groupStatus":"enabled","isRemove":true}',
        "DELETE /delete-service-account?accessKey=gonekey ",
        "DELETE /remove-user?accessKey=gone%20user ",
        "DELETE /remove-canned-policy?name=gone%20%28policy%29 ",
    ]);
    expect(removalsOf(wanted, wanted)).toEqual([]);
});

test("users are removed, then imported; what can't be removed is named, and what is gone with something else isn't", async () => {
    const storeWith = (files: { [name: string]: unknown }) => {
        const requests: string[] = [];
        const send = ({ method, path }: StoreRequest) => {
            requests.push(`${method} ${path}`);
            const isExport = path.endsWith("/export-iam");
            const status = path.includes("gonekey") ? 404 : path.includes("stuck") ? 400 : 200;
            return Promise.resolve({ status, headers: {}, body: isExport ? exported(files) : Buffer.from("in use") });
        };
        return { requests, send };
    };
    const from = storeWith({ users: { ann: {} } });
    const to = storeWith({ users: { ann: {}, gone: {} }, svcaccts: { gonekey: {} }, policies: { stuck: {} } });
    const said = jest.spyOn(console, "log").mockReturnValue(undefined);
    await copyUsers(from, to, "minio");
    expect(to.requests.slice(1)).toEqual([
        "DELETE /minio/admin/v3/delete-service-account?accessKey=gonekey",
        "DELETE /minio/admin/v3/remove-user?accessKey=gone",
        "DELETE /minio/admin/v3/remove-canned-policy?name=stuck",
        "PUT /minio/admin/v3/import-iam",
    ]);
    expect(said.mock.calls.map(([text]) => String(text))).toEqual([
        expect.stringContaining("policy stuck is gone from the first store. Remove it from the second one: 400 in use"),
    ]);
    said.mockRestore();
});
