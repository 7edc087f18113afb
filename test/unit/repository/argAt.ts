import { schemaOf, type ArgSchema } from "../../../components/args/schema";

/** The arg at a path of stack config, such as `additionalStores[0].buckets.photos.quota`. Undefined if there is none. */
export function argAt(path: string): ArgSchema | undefined {
    const parts = path
        .replace(/^object-store:/, "")
        .split(/[.[\]]/)
        .filter((part) => part !== "");
    return parts.reduce<ArgSchema | undefined>(partOf, { ref: "ObjectStoreArgs" });
}

function partOf(arg: ArgSchema | undefined, part: string): ArgSchema | undefined {
    if (arg?.ref !== undefined) {
        const inner = schemaOf(arg.ref).properties[part];
        return inner?.program === true ? undefined : inner;
    }
    if (arg?.file === true && part === "file") {
        return { type: "string" };
    }
    return arg?.items && { ...arg.items, secret: arg.secret };
}
