import { spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import {
    lstatSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    statSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROJECT } from "../../../../../tools/paths";
import { makeCertificate } from "../../../../certificates";

const SCRIPT = join(PROJECT, "components", "proxy", "scripts", "prepareCertificate.sh");
const HOSTNAMES = ["s3.example.com", "console.example.com"];
const ORDER = "https://ca.example.com/directory ec256";
const SECOND = 1000;

describe("the certificate that is served when one by ACME is configured", () => {
    let folder: string;
    let pems: { [name: string]: string };

    beforeAll(async () => {
        const pem = async (...args: Parameters<typeof makeCertificate>) => {
            const { certificate, issuer, key } = await makeCertificate(...args);
            return certificate + issuer + key;
        };
        pems = {
            good: await pem(HOSTNAMES),
            obtained: await pem(HOSTNAMES),
            expired: await pem(HOSTNAMES, -20, -10),
            elsewhere: await pem(["s3.localhost", "console.localhost"]),
        };
    });

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "prepare-"));
        ["certificates", "former"].forEach((name) => mkdirSync(join(folder, name)));
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    const path = (...parts: string[]) => join(folder, ...parts);

    /** A certificate that the client has obtained earlier, and its order. */
    const obtain = (name: string, order: string) => {
        mkdirSync(path("certificates", "version.obtained"));
        writeFileSync(path("certificates", "version.obtained", "certificate.pem"), pems[name] ?? "");
        writeFileSync(path("certificates", "version.obtained", "deployed"), `digest ${order}\n`);
        symlinkSync("version.obtained", path("certificates", "current"));
    };

    /** The certificate served until then: one next to the configuration, or one by ACME. */
    const serve = (name?: string) => {
        writeFileSync(path("former", "haproxy.cfg"), "global\n");
        if (name !== undefined) {
            writeFileSync(path("former", "certificate.pem"), pems[name] ?? "");
        }
    };

    const prepare = (former = path("former")) => {
        const { status, stdout, stderr } = spawnSync("sh", ["-c", readFileSync(SCRIPT, "utf8")], {
            encoding: "utf8",
            env: {
                PATH: process.env["PATH"],
                CERTIFICATES: path("certificates"),
                CURRENT: "current",
                FORMER: former,
                HOSTNAMES: HOSTNAMES.join(" "),
                ORDER,
                DAYS: "7",
            },
        });
        expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
        return stdout;
    };

    const read = (file: string) => readFileSync(path("certificates", "current", file), "utf8");
    const served = () => Object.keys(pems).find((name) => pems[name] === read("certificate.pem")) ?? "temporary";

    test("is the active certificate, and the metrics have its expiry", () => {
        serve("good");
        expect(prepare()).toContain("the certificate in force stays");
        expect(served()).toBe("good");
        const end = Date.parse(new X509Certificate(read("certificate.pem")).validTo) / SECOND;
        expect(read("values")).toBe(`not_after ${end}\nrenewal_failures 0\n`);
        expect(statSync(path("certificates", "current", "certificate.pem")).mode & 0o777).toBe(0o600);
    });

    test("is the active certificate, not one that was obtained for another order", () => {
        serve("good");
        obtain("obtained", "https://staging.example.com/directory ec256");
        prepare();
        expect(served()).toBe("good");
        expect(readdirSync(path("certificates", "current"))).not.toContain("deployed");
        expect(readdirSync(path("certificates"))).toHaveLength(2);
    });

    test("is a temporary one if a power failure has truncated the active one", () => {
        serve();
        obtain("obtained", ORDER);
        writeFileSync(path("certificates", "current", "certificate.pem"), "");
        expect(prepare()).toContain("a temporary one");
        expect(served()).toBe("temporary");
    });

    test("is one that was obtained for the same order, while it is valid", () => {
        serve("good");
        obtain("obtained", ORDER);
        expect(prepare()).toBe("");
        expect(served()).toBe("obtained");
        expect(read("deployed")).toContain(ORDER);
    });

    test("is the intended one if an earlier run was killed while it created the link", () => {
        serve("good");
        obtain("expired", ORDER);
        symlinkSync("version.obtained", path("certificates", "prepared"));
        prepare();
        expect(served()).toBe("good");
    });

    test("is never an expired one, even if it was obtained for the same order", () => {
        serve("good");
        obtain("expired", ORDER);
        prepare();
        expect(served()).toBe("good");
    });

    test("is an earlier obtained one if the active one has expired or covers other hostnames", () => {
        serve("elsewhere");
        obtain("obtained", "another order");
        prepare();
        expect(served()).toBe("obtained");
        serve("expired");
        prepare();
        expect(served()).toBe("obtained");
    });

    test("is the active one for other hostnames, if no valid one covers these", () => {
        serve("elsewhere");
        obtain("expired", ORDER);
        prepare();
        expect(served()).toBe("elsewhere");
    });

    test.each([
        ["nothing is served", undefined],
        ["what is served has expired", "expired"],
        ["what is served can't be read", "rubbish"],
    ])("is a temporary one for both hostnames if %s, and the obtained one has expired", (_, name) => {
        if (name !== undefined) {
            serve(name);
        }
        obtain("expired", ORDER);
        expect(prepare(name === undefined ? "" : undefined)).toContain("a temporary one, which nobody trusts");
        const certificate = new X509Certificate(read("certificate.pem"));
        expect(served()).toBe("temporary");
        expect(HOSTNAMES.map((hostname) => certificate.checkHost(hostname))).toEqual(HOSTNAMES);
        expect(read("certificate.pem")).toContain("PRIVATE KEY");
        expect(read("values")).toBe(`not_after ${Date.parse(certificate.validTo) / SECOND}\nrenewal_failures 0\n`);
    });

    test("stays unchanged if it is one by ACME already", () => {
        serve();
        obtain("obtained", "a former order");
        expect(prepare()).toBe("");
        expect([served(), read("deployed")]).toEqual(["obtained", "digest a former order\n"]);
    });

    test("is the same after a failed update that is repeated", () => {
        serve("good");
        prepare();
        prepare();
        expect(served()).toBe("good");
        expect(readdirSync(path("certificates"))).toHaveLength(2);
    });

    test.each(["../victim", "version.x/../../victim", "victim"])(
        "a link to %s isn't followed: nothing there is removed, changed or served",
        (target) => {
            mkdirSync(path("victim"));
            mkdirSync(path("certificates", "victim"));
            ["certificate.pem", "kept"].forEach((name) => {
                writeFileSync(path("victim", name), pems["good"] ?? "");
                writeFileSync(path("certificates", "victim", name), pems["good"] ?? "");
            });
            symlinkSync(target, path("certificates", "current"));
            prepare("");
            expect(readdirSync(path("victim"))).toEqual(["certificate.pem", "kept"]);
            expect(readdirSync(path("certificates", "victim"))).toEqual(["certificate.pem", "kept"]);
            expect(readFileSync(path("certificates", "current", "certificate.pem"), "utf8")).not.toBe(pems["good"]);
        },
    );
});

