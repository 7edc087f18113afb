import { STORE_ALIAS, type OtherStore } from "../../components/storeClient/clientContainer";
import { StepError } from "../cli/step";

/** Prefix of the client's own variables for stores; the store's name in the arguments follows. */
const PREFIX = "MC_HOST_";

/** The form of their values: URL with credentials. Keys may contain any character but a colon in the first one. */
const VALUE = /^(https?:\/\/)([^:/@]+):(.+)@([^@/]+)\/?$/;

/**
 * The stores that the client's arguments name and that the environment describes, as `mc` itself reads it:
 * `MC_HOST_NAME=https://ACCESS_KEY:SECRET_KEY@HOST`. Variables of other stores stay where they are.
 *
 * @throws {StepError} if such a variable has another form. The message doesn't contain its value.
 */
export function otherStores(args: string[], environment: NodeJS.ProcessEnv): { [alias: string]: OtherStore } {
    const named = new Set(args.map((arg) => arg.replace(/\/.*/s, "")));
    const found = Object.entries(environment)
        .filter(([variable]) => variable.startsWith(PREFIX))
        .map(([variable, value = ""]) => [variable.slice(PREFIX.length), value] as const)
        .filter(([alias]) => named.has(alias) && alias !== STORE_ALIAS);
    return Object.fromEntries(found.map(([alias, value]) => [alias, readStore(alias, value)]));
}

function readStore(alias: string, value: string): OtherStore {
    const [, scheme = "", accessKey = "", secretKey = "", host] = VALUE.exec(value) ?? [];
    if (host === undefined) {
        throw new StepError(`${PREFIX}${alias}: its form has to be https://ACCESS_KEY:SECRET_KEY@HOST`);
    }
    return { url: scheme + host, accessKey, secretKey };
}
