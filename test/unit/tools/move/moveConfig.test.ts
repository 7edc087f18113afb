import type { MovedStack } from "../../../../tools/move/movedStack";
import { moveValue } from "../../../../tools/move/moveConfig";

test("the config of a move is one value, also once it is done: nothing is removed meanwhile", () => {
    const far = { httpsPort: 8443 } as MovedStack;
    const move = { far, addresses: ["10.0.0.1", "10.0.0.2"], record: { name: "move-1" } };
    const value = { name: "move-1", to: ["10.0.0.1:8443", "10.0.0.2:8443"] };
    expect(JSON.parse(moveValue(move, undefined, false))).toEqual(value);
    expect(JSON.parse(moveValue(move, "ca.pem", true))).toEqual({
        ...value,
        trustedCertificates: { file: "ca.pem" },
        done: true,
    });
});
