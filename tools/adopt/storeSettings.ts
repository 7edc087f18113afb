import type { FoundContainer } from "./foundContainer";
import type { StoreProcess } from "./storeProcess";

/** What a store was started with. */
export interface StoreSettings {
    /** Its variables, with options and what a file has as variables, without those of its image. */
    own: { [name: string]: string };
    /** The same with those of its image. */
    all: { [name: string]: string };
    /** Options that have no variable. */
    leftOut: string[];
    /** Why that isn't known. */
    problems: string[];
}

/** Options of MinIO that this project sets itself. */
const OF_MINIO: { [option: string]: string } = { address: "MINIO_ADDRESS", "console-address": "MINIO_CONSOLE_ADDRESS" };

/** Variables with the drives of MinIO, in its own order: `serverCmdArgs` in cmd/server-main.go. */
const DRIVES_OF_MINIO = ["MINIO_ARGS", "MINIO_VOLUMES", "MINIO_ENDPOINTS"];

/** The variables of a store, and its options, each of which RustFS has as a variable too. */
export async function givenTo(container: FoundContainer, { store, options }: StoreProcess): Promise<StoreSettings> {
    const problems: string[] = [];
    const ofOptions: { [name: string]: string } = {};
    const leftOut: string[] = [];
    for (const [option, value] of Object.entries(options)) {
        const variable = store === "minio" ? OF_MINIO[option] : `RUSTFS_${option.toUpperCase().replaceAll("-", "_")}`;
        if (variable !== undefined) {
            ofOptions[variable] = value;
        } else if (option === "config") {
            problems.push(
                `${container.name} reads its drives from a file (--config): start it with them in its command`,
            );
        } else {
            leftOut.push(`--${option}: has no variable, and isn't set`);
        }
    }
    const { MINIO_CONFIG_ENV_FILE: file = "", ...variables } = container.variables;
    const text = file === "" || store !== "minio" ? "" : await container.readFile(file);
    if (text === undefined) {
        problems.push(`the container ${container.name} has no file ${file}, which MINIO_CONFIG_ENV_FILE names`);
    }
    const own = { ...variables, ...variablesIn(text ?? ""), ...ofOptions };
    return { own, all: { ...container.imageVariables, ...own }, leftOut, problems };
}

/** The lists of drives that a store was started with: of its variables or its arguments. The other ones are those that it doesn't read. */
export function listsOf({ store, volumes }: StoreProcess, all: { [name: string]: string }): string[] {
    const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");
    const ofVariable = DRIVES_OF_MINIO.map((name) => all[name] ?? "").find((value) => value !== "") ?? "";
    if (store === "minio") {
        return ofVariable === "" ? volumes : words(ofVariable);
    }
    return volumes.length > 0 ? volumes.flatMap(words) : words(all["RUSTFS_VOLUMES"] ?? all["MINIO_VOLUMES"] ?? "");
}

/** Variables in the file that MINIO_CONFIG_ENV_FILE names: `parsEnvEntry` in cmd/common-main.go. */
function variablesIn(text: string): { [name: string]: string } {
    const lines = text.split("\n").map((line) => line.trim().replace(/^export\s+/, ""));
    return Object.fromEntries(
        lines.flatMap((line): [string, string][] => {
            const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
            return name === undefined ? [] : [[name, value.replace(/^(["'])(.*)\1$/, "$2")]];
        }),
    );
}
