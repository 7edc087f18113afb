import * as pulumi from "@pulumi/pulumi";
import { readFileSync } from "node:fs";
import type {
    AcmeArgs,
    AdditionalStoreArgs,
    FloatingAddressArgs,
    Pool,
    StoreContentsArgs,
    StoreHost,
    StoreMoveArgs,
} from "../components";
import { oneOf } from "../components/checks/nearest";
import type { Problem } from "../components/checks/problem";
import { shapeProblems, type Shape } from "./shape";
import {
    ACCESS_KEYS,
    ACME,
    ADDITIONAL_STORE,
    BUCKETS,
    FLOATING_ADDRESS,
    HOST,
    MOVE,
    POLICIES,
    POOL,
} from "./keyShapes";

/** The args of an additional store, as stack config has them. */
type ConfiguredStore = Omit<AdditionalStoreArgs, "additionalTrustedCertificates"> & {
    additionalTrustedCertificatesFile?: string;
};

/** Reads values of stack config with their expected type, and collects the problems of all others. */
export class ConfigReader<Key extends string> {
    readonly problems: Problem[];

    /** @param known Every existing key. */
    constructor(
        private readonly config: pulumi.Config,
        known: string[],
    ) {
        const prefix = `${config.name}:`;
        this.problems = Object.keys(pulumi.runtime.allConfig())
            .filter((key) => key.startsWith(prefix) && !known.includes(key.slice(prefix.length)))
            .map((key) => ({
                propertyPath: key.slice(prefix.length),
                reason: `is not a config key of this program: ${oneOf(key.slice(prefix.length), known)}`,
            }));
    }

    text(key: Key): string | undefined {
        return this.config.get(key);
    }

    number(key: Key): number | undefined {
        const value = this.config.get(key);
        if (value === undefined || /^-?[0-9]+(\.[0-9]+)?$/.test(value)) {
            return value === undefined ? undefined : Number(value);
        }
        this.refuse(key, `"${value}" is not a number: give digits, with a dot before fractions, such as 4 or 1.5`);
        return undefined;
    }

    flag(key: Key): boolean | undefined {
        const value = this.config.get(key);
        if (value === undefined || value === "true" || value === "false") {
            return value === undefined ? undefined : value === "true";
        }
        this.refuse(key, `"${value}" is not allowed: give true or false`);
        return undefined;
    }

    /** A map of names to texts. Its values are never shown. */
    texts(key: Key): { [name: string]: string } | undefined {
        const value = this.structure(key);
        if (value === undefined) {
            return undefined;
        }
        const problems = shapeProblems(key, value, { texts: "secret" });
        this.problems.push(...problems);
        return problems.some(({ propertyPath }) => propertyPath === key) ? undefined : asTexts(value);
    }

    list(key: Key): string[] | undefined {
        return this.shaped(key, { list: "string" }) as string[] | undefined;
    }

    pathLists(key: Key): string[][] | undefined {
        return this.shaped(key, { list: { list: "string" } }) as string[][] | undefined;
    }

    /** A list of pools. The content of each is checked with the cluster's args. */
    pools(key: Key): Pool[] | undefined {
        return this.shaped(key, { list: POOL }) as Pool[] | undefined;
    }

    /** A list of Docker hosts. The content of each is checked with the cluster's args. */
    hosts(key: Key): StoreHost[] | undefined {
        return this.shaped(key, { list: HOST }) as StoreHost[] | undefined;
    }

    /** A floating address. Its content is checked with the store's args. */
    floatingAddress(key: Key): FloatingAddressArgs | undefined {
        return this.shaped(key, FLOATING_ADDRESS) as FloatingAddressArgs | undefined;
    }

    /** A certificate by ACME. Its values are checked with the front end's args. */
    acme(key: Key): AcmeArgs | undefined {
        const value = this.shaped(key, ACME) as (AcmeArgs & { trustedCertificatesFile?: string }) | undefined;
        if (value === undefined) {
            return undefined;
        }
        const { trustedCertificatesFile, dns, ...args } = value;
        return {
            ...args,
            ...(dns && {
                dns: {
                    ...dns,
                    environment: asTexts(dns.environment),
                    secretEnvironment: asTexts(dns.secretEnvironment),
                },
            }),
            trustedCertificates: this.fileAt(`${key}.trustedCertificatesFile`, trustedCertificatesFile),
        };
    }

