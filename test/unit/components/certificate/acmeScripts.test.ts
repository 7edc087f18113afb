import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { CLIENT_SCRIPT, LOADER_SCRIPT } from "../../../../components/certificate/acmeScripts";
import { acmeScripts, HOSTNAME, ORDER } from "../../fakes/acmeScripts";

describe("a certificate by ACME, with failures", () => {
    const { path, program, until, fill, obtain, orders, output, running } = acmeScripts();

    test("without space on the disk no certificate is ordered; it is ordered once there is space", async () => {
        program(
            "lego",
            `printf . >> ${path("orders")}; cd ${path("acme/certificates")}; touch ${HOSTNAME}.crt ${HOSTNAME}.key`,
        );
        mkdirSync(path("acme", "room"));
        obtain();
        await until(() => output().includes("has no room for a certificate"));
        expect(orders()).toBe(0);
        rmSync(path("acme", "room"), { recursive: true });
        await until(() => output().includes("obtained a certificate"));
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
            await until(() => output().includes("attempt 1 failed"));
            expect(running()?.exitCode).toBeNull();
        },
        30_000,
    );

    test("after a failed order the next one waits, even if nothing can be recorded", async () => {
        program("lego", `printf . >> ${path("orders")}; echo "no space left on device"; exit 1`);
        ["retry-at.next", "failures.next", "last-failure.next"].forEach((name) => fill("acme", name));
        obtain();
        await until(() => output().includes("attempt 1 failed: no space left on device"));
        await sleep(2000);
        expect(orders()).toBe(1);
        expect(running()?.exitCode).toBeNull();
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
        await until(() => output().includes("attempt 1 failed: loading the certificate"));
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
            await until(() => output().includes("attempt 1 failed"));
            expect(output()).toContain(
                'Get "https://dns.example.com?token=[secret]&again=[secret]": [secret], Check certificate.acme.dns: ' +
                    "environment and secretEnvironment need what the provider duckdns asks for",
            );
            const noted = readFileSync(path("acme", "last-failure"), "utf8");
            for (const text of [token, inUrl, "c[d]"]) {
                expect([output().includes(text), noted.includes(text)]).toEqual([false, false]);
            }
        });

        test("records that don't appear in time: the reason says what to raise", async () => {
            program("lego", `echo "propagation: time limit exceeded: last error: NXDOMAIN"; exit 1`);
            obtain(settings);
            await until(() =>
                output().includes("_PROPAGATION_TIMEOUT, or set certificate.acme.dns.propagationWait; the next one"),
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

    test("the scripts of a single proxy changed on purpose only: another text replaces their containers", () => {
        const digests = [CLIENT_SCRIPT, LOADER_SCRIPT].map((text) => createHash("sha256").update(text).digest("hex"));
        expect(digests).toEqual([
            "9234e287a2dd779e69e534858b6dd2b3e0bc8333cf92dc8aec3eb4ddea0c2665",
            "08b7c3d654862b8243e56b36f08371ba25a57e69b309f824978832a0c4c3ed9b",
        ]);
    });
});
