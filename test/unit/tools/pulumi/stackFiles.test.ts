import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StackFiles } from "../../../../tools/pulumi/stackFiles";

const FILE = "Pulumi.dev.yaml";

const ORIGINAL = `# A store.
config:
  object-store:profile: minio # the store
  object-store:retainData: true
  object-store:allowedChanges: [outage]
`;

describe("stack files, while a command of Pulumi runs", () => {
    let folder: string;
    let files: StackFiles;

    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "stack-files-"));
        ["project", "copies"].forEach((name) => mkdirSync(join(folder, name)));
        files = new StackFiles(join(folder, "project"), join(folder, "copies"));
        save(ORIGINAL);
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    /** The user saves the stack file. */
    const save = (text: string) => writeFileSync(join(folder, "project", FILE), text);
    /** The CLI writes its copy of it. */
    const write = (text: string, file = FILE) => writeFileSync(join(folder, "copies", file), text);
    const saved = (file = FILE) => readFileSync(join(folder, "project", file), "utf8");
    const copy = () => readFileSync(join(folder, "copies", FILE), "utf8");
    const command = (work: () => unknown) => files.with(() => Promise.resolve().then(work));

    /** In the CLI's format: with its salt, and scalars as text. */
    const byPulumi = (text: string) =>
        `encryptionsalt: v1:x\n${text.replace("retainData: true", 'retainData: "true"')}`;

    test("a key that is removed while a command runs doesn't come back", async () => {
        const edited = ORIGINAL.replace("  object-store:allowedChanges: [outage]\n", "");
        await command(() => save(edited));
        expect(saved()).toBe(edited);
    });

    test("the user's edit stays if the CLI writes its salt meanwhile", async () => {
        const edited = `${ORIGINAL}  object-store:memory: 512\n`;
        await command(() => {
            write(byPulumi(ORIGINAL));
            save(edited);
        });
        expect(saved()).toBe(edited);
    });

    test("the CLI's changes are copied to the file, without its salt", async () => {
        const changed = `${ORIGINAL}  object-store:logLevel: info\n`;
        await command(() => write(`${changed}encryptionsalt: v1:x\n`));
        expect(saved()).toBe(changed);
    });

    test("the user's edit and the CLI's changes are both kept, and so are comments", async () => {
        await command(() => {
            write(byPulumi(`${ORIGINAL}  object-store:logLevel: info\n`));
            save(ORIGINAL.replace("[outage]", "[rename]").replace("# A store.", "# Another store."));
        });
        expect(saved()).toContain("# Another store.");
        expect(saved()).toContain("object-store:profile: minio # the store\n");
        expect(saved()).toMatch(/allowedChanges: \[ ?rename ?\]/);
        expect(saved()).toContain("object-store:logLevel: info\n");
        expect(saved()).not.toContain("encryptionsalt");
    });

    test("a key that the CLI removes is removed from a file that was edited meanwhile", async () => {
        await command(() => {
            write(ORIGINAL.replace("  object-store:retainData: true\n", ""));
            save(ORIGINAL.replace("[outage]", "[rename]"));
        });
        expect(saved()).not.toContain("retainData");
        expect(saved()).toMatch(/\[ ?rename ?\]/);
    });

    test("the first value for a file without any is copied", async () => {
        await command(() => {
            write("config:\n  object-store:logLevel: info\n");
            save("# Nothing yet.\n");
        });
        expect(saved()).toContain("config:\n  object-store:logLevel: info\n");
    });

    test("if both have changed the same key the user's value stays, the error names the key, and the next command works", async () => {
        const edited = ORIGINAL.replace("minio", "rustfs");
        const both = command(() => {
            write(ORIGINAL.replace("minio", "service"));
            save(edited);
        });
        await expect(both).rejects.toThrow(`${FILE}: object-store:profile`);
        expect(saved()).toBe(edited);
        await command(() => expect(copy()).toBe(edited));
        expect(saved()).toBe(edited);
    });

    test("a second command during the first brings back no value that was removed meanwhile", async () => {
        await command(async () => {
            save(`${ORIGINAL}  object-store:memory: 512\n`);
            await command(() => undefined);
            save(ORIGINAL);
        });
        expect(saved()).toBe(ORIGINAL);
    });

    test("the changes of a killed command are copied back by the next one", async () => {
        const changed = `${ORIGINAL}  object-store:logLevel: info\n`;
        files.copyIn();
        write(changed);
        await command(() => expect(copy()).toBe(changed));
        expect(saved()).toBe(changed);
    });

    test("a file that can't be parsed stays unchanged; a change waits until it can be", async () => {
        const broken = "config: {\n";
        await expect(
            command(() => {
                write(`${ORIGINAL}  object-store:logLevel: info\n`);
                save(broken);
            }),
        ).rejects.toThrow(`${FILE} can't be read`);
        expect(saved()).toBe(broken);
        save(ORIGINAL);
        await command(() => undefined);
        expect(saved()).toBe(`${ORIGINAL}  object-store:logLevel: info\n`);
    });

    test("a stack that the CLI creates gets a file once it has config", async () => {
        await command(() => write("encryptionsalt: v1:x\n", "Pulumi.new.yaml"));
        expect(() => saved("Pulumi.new.yaml")).toThrow("ENOENT");
        await command(() => write("encryptionsalt: v1:x\nconfig:\n  object-store:memory: 512\n", "Pulumi.new.yaml"));
        expect(saved("Pulumi.new.yaml")).toBe("config:\n  object-store:memory: 512\n");
    });

    test("a salt that is only in the copy stays in the copy", async () => {
        await command(() => write(byPulumi(ORIGINAL)));
        expect(saved()).toBe(ORIGINAL);
        await command(() => expect(copy()).toBe(`${ORIGINAL}encryptionsalt: v1:x\n`));
    });

    test("a salt that the user has written to the file is used from there", async () => {
        save(`${ORIGINAL}encryptionsalt: v1:team\n`);
        write("encryptionsalt: v1:own\n");
        await command(() => write(copy().replace("minio", "rustfs")));
        expect(saved()).toBe(`${ORIGINAL.replace("minio", "rustfs")}encryptionsalt: v1:team\n`);
    });
});
