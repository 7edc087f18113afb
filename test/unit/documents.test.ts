import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CONFIG_KEYS } from "../../configKeys";
import { parse } from "yaml";
import { BUILT_IMAGES } from "../../tools/images";
import { PROJECT } from "../../tools/paths";

const read = (file: string) => readFileSync(join(PROJECT, file), "utf8");
const documents = [
    ...["README.md", "CHANGELOG.md", "tools/toolchain/README.md"],
    ...readdirSync(join(PROJECT, "docs"))
        .filter((file) => file.endsWith(".md"))
        .map((file) => `docs/${file}`),
];

test("the README's table has every key of stack config, and no other", () => {
    const table = read("README.md").split("## Configuration")[1]?.split("\n## ")[0] ?? "";
    const keys = [...table.matchAll(/^\| (`\w+`(?:, `\w+`)*) +\|/gm)].flatMap(([, cell = ""]) =>
        cell.split(", ").map((key) => key.replaceAll("`", "")),
    );
    expect(keys.sort()).toEqual(Object.keys(CONFIG_KEYS).sort());
});

test.each(documents)("%s links to files that are there", (file) => {
    const links = [...read(file).matchAll(/\]\(([^)#:]+)\)/g)].map(([, link = ""]) => link);
    expect(links.filter((link) => !existsSync(join(PROJECT, dirname(file), link)))).toEqual([]);
});

test.each(documents)("%s names npm scripts that exist", (file) => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: { [name: string]: string } };
    const named = [...read(file).matchAll(/npm (?:run (?:--silent )?)([a-z][a-z:-]*)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test.each([
    ["Pulumi.offline.yaml", BUILT_IMAGES.minio],
    ["Pulumi.offline-rustfs.yaml", BUILT_IMAGES.rustfs],
])("%s names the images that npm run up builds", (file, { reference }) => {
    const { config } = parse(read(file)) as { config: { [key: string]: unknown } };
    expect(config["object-store:image"]).toBe(reference);
    expect(config["object-store:haproxyImage"]).toBe(BUILT_IMAGES.haproxy.reference);
});
