import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { CLIENT_IN_TURN_SCRIPT } from "../../../../components/certificate/acmeScripts";
import { acmeScripts, HOSTNAME, ORDER } from "../../fakes/acmeScripts";

describe("a certificate by ACME, with failures", () => {
    const { path, program, until, obtain, orders, output } = acmeScripts();

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
            expect(output()).toContain("took over the certificate of proxy b");
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
                output().includes(
                    `port 80 of ${HOSTNAME} (192.0.2.1) doesn't reach a proxy of this store: 192.0.2.1: refused`,
                ),
            );
            expect(orders()).toBe(0);
            writeFileSync(path("second"), "");
            await until(() => orders() > 0);
        }, 30_000);
    });
});