    /** The move of clients to another store. Its values are checked with the front end's args. */
    move(key: Key): StoreMoveArgs | undefined {
        const value = this.shaped(key, MOVE) as (StoreMoveArgs & { trustedCertificatesFile?: string }) | undefined;
        if (value === undefined) {
            return undefined;
        }
        const { trustedCertificatesFile, ...args } = value;
        return { ...args, trustedCertificates: this.fileAt(`${key}.trustedCertificatesFile`, trustedCertificatesFile) };
    }

    /** Buckets by name. The settings of each are checked with the store's args. */
    buckets(key: Key): StoreContentsArgs["buckets"] {
        return this.shaped(key, BUCKETS) as StoreContentsArgs["buckets"];
    }

    /** Policies by name. The content of each is checked with the store's args. */
    policies(key: Key): StoreContentsArgs["policies"] {
        return this.shaped(key, POLICIES) as StoreContentsArgs["policies"];
    }

    /** Access keys by name. The content of each is checked with the store's args. */
    accessKeys(key: Key): StoreContentsArgs["accessKeys"] {
        return this.shaped(key, ACCESS_KEYS) as StoreContentsArgs["accessKeys"];
    }

    /** Further stores. The settings of each are checked with the store's args. */
    additionalStores(key: Key): AdditionalStoreArgs[] | undefined {
        const stores = this.shaped(key, { list: ADDITIONAL_STORE }) as ConfiguredStore[] | undefined;
        return stores?.map((store, place) => {
            const { additionalTrustedCertificatesFile: file, environment, secretEnvironment, ...args } = store;
            return {
                ...args,
                environment: asTexts(environment),
                secretEnvironment: asTexts(secretEnvironment),
                additionalTrustedCertificates: this.fileAt(`${key}[${place}].additionalTrustedCertificatesFile`, file),
            };
        });
    }

    file(key: Key): string | undefined {
        return this.fileAt(key, this.config.get(key));
    }

    private fileAt(propertyPath: string, path: string | undefined): string | undefined {
        if (path?.includes("-----BEGIN") === true) {
            // The value isn't shown, since it may be a key.
            this.refuse(propertyPath, "holds a PEM itself: give the path of the file that holds it");
            return undefined;
        }
        try {
            return path === undefined ? undefined : readFileSync(path, "utf8");
        } catch (error) {
            const { code } = error as NodeJS.ErrnoException;
            this.refuse(
                propertyPath,
                `"${path}" can't be read (${code}): give the path of a PEM file, from the program's folder`,
            );
            return undefined;
        }
    }

    /** A value of a shape. Undefined if it isn't set or has problems. */
    private shaped(key: Key, shape: Shape): unknown {
        const value = this.structure(key);
        const problems = value === undefined ? [] : shapeProblems(key, value, shape);
        this.problems.push(...problems);
        return problems.length === 0 ? value : undefined;
    }

    private structure(key: Key): unknown {
        try {
            return this.config.getObject<unknown>(key);
        } catch {
            this.refuse(key, 'is not valid JSON: give a list, such as ["a", "b"], or a map, such as {"name": "value"}');
            return undefined;
        }
    }

    private refuse(propertyPath: string, reason: string): void {
        this.problems.push({ propertyPath, reason });
    }
}

/** The texts, numbers and truth values of a map as texts: Pulumi reads a value such as 60 as a number. */
function asTexts(map: unknown): { [name: string]: string } | undefined {
    if (map === undefined) {
        return undefined;
    }
    const entries = Object.entries(map as { [name: string]: unknown }).filter(([, text]) => typeof text !== "object");
    return Object.fromEntries(entries.map(([name, text]) => [name, String(text)]));
}
