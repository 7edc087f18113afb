import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { script } from "../../../../components/docker/script";
import { CONFIGURATION_DIRECTORY, INITIAL_SERVER_STATES } from "../../../../components/proxy/proxyContainer";
import { HTTP_PORT } from "../../../../components/haproxyConfig/args";
import { CURRENT } from "../../../../components/naming/containerFiles";
import { MASTER_SOCKET, SERVER_STATE_FILE } from "../../../../components/proxyControl/proxyFiles";
import { PROJECT } from "../../../../tools/paths";

const components = join(PROJECT, "components");
const scripts = readdirSync(components, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(sh|pl)$/.test(file))
    .map((file) => join(components, file));

test("comments don't change a script", () => {
    const folder = mkdtempSync(join(tmpdir(), "script-"));
    try {
        mkdirSync(join(folder, "scripts"));
        writeFileSync(
            join(folder, "scripts", "one.sh"),
            "# Says hello.\n\nif true; then\n    # It's short.\n    echo 'a # b'\nfi\n",
        );
        expect(script(folder, "one.sh")).toBe("\nif true; then\n    echo 'a # b'\nfi\n");
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test.each(scripts.map((file) => [file.slice(components.length + 1), file]))(
    "%s is complete without its comments",
    (_, file) => {
        const text = script(dirname(dirname(file)), file.slice(dirname(file).length + 1));
        expect(text).not.toMatch(/^\s*#/m);
        const [program, ...args] = file.endsWith(".sh") ? ["/bin/sh", "-n"] : ["perl", "-c"];
        const { status, stderr } = spawnSync(program, args, { input: text, encoding: "utf8" });
        expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
    },
);

test("the proxy's scripts have the paths and the port of the components", () => {
    const files = `${CONFIGURATION_DIRECTORY}/${CURRENT}`;
    const proxy = join(components, "proxy");
    expect(script(proxy, "startProxy.sh").trim().split("\n")).toEqual([
        `cp ${files}/${INITIAL_SERVER_STATES} ${SERVER_STATE_FILE} &&`,
        `exec haproxy -W -db -S ${MASTER_SOCKET} -f ${files}/haproxy.cfg`,
    ]);
    expect(script(proxy, "checkProxy.pl")).toContain(`"127.0.0.1:${HTTP_PORT}"`);
});
