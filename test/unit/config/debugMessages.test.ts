import * as pulumi from "@pulumi/pulumi";
import { omitDebugMessages } from "../../../config/debugMessages";

test("the SDK's own debug messages are not sent, and others are", async () => {
    const sent = jest.fn(() => Promise.resolve());
    const log: typeof pulumi.log = { ...pulumi.log, debug: sent };
    omitDebugMessages(log, {});
    await log.debug("a message");
    expect(sent).not.toHaveBeenCalled();
    expect(log.warn).toBe(pulumi.log.warn);
});

test("with DEBUG in the environment they are sent", async () => {
    const sent = jest.fn(() => Promise.resolve());
    const log = { debug: sent };
    omitDebugMessages(log, { DEBUG: "1" });
    await log.debug();
    expect(sent).toHaveBeenCalled();
});

test("the SDK sends them by the function that is replaced", () => {
    const { debug } = pulumi.log;
    try {
        omitDebugMessages(pulumi.log, {});
        const replaced = pulumi.log.debug;
        // eslint-disable-next-line @typescript-eslint/no-require-imports -- what the SDK's own files get
        expect((require("@pulumi/pulumi/log") as typeof pulumi.log).debug).toBe(replaced);
    } finally {
        (pulumi.log as { debug: typeof debug }).debug = debug;
    }
});