describe("the key with which proxies authenticate each other", () => {
    test("isn't written to what a link in the folder leads to", () => {
        const folder = mkdtempSync(join(tmpdir(), "peers-"));
        const path = (name: string) => join(folder, name);
        writeFileSync(path("key"), "key");
        writeFileSync(path("victim"), "victim");
        mkdirSync(path("served"));
        symlinkSync(path("victim"), path("served/peers.pem.next"));
        symlinkSync(path("victim"), path("served/peers.pem"));
        const script = join(PROJECT, "components", "proxy", "scripts", "placePeersFile.sh");
        const { status, stderr } = spawnSync("sh", ["-c", readFileSync(script, "utf8")], {
            encoding: "utf8",
            cwd: folder,
            env: {
                PATH: process.env["PATH"],
                PEERS_CONFIGURATION_FILE: "key",
                PEERS_FILE: path("served/peers.pem"),
            },
        });
        expect([status, stderr]).toEqual([0, ""]);
        expect(readFileSync(path("victim"), "utf8")).toBe("victim");
        expect(lstatSync(path("served/peers.pem")).isFile()).toBe(true);
        expect(readFileSync(path("served/peers.pem"), "utf8")).toBe("key");
        expect(readdirSync(path("served"))).toEqual(["peers.pem"]);
        rmSync(folder, { recursive: true });
    });
});
