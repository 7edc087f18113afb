import {
    urnOf,
    store,
    clientWith,
    failure,
    created,
    SIGNATURE,
    SECRET,
    resourcesOf,
    found,
} from "../../fakes/answeringClient";

describe("an access key", () => {
    const urn = urnOf("AccessKey", "app");
    const args = { store, namePrefix: "app", policies: ["reports"] };

    test("gets a generated secret, which is a secret and no argument of a command", async () => {
        const { client, ran } = clientWith({ "admin user info": failure("NoSuchResource") });
        const { outs } = await created(client, urn, args);
        const { accessKey, secretKey } = outs as { accessKey: string; secretKey: { [name: string]: string } };
        expect(accessKey).toMatch(/^app-[0-9a-f]{8}$/);
        expect(secretKey[SIGNATURE]).toBe(SECRET);
        expect(secretKey["value"]).toMatch(/^[A-Za-z0-9]{40}$/);
        expect(ran.slice(1)).toEqual([
            { command: "admin user add store", input: `${accessKey}\n${secretKey["value"]}\n` },
            { command: `admin policy attach store reports --user ${accessKey}`, input: undefined },
        ]);
    });

    test("has the same id again after a killed update or a removed deployment, with a new secret, and another one than the key that it replaces", async () => {
        const present = (policyName: string) => clientWith({ "admin user info": [{ policyName }] });
        const none = clientWith({ "admin user info": failure("NoSuchResource") }).client;
        const { id } = await created(none, urn, args);
        // The killed update had not attached its policies.
        const again = present("");
        expect((await created(again.client, urn, args)).id).toBe(id);
        expect(again.ran.map(({ command }) => command)).toContain("admin user add store");
        // The store of a removed deployment has been without its key's deletion.
        const used = present("reports");
        expect((await created(used.client, urn, args)).id).toBe(id);
        expect(used.ran.map(({ command }) => command)).toContain("admin user add store");
        expect((await created(none, urnOf("AccessKey", "other"), args)).id).not.toBe(id);
        // A rotation, and the next one.
        const rotated = async (former: string) => {
            const resources = resourcesOf(none);
            const state = { ...args, accessKey: former.slice(6), secretKey: "s", generated: true };
            await resources.diff(former, urn, state, { ...args, rotation: former });
            return (await resources.create(urn, { ...args, rotation: former })).id;
        };
        const second = await rotated(id);
        expect([second === id, await rotated(second)]).toEqual([false, id]);
    });

    test("takes the place of a former key of this resource that the data of a removed stack has brought back", async () => {
        const { client, ran } = clientWith({ "admin user info": [{ policyName: "readonly" }] });
        const resources = resourcesOf(client);
        const state = { ...args, accessKey: "app-1", secretKey: "s", generated: true };
        await resources.diff("store/app-1", urn, state, { ...args, rotation: "2" });
        await resources.create(urn, { ...args, rotation: "2" });
        expect(ran.map(({ command }) => command.replace(/app-\w+/, "KEY"))).toEqual([
            "admin user info store KEY",
            "admin user add store",
            "admin policy attach store reports --user KEY",
            "admin policy detach store readonly --user KEY",
        ]);
    });

    test("is replaced by one that is created first, for another secret or rotation; policies are changed in place", async () => {
        const state = { ...args, accessKey: "app-1", secretKey: { [SIGNATURE]: SECRET, value: "s" }, generated: true };
        const diff = (news: object) => resourcesOf(clientWith({}).client).diff("", urn, state, { ...args, ...news });
        expect(await diff({})).toMatchObject({ changes: false, deleteBeforeReplace: false });
        expect(await diff({ rotation: "2" })).toMatchObject({ replaces: ["rotation"], deleteBeforeReplace: false });
        expect(await diff({ secretKey: "given-secret" })).toMatchObject({ replaces: ["secretKey"] });
        expect(await diff({ policies: ["other"] })).toMatchObject({ changes: true, replaces: [] });
        const { client, ran } = clientWith({ "admin user info": [{ policyName: "reports,readonly" }] });
        await resourcesOf(client).update("", urn, state, { ...args, policies: ["reports", "other"] });
        expect(ran.map(({ command }) => command)).toEqual([
            "admin user info store app-1",
            "admin policy attach store other --user app-1",
            "admin policy detach store readonly --user app-1",
        ]);
    });

    test("that was disabled by hand is enabled by the next update, before its policies are changed", async () => {
        const { client, ran } = clientWith({ "admin user info": [{ policyName: "reports", userStatus: "disabled" }] });
        const resources = resourcesOf(client);
        const { props } = await found(client, "store/app-1", urn, {
            ...args,
            accessKey: "app-1",
            policies: ["reports"],
        });
        expect(props).toMatchObject({ disabled: true });
        const wanted = { ...args, policies: ["reports"] };
        expect(await resources.diff("", urn, props, wanted)).toMatchObject({ changes: true, replaces: [] });
        const updated = await resources.update("", urn, props, { ...args, policies: ["reports", "other"] });
        expect(ran.slice(-2).map(({ command }) => command)).toEqual([
            "admin user enable store app-1",
            "admin policy attach store other --user app-1",
        ]);
        expect(updated.outs).not.toHaveProperty("disabled");
    });

    test.each(["XMinioAdminNoSuchUser", "NoSuchResource"])("that is gone (%s) is read as gone", async (code) => {
        const { client } = clientWith({ "admin user": failure(code) });
        expect(await resourcesOf(client).read("store/app-1", urn, { store, policies: [] })).toEqual({});
        await resourcesOf(client).delete("", urn, { store, accessKey: "app-1" });
    });

    test("that is imported has no secret", async () => {
        const { client } = clientWith({ "admin user info": [{ policyName: "" }] });
        const { props, inputs } = await found(client, "store/app-1", urn, {});
        expect(props).toMatchObject({ accessKey: "app-1", secretKey: { value: "" } });
        expect(inputs).toEqual({ store, namePrefix: "app", policies: [] });
    });
});
