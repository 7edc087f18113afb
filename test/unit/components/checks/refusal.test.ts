import * as pulumi from "@pulumi/pulumi";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { componentError, refuse } from "../../../../components/checks/refusal";
import { PROJECT } from "../../../../tools/paths";

describe("a refusal", () => {
    const problems = [
        { propertyPath: "accessKey", reason: "holds a space" },
        { propertyPath: "nodeCount", reason: "99 is not allowed" },
    ];

    test("has everything in its message, and lists no property whose value Pulumi's engine would print", () => {
        let failure: unknown;
        try {
            refuse("ObjectStore", problems);
        } catch (error) {
            failure = error;
        }
        expect(pulumi.InputPropertiesError.isInstance(failure)).toBe(true);
        const { message, errors } = failure as pulumi.InputPropertiesError;
        expect(message).toContain("accessKey: holds a space");
        expect(message).toContain("nodeCount: 99 is not allowed");
        expect(errors).toEqual([]);
    });

    test("by the engine is an error of the component, without a stack trace that Pulumi would color", () => {
        const component = { urn: undefined } as unknown as pulumi.Resource;
        const error = componentError(component, new Error("(HTTP code 500) server error"));
        expect(pulumi.ResourceError.isInstance(error)).toBe(true);
        expect([error.message, error.stack]).toEqual(["(HTTP code 500) server error", ""]);
        const refusal = new pulumi.InputPropertiesError({ message: "refused", errors: [] });
        expect(componentError(component, refusal)).toBe(refusal);
    });

    test("keeps its message, however many outputs and resources wait for what it refused", async () => {
        const component = { urn: undefined } as unknown as pulumi.Resource;
        const error = componentError(component, new Error("not enough space"));
        for (const name of ["endpoints", "reference"]) {
            const outputs = { [name]: Promise.reject(error) };
            await expect(pulumi.runtime.serializeProperties("store", { outputs })).rejects.toBe(error);
        }
        expect(error.message).toBe("not enough space");
        error.message += ", on any drive";
        expect(error.message).toBe("not enough space, on any drive");
    });

    test("comes from one place, whether it is found at once or when the inputs are known", () => {
        const files = ["components", "plugin"].flatMap((folder) =>
            readdirSync(join(PROJECT, folder), { recursive: true, encoding: "utf8" })
                .filter((file) => file.endsWith(".ts"))
                .map((file) => `${folder}/${file}`),
        );
        const making = files.filter((file) =>
            /new (pulumi\.)?InputProper(ty|ties)Error\(/.test(readFileSync(join(PROJECT, file), "utf8")),
        );
        expect(making).toEqual(["components/checks/refusal.ts"]);
    });
});
