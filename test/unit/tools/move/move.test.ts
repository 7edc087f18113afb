import { checkMove, configuredMove, moveFiles } from "../../../../components/settings/storeMove";
import { rcloneConfiguration } from "../../../../tools/move/objectCopy";
import type { MovedStack } from "../../../../tools/move/movedStack";
import { canCopyUsers } from "../../../../tools/move/users";
import { makeCertificate } from "../../../certificates";

test("a move names proxies by address and port; every problem is reported with its path", () => {
    const reasons = checkMove("move", {
        to: ["10.0.0.1:443", "store:443", "10.0.0.2", "10.0.0.3:0"],
        name: "Not this",
    });
    expect(reasons.map(({ propertyPath }) => propertyPath)).toEqual([
        "move.to[1]",
        "move.to[2]",
        "move.to[3]",
        "move.name",
    ]);
    expect(reasons[0]?.reason).toBe('"store:443" is not an IPv4 address with a port: give one, such as 10.0.0.1:443');
    expect(checkMove("move", { to: [] })[0]?.reason).toContain("is empty");
    expect(checkMove("move", { to: ["10.0.0.1:443"], trustedCertificates: "nothing" })).toHaveLength(1);
    expect(checkMove("move", undefined)).toEqual([]);
});

test("a move trusts the given CAs, or the public ones", async () => {
    const { issuer } = await makeCertificate(["s3.example.com"]);
    expect(moveFiles(undefined, { to: [], trustedCertificates: issuer })).toEqual({ "moved-ca.pem": issuer });
    expect(moveFiles("b", { to: [] })["moved-ca-b.pem"]).toContain("-----BEGIN CERTIFICATE-----");
    expect(moveFiles(undefined, undefined)).toEqual({});
    expect(configuredMove(undefined, { to: ["10.0.0.1:8443"] })).toEqual({
        name: "move",
        to: [{ address: "10.0.0.1", port: 8443 }],
        trustedFile: "moved-ca.pem",
        done: false,
    });
});

test("rclone reads the near store at its node, and the far one through its proxies; on the way back the other way round", () => {
    const keys = { accessKey: "key", secretKey: "secret" };
    const near = { keys, node: { address: "10.200.7.10" } } as MovedStack;
    const far = { keys, s3Host: "s3.example.com", httpsPort: 8443 } as MovedStack;
    const endpoints = (back: boolean) =>
        [...rcloneConfiguration({ near, far }, back).matchAll(/^\[(\w+)\][^[]*^endpoint = (.*)$/gm)].map(
            ([, remote, endpoint]) => `${remote} ${endpoint}`,
        );
    expect(endpoints(false)).toEqual(["from http://10.200.7.10:9000", "to https://s3.example.com:8443"]);
    expect(endpoints(true)).toEqual(["to http://10.200.7.10:9000", "from https://s3.example.com:8443"]);
});

test("users are copied between stores of the same kind that can export them", () => {
    expect([canCopyUsers("minio", "minio"), canCopyUsers("rustfs", "rustfs")]).toEqual([true, true]);
    expect([canCopyUsers("rustfs", "minio"), canCopyUsers("service", "service")]).toEqual([false, false]);
});
