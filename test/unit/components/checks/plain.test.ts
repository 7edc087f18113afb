import * as pulumi from "@pulumi/pulumi";
import { ifKnown, isPlain } from "../../../../components/checks/plain";
import { mockEngine, valueOf } from "../../fakes/mockEngine";

beforeEach(() => mockEngine());

test("a value that is unknown in a preview is not plain", () => {
    expect(isPlain(pulumi.unknown)).toBe(false);
    expect(isPlain({ s3Host: pulumi.unknown })).toBe(false);
});

test("only a known value is passed on", async () => {
    expect(await valueOf(ifKnown(pulumi.output("known")))).toBe("known");
    expect(await valueOf(ifKnown(pulumi.output(pulumi.unknown)))).toBeUndefined();
});
