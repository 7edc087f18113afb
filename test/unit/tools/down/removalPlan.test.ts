import { confirmByName, refuseUnasked, type Terminal } from "../../../../tools/cli/confirmation";
import { describeRemoval, planRemoval, protectedByRemoval } from "../../../../tools/down/removalPlan";
import type { StateResource } from "../../../../tools/pulumi/stackState";

const CLUSTER = "urn:pulumi:dev::object-store::docker-object-store:index:StorageCluster";
const NODE = `${CLUSTER}$docker-object-store:index:StorageNode`;

const resource = (urn: string, inputs: StateResource["inputs"], protect = true): StateResource => ({
    urn,
    type: urn.split("::").at(-2)?.split("$").at(-1) ?? "",
    inputs,
    protect,
});
const volume = (name: string, folder?: string, protect = true) =>
    resource(
        `${NODE}$docker:index/volume:Volume::store-${name}`,
        { name, ...(folder === undefined ? {} : { driverOpts: { type: "none", o: "bind", device: folder } }) },
        protect,
    );
const secrets = (labels: { label: string; value: string }[] = [], protect = true) =>
    resource(
        `${NODE}$docker-object-store:index:VolumeFiles$docker:index/volume:Volume::store-node1-secrets`,
        { name: "node1-secrets", labels },
        protect,
    );
const credential = (protect = true) =>
    resource(
        `${CLUSTER}$docker-object-store:index:Credentials$random:index/randomPassword:RandomPassword::store-credentials-secret-key`,
        {},
        protect,
    );
const ca = (protect = true) =>
    resource(
        "urn:pulumi:dev::object-store::docker-object-store:index:HaproxyFrontEnd$docker-object-store:index:SelfSignedCertificate$tls:index/privateKey:PrivateKey::front-end-ca-key",
        {},
        protect,
    );
const node = resource(`${NODE}$docker:index/container:Container::store-node1`, { name: "node1" }, false);

const KEEP = { deleteData: false, deleteCredentials: false };
const DELETE = { deleteData: true, deleteCredentials: false };
const stateOf = (...resources: StateResource[]) => ({ resources, pending: [] });
const urnsOf = (...resources: StateResource[]) => resources.map(({ urn }) => urn);

test("a removal keeps data, credentials and CA, which already are protected", () => {
    const plan = planRemoval(stateOf(volume("node1-drive1"), secrets(), credential(), ca(), node), KEEP);
    expect(plan).toMatchObject({ deleted: [], keepsCredentials: true, protect: [], unprotect: [] });
    expect(describeRemoval(plan)).toContain("Kept on disk:\n    node1-drive1 (in Docker's data folder)");
});

test("if retainData is off, a removal first protects them, but nothing else", () => {
    const unprotected = [volume("node1-drive1", undefined, false), secrets([], false), credential(false), ca(false)];
    expect(planRemoval(stateOf(...unprotected, node), KEEP).protect).toEqual(urnsOf(...unprotected));
});

test("a removal that keeps the data keeps what Pulumi knows of its buckets and keys", () => {
    const contents = ["Bucket", "Policy", "AccessKey"].map((kind) =>
        resource(`urn:pulumi:dev::object-store::docker-object-store:index:${kind}::store-app`, {}, false),
    );
    expect(planRemoval(stateOf(...contents, node), KEEP).protect).toEqual(urnsOf(...contents));
    expect(planRemoval(stateOf(...contents, node), DELETE).protect).toEqual([]);
    const after = contents.map((one) => ({ ...one, protect: true }));
    // The next update protects buckets as the program says, and lets go of the others.
    expect(protectedByRemoval(stateOf(...after, volume("node1-drive1")))).toEqual(urnsOf(...contents.slice(1)));
    expect(protectedByRemoval(stateOf(...contents))).toEqual([]);
});

test("--delete-data deletes volumes in Docker's data folder, and the credentials with them", () => {
    const all = [volume("node1-drive1"), secrets(), credential(), ca()];
    const plan = planRemoval(stateOf(...all, node), DELETE);
    expect(plan).toMatchObject({ deleted: ["node1-drive1"], kept: [], keepsCredentials: false });
    expect(plan.unprotect).toEqual(urnsOf(...all));
    expect(describeRemoval(plan)).toContain("Deleted: the credentials");
});

