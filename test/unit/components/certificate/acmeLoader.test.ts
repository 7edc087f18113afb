import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { LOADER_SCRIPT } from "../../../../components/certificate/acmeScripts";
import { makeCertificate } from "../../../certificates";
import { acmeScripts, HOSTNAME, ORDER } from "../../fakes/acmeScripts";

describe("a certificate by ACME, with failures", () => {
    const { path, program, start, until, output, running } = acmeScripts();

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
    const isSaid = (text: string) => output().split(text).length - 1;

    /** Shortens the loader's seconds, and counts them. */
    const hurry = () => program("sleep", `printf . >> ${path("seconds")}; exec /bin/sleep 0.01`);
    const seconds = () => (existsSync(path("seconds")) ? readFileSync(path("seconds"), "utf8").length : 0);

    test("an obtained certificate is checked with the files beside haproxy.cfg, and in place of the current one", async () => {
        program("haproxy", `[ "$1 $2" = "-c -f" ] && cp "$3" ${path("checked")}`);
        program("reload", "echo loaded");
        await load();
        await until(() => output().includes("loaded the certificate that is valid until"));
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
        await until(() => output().includes("can't be written to"));
        expect(existsSync(path("served", "current"))).toBe(false);
        await sleep(2000);
        expect(isSaid("can't be written to")).toBe(1);
        writeFileSync(path("emptied"), "");
        await until(() => output().includes("loaded the certificate that is valid until"));
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
        await until(() => output().includes("can't be written to"));
        expect(readFileSync(path("served", "current", "values"), "utf8")).toContain("not_after 1\n");
        writeFileSync(path("emptied"), "");
        await until(() => output().includes("loaded the certificate that is valid until"));
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
            await until(() => output().includes("loaded the certificate that is valid until"));
            expect(deployed()).toBe(obtained);
        },
        60_000,
    );

    test("a note of failures that isn't a number is ignored, and never executed", async () => {
        ["haproxy", "reload"].forEach((name) => program(name, "exit 0"));
        writeFileSync(path("acme", "failures"), `7/;system("touch ${path("taken")}");s/x/\n`);
        await load();
        await until(() => output().includes("loaded the certificate that is valid until"));
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
        await new Promise((resolve) => running()?.once("exit", resolve));
        expect(existsSync(path("killed"))).toBe(true);
        startLoader();
        await until(() => output().includes("loaded the certificate that is valid until"));
        expect(deployed()).toBe(obtained);
    }, 30_000);
});
