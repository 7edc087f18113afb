import { spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import {
    chmodSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    readlinkSync,
    renameSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CLIENT_IN_TURN_SCRIPT, CLIENT_SCRIPT, LOADER_SCRIPT } from "../../../../components/certificate/acmeScripts";
import { makeCertificate } from "../../../certificates";

const HOSTNAME = "s3.example.com";
const ORDER = "https://ca.example.com/directory ec256";

/** The scripts of a certificate by ACME, with test programs instead of lego and HAProxy. */
describe("a certificate by ACME, with failures", () => {
    let folder: string;
    let running: ChildProcess | undefined;
    let output = "";

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "acme-"));
        ["acme", "acme/certificates", "served", "bin", "configuration"].forEach((name) => mkdirSync(path(name)));
        output = "";
    });

    afterEach(async () => {
        if (running !== undefined) {
            const end = new Promise((resolve) => running?.once("exit", resolve));
            // This also replaces the script's `sleep`.
            process.kill(-(running.pid ?? 0), "SIGTERM");
            await end;
            running = undefined;
        }
        rmSync(folder, { recursive: true });
    });

    const path = (...parts: string[]) => join(folder, ...parts);

    const program = (name: string, script: string) => {
        writeFileSync(path("bin", name), `#!/bin/sh\n${script}\n`);
        chmodSync(path("bin", name), 0o755);
    };

    const start = (script: string, environment: { [name: string]: string }) => {
        const common = {
            PATH: `${path("bin")}:${process.env["PATH"] ?? ""}`,
            ACME_DIRECTORY: path("acme"),
            HOSTNAMES: HOSTNAME,
            ORDER,
        };
        running = spawn("/bin/sh", ["-c", script], { env: { ...common, ...environment }, detached: true });
        [running.stdout, running.stderr].forEach((stream) => stream?.on("data", (data) => (output += String(data))));
    };

    const until = async (holds: () => boolean) => {
        for (let round = 0; !holds() && round < 200; round += 1) {
            await sleep(50);
        }
        expect({ holds: holds(), output }).toMatchObject({ holds: true });
    };

    /** A file to which nothing can be written: the disk is full. */
    const fill = (...parts: string[]) => symlinkSync("/dev/full", path(...parts));

    const obtain = (environment: { [name: string]: string } = {}, script = CLIENT_SCRIPT) =>
        start(script, {
            ALWAYS_DUE_DAYS: "36500",
            CHALLENGE_PORT: "8402",
            CHECK_INTERVAL: "3600",
            DIRECTORY_URL: "https://ca.example.com/directory",
            DNS_PROVIDER: "",
            EMAIL: "",
            KEY_TYPE: "ec256",
            LONGEST_RETRY_SECONDS: "60",
            PREFLIGHT: "false",
            PREFLIGHT_SECONDS: "1",
            PROPAGATION_WAIT: "",
            RETRY_INTERVAL: "60",
            SECRETS: path("configuration"),
            ACME_SECRETS: "acme.environment",
            ACME_TRUSTED: "acme-ca.pem",
            SELF_CHECK: "",
            SELF_CHECK_PATH: "",
            ...environment,
        });

    const orders = () => (existsSync(path("orders")) ? readFileSync(path("orders"), "utf8").length : 0);

    test("without space on the disk no certificate is ordered; it is ordered once there is space", async () => {
        program(
            "lego",
            `printf . >> ${path("orders")}; cd ${path("acme/certificates")}; touch ${HOSTNAME}.crt ${HOSTNAME}.key`,
        );
        mkdirSync(path("acme", "room"));
        obtain();
        await until(() => output.includes("has no room for a certificate"));
        expect(orders()).toBe(0);
        rmSync(path("acme", "room"), { recursive: true });
        await until(() => output.includes("obtained a certificate"));
        expect(orders()).toBe(1);
    }, 30_000);

    test("a wait begins again, and isn't longer, if the clock was far ahead when it was recorded, or is behind now", async () => {
        program("lego", `printf . >> ${path("orders")}; exit 1`);
        const now = Math.floor(Date.now() / 1000);
        writeFileSync(path("acme", "retry-at"), `${now + 31_536_000} 5\n`);
        obtain();
        await until(() => !readFileSync(path("acme", "retry-at"), "utf8").startsWith(String(now + 31_536_000)));
        expect(orders()).toBe(0);
        await until(() => orders() === 1);
    }, 30_000);

    test.each(["soon 60", "12x 60", "08 09", "-5 60", "5000000000 later", "99999999999999999999 60", "\u0000"])(
        "a damaged note of a wait (%j) ends neither the client nor the orders",
        async (text) => {
            program("lego", `printf . >> ${path("orders")}; exit 1`);
            writeFileSync(path("acme", "retry-at"), `${text}\n`);
            obtain();
            await until(() => orders() === 1);
            await until(() => output.includes("attempt 1 failed"));
            expect(running?.exitCode).toBeNull();
        },
        30_000,
    );

    test("after a failed order the next one waits, even if nothing can be recorded", async () => {
        program("lego", `printf . >> ${path("orders")}; echo "no space left on device"; exit 1`);
        ["retry-at.next", "failures.next", "last-failure.next"].forEach((name) => fill("acme", name));
        obtain();
        await until(() => output.includes("attempt 1 failed: no space left on device"));
        await sleep(2000);
        expect(orders()).toBe(1);
        expect(running?.exitCode).toBeNull();
    }, 30_000);

    test.each([
        ["of a client that was killed while it wrote them are obtained again", "digest of others", "run"],
        ["that were noted are only renewed", createHash("sha256").digest("hex"), "renew"],
    ])("files %s", async (_, digest, command) => {
        program("lego", `echo "$*" > ${path("commands.next")}; mv ${path("commands.next")} ${path("commands")}`);
        ["crt", "key"].forEach((kind) => writeFileSync(path("acme", "certificates", `${HOSTNAME}.${kind}`), ""));
        writeFileSync(path("acme", "obtained"), `${ORDER}\n`);
        writeFileSync(path("acme", "ready"), `${digest} ${ORDER}\n`);
        writeFileSync(path("acme", "failures"), "no number\n");
        obtain();
        await until(() => existsSync(path("commands")));
        expect(readFileSync(path("commands"), "utf8")).toContain(` ${command}`);
    });

    test("a certificate that was damaged while the client runs is ordered again, once its renewal has failed", async () => {
        program(
            "lego",
            `echo "$*" >> ${path("commands")}; case "$*" in *renew*) echo "loading the certificate: no PEM"; exit 1 ;; esac`,
        );
        ["crt", "key"].forEach((kind) => writeFileSync(path("acme", "certificates", `${HOSTNAME}.${kind}`), ""));
        writeFileSync(path("acme", "obtained"), `${ORDER}\n`);
        writeFileSync(path("acme", "ready"), `${createHash("sha256").digest("hex")} ${ORDER}\n`);
        obtain({ RETRY_INTERVAL: "1" });
        await until(() => output.includes("attempt 1 failed: loading the certificate"));
        await until(() => readFileSync(path("commands"), "utf8").trimEnd().endsWith(" run"));
    });

    describe("by DNS-01", () => {
        const secrets = (variables: string) => {
            writeFileSync(path("configuration", "acme.environment.next"), variables);
            renameSync(path("configuration", "acme.environment.next"), path("configuration", "acme.environment"));
        };
        const settings = { DNS_PROVIDER: "duckdns", PROPAGATION_WAIT: "" };

        test("lego gets the provider, its variables and the wait, and no port", async () => {
            program(
                "lego",
                `echo "$* token=$DUCKDNS_TOKEN" > ${path("got.next")}; mv ${path("got.next")} ${path("got")}`,
            );
            secrets("DUCKDNS_TOKEN='it'\\''s secret'\n");
            obtain({ ...settings, PROPAGATION_WAIT: "30" });
            await until(() => existsSync(path("got")));
            const got = readFileSync(path("got"), "utf8");
            expect(got).toContain(" --dns duckdns --dns.propagation-wait 30s ");
            expect(got).toContain("token=it's secret");
            expect(got).not.toContain("--http");
        });

        test("no credential is in the log or in a note, however lego prints it; the reason says what to check", async () => {
            const token = "a*b?c[d]/+ \\e";
            const inUrl = "a*b%3Fc%5Bd%5D%2F%2B%20%5Ce";
            program(
                "lego",
                `printf 'error presenting token: Get "https://dns.example.com?token=%s&again=%s": %s, %s\\n' ` +
                    `"$TOKEN" '${inUrl}' "$TOKEN" "$ACME_TEXTS_TO_REMOVE"; exit 1`,
            );
            secrets(`ACME_TEXTS_TO_REMOVE='${inUrl}\n${token}'\nTOKEN='${token}'\n`);
            obtain(settings);
            await until(() => output.includes("attempt 1 failed"));
            expect(output).toContain(
                'Get "https://dns.example.com?token=[secret]&again=[secret]": [secret], Check certificate.acme.dns: ' +
                    "environment and secretEnvironment need what the provider duckdns asks for",
            );
            const noted = readFileSync(path("acme", "last-failure"), "utf8");
            for (const text of [token, inUrl, "c[d]"]) {
                expect([output.includes(text), noted.includes(text)]).toEqual([false, false]);
            }
        });

        test("records that don't appear in time: the reason says what to raise", async () => {
            program("lego", `echo "propagation: time limit exceeded: last error: NXDOMAIN"; exit 1`);
            obtain(settings);
            await until(() =>
                output.includes("_PROPAGATION_TIMEOUT, or set certificate.acme.dns.propagationWait; the next one"),
            );
        });

        test("corrected credentials are tried at once, the same ones only after the wait", async () => {
            program("lego", `printf . >> ${path("orders")}; exit 1`);
            secrets("TOKEN='wrong'\n");
            obtain(settings);
            await until(() => orders() === 1);
            await sleep(2500);
            expect(orders()).toBe(1);
            secrets("TOKEN='other'\n");
            await until(() => orders() === 2);
            await sleep(2500);
            expect(orders()).toBe(2);
        }, 30_000);
    });

    describe("of one of several proxies", () => {
        const obtainInTurn = (environment: { [name: string]: string } = {}) =>
            obtain({ CHECK_INTERVAL: "1", RETRY_INTERVAL: "1", ...environment }, CLIENT_IN_TURN_SCRIPT);
        const now = () => Math.floor(Date.now() / 1000);
        const giveTurn = (seconds = 60) => writeFileSync(path("acme", "turn"), `${now() + seconds}\n`);
        const note = (name: string) => {
            try {
                return readFileSync(path("acme", name), "utf8").trimEnd();
            } catch {
                return undefined;
            }
        };
        const lego = (then = "") =>
            program(
                "lego",
                `printf . >> ${path("orders")}; ${then}
                cd ${path("acme/certificates")}; echo own > ${HOSTNAME}.crt; echo key > ${HOSTNAME}.key`,
            );
        /** Puts files of another proxy where the client takes them over. */
        const offer = (order = ORDER, replaces = "") => {
            mkdirSync(path("acme", "taken.next", "certificates"), { recursive: true });
            mkdirSync(path("acme", "taken.next", "accounts", "ca"), { recursive: true });
            const files = {
                order,
                from: "b",
                replaces,
                [`certificates/${HOSTNAME}.crt`]: "c",
                [`certificates/${HOSTNAME}.key`]: "k",
            };
            for (const [name, text] of Object.entries(files)) {
                writeFileSync(path("acme", "taken.next", name), `${text}\n`);
            }
            writeFileSync(path("acme", "taken.next", "accounts", "ca", "account.json"), "{}");
            renameSync(path("acme", "taken.next"), path("acme", "taken"));
        };

        test("nothing is ordered before its turn, nor after it; it gives a sign of life", async () => {
            lego();
            obtainInTurn();
            await until(() => Number(note("alive")) >= now() - 2);
            await sleep(2500);
            expect(orders()).toBe(0);
            expect(note("ordering")).toBeUndefined();
            giveTurn();
            await until(() => orders() >= 1);
            rmSync(path("acme", "turn"));
            // An order takes about 6 s: its proxy waits for the others.
            await sleep(7000);
            const made = orders();
            await sleep(8000);
            expect(orders()).toBe(made);
        }, 60_000);

        test("a turn that isn't extended ends, as when the container that gives it has died", async () => {
            lego();
            giveTurn(-1);
            obtainInTurn();
            await until(() => note("alive") !== undefined);
            await sleep(2500);
            expect(orders()).toBe(0);
        }, 30_000);

        test("there is a note while something is ordered", async () => {
            lego(`cp ${path("acme", "ordering")} ${path("noted")};`);
            giveTurn();
            obtainInTurn({ CHECK_INTERVAL: "3600" });
            await until(() => orders() === 1 && note("ready") !== undefined);
            expect(Number(readFileSync(path("noted"), "utf8"))).toBeGreaterThan(now() - 20);
            await until(() => note("ordering") === undefined);
        }, 30_000);

        test("what another proxy has obtained is taken over with its account, and only renewed from then on", async () => {
            program("lego", `echo "$*" > ${path("commands.next")}; mv ${path("commands.next")} ${path("commands")}`);
            obtainInTurn();
            await until(() => note("alive") !== undefined);
            offer();
            await until(() => note("taken/from") === undefined && note("ready") !== undefined);
            expect(output).toContain("took over the certificate of proxy b");
            expect(note("ready")).toBe(`${createHash("sha256").update("c\nk\n").digest("hex")} ${ORDER}`);
            expect(note("accounts/ca/account.json")).toBe("{}");
            giveTurn();
            await until(() => existsSync(path("commands")));
            expect(readFileSync(path("commands"), "utf8")).toContain(" renew ");
        }, 30_000);

        test("what was ordered for other settings is not taken over", async () => {
            obtainInTurn();
            await until(() => note("alive") !== undefined);
            offer("https://ca.example.com/directory rsa2048");
            await until(() => !existsSync(path("acme", "taken")));
            expect(note("ready")).toBeUndefined();
            expect(existsSync(path("acme", "certificates", `${HOSTNAME}.crt`))).toBe(false);
        }, 30_000);

        test("what replaces another certificate than the present one is outdated, and not taken over", async () => {
            lego();
            giveTurn();
            obtainInTurn({ CHECK_INTERVAL: "3600" });
            await until(() => note("ready") !== undefined && note("ordering") === undefined);
            const obtained = note("ready");
            offer();
            await until(() => !existsSync(path("acme", "taken")));
            expect(note("ready")).toBe(obtained);
            expect(note(`certificates/${HOSTNAME}.crt`)).toBe("own");
            offer(ORDER, obtained);
            await until(() => note("ready") !== obtained);
            expect(note(`certificates/${HOSTNAME}.crt`)).toBe("c");
        }, 30_000);

        test("what can't be noted is taken over again", async () => {
            mkdirSync(path("acme", "ready.next"));
            obtainInTurn();
            await until(() => note("alive") !== undefined);
            offer();
            await until(() => note("obtained") === ORDER);
            await sleep(1500);
            expect(existsSync(path("acme", "taken"))).toBe(true);
            rmSync(path("acme", "ready.next"), { recursive: true });
            await until(() => note("ready") !== undefined && !existsSync(path("acme", "taken")));
        }, 30_000);

        test("hostnames have to lead to a proxy of the store, at any of their addresses", async () => {
            lego();
            program("getent", `echo "192.0.2.1 $2"; [ ! -e ${path("second")} ] || echo "2001:db8::2 $2"`);
            program(
                "wget",
                `case "$*" in *"http://[2001:db8::2]/self"*) printf mine ;; *) echo refused >&2; exit 4 ;; esac`,
            );
            giveTurn();
            obtainInTurn({ PREFLIGHT: "true", SELF_CHECK: "mine", SELF_CHECK_PATH: "/self" });
            await until(() =>
                output.includes(
                    `port 80 of ${HOSTNAME} (192.0.2.1) doesn't reach a proxy of this store: 192.0.2.1: refused`,
                ),
            );
            expect(orders()).toBe(0);
            writeFileSync(path("second"), "");
            await until(() => orders() > 0);
        }, 30_000);
    });

    test("the scripts of a single proxy changed on purpose only: another text replaces their containers", () => {
        const digests = [CLIENT_SCRIPT, LOADER_SCRIPT].map((text) => createHash("sha256").update(text).digest("hex"));
        expect(digests).toEqual([
            "9234e287a2dd779e69e534858b6dd2b3e0bc8333cf92dc8aec3eb4ddea0c2665",
            "08b7c3d654862b8243e56b36f08371ba25a57e69b309f824978832a0c4c3ed9b",
        ]);
    });

    /** Starts the loader with an obtained certificate. Returns what its notes have to contain. */
    const load = async () => {
        const { certificate, issuer, key } = await makeCertificate([HOSTNAME]);
        writeFileSync(path("acme", "certificates", `${HOSTNAME}.crt`), certificate + issuer);
        writeFileSync(path("acme", "certificates", `${HOSTNAME}.key`), key);
        const certificateFile = path("served", "current", "certificate.pem");
        writeFileSync(
            path("configuration", "haproxy.cfg"),
            `global\n    default-path config\n    crt ${certificateFile}\n`,
        );
        const digest = createHash("sha256")
            .update(certificate + issuer + key)
            .digest("hex");
        const obtained = `${digest} ${ORDER}\n`;
        writeFileSync(path("acme", "ready"), obtained);
        startLoader();
        return obtained;
    };

    const startLoader = () =>
        start(LOADER_SCRIPT, {
            CERTIFICATE_DIRECTORY: path("served"),
            CONFIGURATION: path("configuration"),
            CURRENT: "current",
            RELOAD: path("bin", "reload"),
            STATS_SOCKET: path("stats.sock"),
            VALUES_FILE: path("served/current/values"),
        });

    const deployed = () => readFileSync(path("served", "current", "deployed"), "utf8");
    const isSaid = (text: string) => output.split(text).length - 1;

    /** Shortens the loader's seconds, and counts them. */
    const hurry = () => program("sleep", `printf . >> ${path("seconds")}; exec /bin/sleep 0.01`);
    const seconds = () => (existsSync(path("seconds")) ? readFileSync(path("seconds"), "utf8").length : 0);

    test("an obtained certificate is checked with the files beside haproxy.cfg, and in place of the current one", async () => {
        program("haproxy", `[ "$1 $2" = "-c -f" ] && cp "$3" ${path("checked")}`);
        program("reload", "echo loaded");
        await load();
        await until(() => output.includes("loaded the certificate that is valid until"));
        expect(readFileSync(path("checked"), "utf8")).toBe(
            `global\n    default-path origin ${path("configuration")}\n    crt ${path("served", readlinkSync(path("served", "current")))}/certificate.pem\n`,
        );
    }, 30_000);

    test("an obtained certificate isn't loaded without its notes; it is loaded once there is space", async () => {
        program("haproxy", "exit 0");
        program("reload", "echo loaded");
        // The folder in which the loader creates the new files is full.
        program(
            "mktemp",
            `mkdir version.1; [ -e ${path("emptied")} ] || ln -s /dev/full version.1/loading.next; echo version.1`,
        );
        const obtained = await load();
        await until(() => output.includes("can't be written to"));
        expect(existsSync(path("served", "current"))).toBe(false);
        await sleep(2000);
        expect(isSaid("can't be written to")).toBe(1);
        writeFileSync(path("emptied"), "");
        await until(() => output.includes("loaded the certificate that is valid until"));
        expect(deployed()).toBe(obtained);
    }, 30_000);

    test("if the link can't be moved, the active certificate stays, and the loader tries again", async () => {
        program("haproxy", "exit 0");
        program("reload", "echo loaded");
        program("mv", `case "$*" in *" current") [ -e ${path("emptied")} ] || exit 1 ;; esac; exec /bin/mv "$@"`);
        mkdirSync(path("served", "version.0"));
        writeFileSync(path("served", "version.0", "values"), "not_after 1\nrenewal_failures 0\n");
        symlinkSync("version.0", path("served", "current"));
        const obtained = await load();
        await until(() => output.includes("can't be written to"));
        expect(readFileSync(path("served", "current", "values"), "utf8")).toContain("not_after 1\n");
        writeFileSync(path("emptied"), "");
        await until(() => output.includes("loaded the certificate that is valid until"));
        expect(deployed()).toBe(obtained);
    }, 30_000);

    test.each([
        ["refused is tried again each minute", "haproxy", 1, "refused, the former one stays", 2 * 60],
        [
            "not loaded is tried again after ever longer times",
            "reload",
            1,
            "not loaded, the former one stays",
            60 + 120,
        ],
        ["not loaded, since HAProxy wasn't asked, is tried again each minute", "reload", 3, "not loaded", 2 * 60],
    ])(
        "what was %s, and that is said once",
        async (_, failing, code, line, secondsOfThreeTries) => {
            hurry();
            ["haproxy", "reload"].forEach((name) => program(name, "exit 0"));
            program(
                failing,
                `[ ! -e ${path("emptied")} ] || exit 0; printf . >> ${path("tries")}; echo '[ALERT] ('$$') : out of memory'; exit ${code}`,
            );
            const obtained = await load();
            await until(() => existsSync(path("tries")) && readFileSync(path("tries"), "utf8").length >= 3);
            expect(seconds()).toBeGreaterThanOrEqual(secondsOfThreeTries);
            expect(seconds()).toBeLessThan(secondsOfThreeTries + 60);
            expect(isSaid(line)).toBe(1);
            expect(existsSync(path("served", "current", "deployed"))).toBe(false);
            writeFileSync(path("emptied"), "");
            await until(() => output.includes("loaded the certificate that is valid until"));
            expect(deployed()).toBe(obtained);
        },
        60_000,
    );

    test("a note of failures that isn't a number is ignored, and never executed", async () => {
        ["haproxy", "reload"].forEach((name) => program(name, "exit 0"));
        writeFileSync(path("acme", "failures"), `7/;system("touch ${path("taken")}");s/x/\n`);
        await load();
        await until(() => output.includes("loaded the certificate that is valid until"));
        await sleep(2000);
        expect(existsSync(path("taken"))).toBe(false);
        expect(readFileSync(path("served", "current", "values"), "utf8")).toContain("renewal_failures 0\n");
        writeFileSync(path("acme", "failures"), "3\n");
        await until(() => readFileSync(path("served", "current", "values"), "utf8").includes("renewal_failures 3\n"));
    }, 30_000);

    test("a certificate that was written but not loaded, because the loader was killed, is loaded", async () => {
        program("haproxy", "exit 0");
        // Kills the whole process group, as the engine does.
        program("reload", `[ -e ${path("killed")} ] && exit 0; touch ${path("killed")}; kill -9 0`);
        const obtained = await load();
        await new Promise((resolve) => running?.once("exit", resolve));
        expect(existsSync(path("killed"))).toBe(true);
        startLoader();
        await until(() => output.includes("loaded the certificate that is valid until"));
        expect(deployed()).toBe(obtained);
    }, 30_000);
});