test("--delete-data keeps the credentials of objects that remain in folders of drivePaths", () => {
    const plan = planRemoval(stateOf(volume("node1-drive1", "/mnt/a"), secrets(), credential(), node), DELETE);
    expect(plan).toMatchObject({ deleted: [], keepsCredentials: true, unprotect: [] });
    expect(plan.kept).toEqual([{ volume: "node1-drive1", place: "/mnt/a" }]);
});

test("--delete-data keeps the credentials of objects that remain in existing volumes", () => {
    const labels = [{ label: "docker-object-store.volumes", value: "mine1,mine2" }];
    const plan = planRemoval(stateOf(secrets(labels), credential(), node), DELETE);
    expect(plan).toMatchObject({ deleted: [], keepsCredentials: true, unprotect: [] });
    expect(plan.kept.map((kept) => kept.volume)).toEqual(["mine1", "mine2"]);
});

test("--delete-data deletes what it can if some drives are in folders, and keeps the rest", () => {
    const [own, folder] = [volume("node1-drive1"), volume("node2-drive1", "/mnt/a")];
    const plan = planRemoval(stateOf(own, folder, secrets(), credential()), DELETE);
    expect(plan).toMatchObject({ deleted: ["node1-drive1"], keepsCredentials: true, unprotect: urnsOf(own) });
});

test("--delete-credentials deletes them nevertheless, and says that objects remain", () => {
    const all = [volume("node1-drive1", "/mnt/a"), secrets(), credential()];
    const plan = planRemoval(stateOf(...all), { deleteData: true, deleteCredentials: true });
    expect(plan).toMatchObject({ keepsCredentials: false, unprotect: urnsOf(...all) });
    expect(describeRemoval(plan)).toMatch(/node1-drive1 \(\/mnt\/a\)[^]*Only who has the root keys elsewhere/);
});

test("a data volume that an interrupted update was creating is named before it is deleted", () => {
    const pending = [{ type: "creating", resource: volume("node1-drive1", undefined, false) }];
    expect(planRemoval({ resources: [credential()], pending }, DELETE).deleted).toEqual(["node1-drive1"]);
});

test("data on several hosts is named with its host", () => {
    const onHost = (host: string, of: StateResource) => ({
        ...of,
        provider: `urn:pulumi:dev::object-store::pulumi:providers:docker::store-host-${host}::1b2c`,
    });
    const [one, other] = [onHost("a", volume("node1-drive1")), onHost("b", volume("node2-drive1", "/mnt/a"))];
    const existing = onHost("b", secrets([{ label: "docker-object-store.volumes", value: "mine1" }]));
    expect(describeRemoval(planRemoval(stateOf(one, other, existing), DELETE))).toMatch(
        /Deleted.*:\n {4}node1-drive1, on host a\nKept on disk:\n {4}mine1 \(a volume of your own, on host b\)\n {4}node2-drive1 \(\/mnt\/a, on host b\)\n/,
    );
});

describe("a confirmation", () => {
    const terminal = (typed: string | undefined): Terminal => ({
        interactive: true,
        ask: () => Promise.resolve(typed),
    });
    const nobody: Terminal = { interactive: false, ask: () => Promise.reject(new Error("nobody was to be asked")) };

    test("continues if the stack's name is typed", async () => {
        await expect(confirmByName("prod", terminal("prod\n"), false)).resolves.toBeUndefined();
    });

    test.each(["", "y", "yes", "dev", "PROD", undefined])("refuses %p", async (typed) => {
        await expect(confirmByName("prod", terminal(typed), false)).rejects.toThrow("nothing was changed");
    });

    test("asks no question with --yes", async () => {
        expect(() => refuseUnasked("--delete-data", nobody, true)).not.toThrow();
        await expect(confirmByName("prod", nobody, true)).resolves.toBeUndefined();
    });

    test("is refused without a terminal and without --yes", () => {
        expect(() => refuseUnasked("--delete-data", nobody, false)).toThrow("add --yes. Nothing was changed.");
        expect(() => refuseUnasked("--delete-data", terminal("prod"), false)).not.toThrow();
    });
});
