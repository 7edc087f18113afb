import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { script } from "../../../../../../components/docker/script";
import { PROJECT } from "../../../../../../tools/paths";

test("reach.sh prints what curl finds out", () => {
    const folder = mkdtempSync(join(tmpdir(), "reach-"));
    try {
        const answers = `case "$*" in
            *//1*) echo '* connect to 1 port 9 failed: Connection refused' >&2 && printf '[connected after 0.000000 s]' ;;
            *//2*) echo '* connect to 2 port 9 failed: No route to host' >&2 && printf '[connected after 0.000000 s]' ;;
            *//3*) echo '* Connection timed out after 3001 milliseconds' >&2 && printf '[connected after 0.000000 s]' ;;
            *//4*) echo '* Empty reply from server' >&2 && printf '[connected after 0.000137 s]' ;;
            *) echo 'no such option' >&2 && exit 2 ;;
        esac`;
        writeFileSync(join(folder, "curl"), `#!/bin/sh\n${answers}\n`, { mode: 0o755 });
        const text = script(join(PROJECT, "components", "hosts", "overlay"), "reach.sh");
        const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}` };
        const targets = ["1:9", "2:9", "3:9", "4:9", "5:9"];
        const { stdout } = spawnSync("/bin/sh", ["-c", text, "reach", "3", ...targets], { env, encoding: "utf8" });
        expect(stdout.trim().split("\n").sort()).toEqual([
            "1:9 refused",
            "2:9 unreachable",
            "3:9 silent",
            "4:9 connected",
            "5:9 no such option",
        ]);
    } finally {
        rmSync(folder, { recursive: true });
    }
});
