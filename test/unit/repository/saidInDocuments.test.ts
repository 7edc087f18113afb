import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../../../tools/paths";

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: PROJECT,
    encoding: "utf8",
})
    .split("\n")
    .filter((file) => file !== "" && existsSync(join(PROJECT, file)));
const read = (file: string) => readFileSync(join(PROJECT, file), "utf8");

/** Paragraphs, items, rows and blocks of all documents, each in one line. */
const paragraphs = files
    .filter((file) => file.endsWith(".md") && !file.startsWith("api/"))
    .flatMap((file) => read(file).split(/\n\n+|\n(?=[|-])/))
    .map((paragraph) => paragraph.replaceAll(/\s+/g, " "));

/** Expects that one paragraph of some document has all of these. */
function expectSaid(...words: RegExp[]): void {
    expect(paragraphs.length).toBeGreaterThan(500);
    expect(paragraphs.filter((paragraph) => words.every((word) => word.test(paragraph)))).not.toEqual([]);
}

test("the documents say that web pages of other origins need a setting on RustFS", () => {
    expectSaid(/config set .*environment\.RUSTFS_CORS_ALLOWED_ORIGINS/);
});

test("the documents say which variables of MinIO's have an effect on RustFS", () => {
    expectSaid(/RustFS/, /MINIO_COMPRESS_\*/, /MINIO_REGION/, /[Oo]thers have no effect/);
});

test("the documents say which buckets of MinIO can't be reached completely on RustFS", () => {
    expectSaid(/`rustfs`, `iceberg` and `profile`/, /proxy closes/);
});

test("the documents say how long a load balancer may keep its connections", () => {
    expectSaid(/close idle connections/, /120 s/, /nginx/, /Traefik/);
});

test("the documents say which headers a load balancer must not change", () => {
    expectSaid(/Accept-Encoding/, /sign/, /CDN/);
});

test("the documents say that a repeated PUT may make a second version", () => {
    expectSaid(/PUT or DELETE/, /second version or delete marker/);
});

test("the documents say what the client secret of OpenID Connect can do on MinIO", () => {
    expectSaid(/CVE-2026-33322/, /whoever knows it can be any user/);
});

test("no document or example opens MinIO's metrics to everybody", () => {
    const opening = files
        .filter((file) => /^(docs|examples|README)/.test(file) && /\.(md|ya?ml|ts|py|go|sh)$/.test(file))
        .filter((file) => /MINIO_PROMETHEUS_AUTH_TYPE\W+public/.test(read(file)));
    expect(opening).toEqual([]);
    expect(read("examples/monitoring/prometheus/prometheus.yml").match(/credentials_file: minio-token/g)).toHaveLength(
        2,
    );
});
