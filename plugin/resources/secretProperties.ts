import { withoutTexts } from "../../components/checks/problem";
import { plain, secret, secretNames } from "./propertyValues";
import type { Properties } from "./storeResource";

/** Properties that are always secret in state. */
const SECRETS = ["secretKey"];

/**
 * Properties with the secret ones marked as such.
 *
 * @param from The marked properties that they were made from: what is secret there is secret here.
 */
export function marked(
    { sameContent }: { sameContent: readonly string[] },
    properties: Properties,
    from: unknown,
): Properties {
    const given = secretNames(from);
    const alike = sameContent.some((name) => given.includes(name)) ? sameContent : [];
    const secrets = [...SECRETS, ...given, ...alike];
    return Object.fromEntries(
        Object.entries(properties)
            .filter(([, value]) => value !== undefined)
            .map(([name, value]) => [name, secrets.includes(name) ? secret(value) : value]),
    );
}

/** A message without the values that are secret in these properties. */
export function withoutSecrets(message: string, properties: unknown): string {
    const given = plain(properties) as Properties;
    const names = [...SECRETS, ...secretNames(properties)];
    return withoutTexts(
        message,
        names.map((name) => given[name]),
    );
}
