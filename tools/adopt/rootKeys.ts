import { StepError } from "../cli/step";
import type { FoundContainer } from "./foundContainer";
import type { StoreProcess } from "./storeProcess";

/** The root keys of a store. */
export interface RootKeys {
    accessKey: string;
    secretKey: string;
}

/** Variables with the root keys, in the order of the stores' own sources. */
type Source = { value: string; file?: undefined } | { file: string; value?: undefined };

/** Folder in which Docker puts secrets, to which the names of files are relative. */
export const SECRETS = "/run/secrets";

/** MinIO: `loadEnvVarsFromFiles` and `loadRootCredentials` in cmd/common-main.go. RustFS: rustfs/src/config/config_struct.rs, and envs.rs of rustfs-utils. */
const SOURCES: { [store in StoreProcess["store"]]: { [key in keyof RootKeys]: Source[] } } = {
    minio: {
        accessKey: [
            { file: "MINIO_ROOT_USER_FILE" },
            { file: "MINIO_ACCESS_KEY_FILE" },
            { value: "MINIO_ROOT_USER" },
            { value: "MINIO_ACCESS_KEY" },
        ],
        secretKey: [
            { file: "MINIO_ROOT_PASSWORD_FILE" },
            { file: "MINIO_SECRET_KEY_FILE" },
            { value: "MINIO_ROOT_PASSWORD" },
            { value: "MINIO_SECRET_KEY" },
        ],
    },
    rustfs: {
        accessKey: [
            { value: "RUSTFS_ACCESS_KEY" },
            { value: "MINIO_ACCESS_KEY" },
            { file: "RUSTFS_ACCESS_KEY_FILE" },
            { file: "MINIO_ACCESS_KEY_FILE" },
            { value: "RUSTFS_ROOT_USER" },
            { value: "MINIO_ROOT_USER" },
        ],
        secretKey: [
            { value: "RUSTFS_SECRET_KEY" },
            { value: "MINIO_SECRET_KEY" },
            { file: "RUSTFS_SECRET_KEY_FILE" },
            { file: "MINIO_SECRET_KEY_FILE" },
            { value: "RUSTFS_ROOT_PASSWORD" },
            { value: "MINIO_ROOT_PASSWORD" },
        ],
    },
};

/** Root keys of stores that got none. */
const DEFAULTS: { [store in StoreProcess["store"]]: string } = { minio: "minioadmin", rustfs: "rustfsadmin" };

/** Whether a variable has a root key, or names the file with it. */
export function isOfRootKeys(variable: string): boolean {
    return Object.values(SOURCES)
        .flatMap(({ accessKey, secretKey }) => [...accessKey, ...secretKey])
        .some(({ value, file }) => [value, file].includes(variable));
}

/**
 * One of the root keys that a store was started with.
 *
 * @param given All its variables, and options as variables.
 * @throws {StepError} if a file that the container names isn't there.
 */
export async function rootKeyOf(
    container: FoundContainer,
    { store }: StoreProcess,
    given: { [name: string]: string },
    key: keyof RootKeys,
): Promise<string> {
    for (const { value, file } of SOURCES[store][key]) {
        const found = value === undefined ? await fileOf(container, file, given[file]) : given[value];
        if (found !== undefined && found !== "") {
            return found.trim();
        }
    }
    return DEFAULTS[store];
}

/** The text of the file that a variable names. The image may name one that needn't be there. */
async function fileOf(
    container: FoundContainer,
    variable: string,
    name: string | undefined,
): Promise<string | undefined> {
    if (name === undefined || name === "") {
        return undefined;
    }
    const paths = name.startsWith("/") ? [name] : [`${SECRETS}/${name}`, `/${name}`];
    for (const path of paths) {
        const text = await container.readFile(path);
        if (text !== undefined) {
            return text;
        }
    }
    if (container.imageVariables[variable] === name) {
        return undefined;
    }
    throw new StepError(`the container ${container.name} has no file ${paths[0]}, which ${variable} names`);
}
