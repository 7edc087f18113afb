import type { StoreHost } from "../../../../components";
import { checkHostnames } from "../../../../tools/up/hostnames";
import { summary } from "../../../../tools/up/summary";

const NAMES = ["localhost", "nowhere.invalid"];

const hostAt = (...addresses: string[]): StoreHost[] =>
    addresses.map((address, index) => ({ name: `host${index}`, dockerHost: `ssh://${address}`, address }));

describe("the store's hostnames", () => {
    let printed: string;

    beforeEach(() => {
        printed = "";
        jest.spyOn(console, "log").mockImplementation((text: string) => void (printed += `${text}\n`));
    });

    afterEach(() => jest.restoreAllMocks());

    test("resolve to this host, or belong into its /etc/hosts", async () => {
        expect(await checkHostnames(NAMES.slice(0, 1))).toMatchObject({ resolve: true, address: "127.0.0.1" });
        expect(await checkHostnames(NAMES)).toEqual({ names: NAMES, resolve: false, address: "127.0.0.1" });
        expect(printed).toMatch(
            /^ *nowhere\.invalid doesn't resolve to this host\. For clients on it, .*\n *127\.0\.0\.1 nowhere\.invalid\n$/m,
        );
    });

    test("resolve to any of the hosts with a proxy, or belong into /etc/hosts with the address of the first", async () => {
        expect(await checkHostnames(["localhost"], hostAt("192.0.2.1", "127.0.0.1"))).toMatchObject({ resolve: true });
        expect(printed).toContain("localhost resolve to a host of the store");
        const found = await checkHostnames(NAMES, hostAt("192.0.2.1", "192.0.2.2"));
        expect(found).toEqual({ names: NAMES, resolve: false, address: "192.0.2.1" });
        expect(printed).toMatch(
            /don't resolve to a host of the store\. For clients on this one, .*\n *192\.0\.2\.1 localhost nowhere\.invalid\n$/,
        );
    });
});

test("the command of the summary goes to a host with a proxy", () => {
    const outputs = {
        s3Endpoint: "https://s3.example.com",
        consoleUrl: "",
        caCertificate: "",
        certificateNotAfter: "",
    };
    const text = summary(outputs, "ca.pem", { names: ["s3.example.com"], resolve: false, address: "192.0.2.1" }, true);
    expect(text).toContain("--resolve s3.example.com:443:192.0.2.1");
    expect(text).toContain("    192.0.2.1 s3.example.com\n");
});
