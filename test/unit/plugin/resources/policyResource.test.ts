import { urnOf, clientWith, failure, store, created, resourcesOf, found } from "../../fakes/answeringClient";

describe("a policy", () => {
    const urn = urnOf("Policy", "reports");
    const document = '{"Statement":[{"Action":["s3:GetObject"],"Effect":"Allow","Resource":["arn:aws:s3:::a/*"]}]}';

    test("is created from its short form, and up to date as long as the store has that", async () => {
        const { client, ran } = clientWith({ "admin policy info": failure("XMinioAdminNoSuchPolicy") });
        const args = { store, policyName: "reports", read: ["photos"] };
        const { id, outs } = await created(client, urn, args);
        expect(id).toBe("store/reports");
        expect(ran.at(-1)).toMatchObject({
            command: "admin policy create store reports /run/client/input",
            input: (outs as { document: string }).document,
        });
        expect(await resourcesOf(client).diff("", urn, outs, args)).toMatchObject({ changes: false });
        expect(await resourcesOf(client).diff("", urn, { ...(outs as object), document }, args)).toMatchObject({
            changes: true,
            replaces: [],
        });
    });

    test("with another name is created before the former one is deleted, which keys have until then", async () => {
        const state = { store, policyName: "reports", document };
        const diff = (news: object) => resourcesOf(clientWith({}).client).diff("", urn, state, { ...state, ...news });
        expect(await diff({ policyName: "other" })).toMatchObject({
            replaces: ["policyName"],
            deleteBeforeReplace: false,
        });
    });

    test("that was changed by hand is read as the store has it", async () => {
        const { client } = clientWith({
            "admin policy info": [{ policyInfo: { Policy: JSON.parse(document) as object } }],
        });
        const known = { store, policyName: "reports", read: ["photos"], document: "{}" };
        const { inputs } = await found(client, "store/reports", urn, known);
        expect(inputs).toEqual({ store, policyName: "reports", document });
    });

    test("of RustFS is found between its name and its dates", async () => {
        const Policy = { policy_name: "reports", policy: JSON.parse(document) as object, create_date: "2026-11-25" };
        const { client } = clientWith({ "admin policy info": [{ policyInfo: { Policy } }] });
        const known = { store, policyName: "reports", document };
        expect((await found(client, "store/reports", urn, known))["inputs"]).toEqual(known);
    });

    test("that exists with the same content is taken over; another one is refused", async () => {
        const same = clientWith({ "admin policy info": [{ policyInfo: { Policy: JSON.parse(document) as object } }] });
        const { id } = await created(same.client, urn, { store, policyName: "reports", document });
        expect(id).toBe("store/reports");
        const { client } = clientWith({ "admin policy info": [{ policyInfo: { Policy: {} } }] });
        await expect(
            resourcesOf(client).create(urn, { store, policyName: "reports", read: ["photos"] }),
        ).rejects.toThrow("pulumi import docker-object-store:index:Policy NAME store/reports");
    });
});
