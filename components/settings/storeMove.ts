import { rootCertificates } from "node:tls";
import { checkDockerName, checkPort } from "../checks/inputChecks";
import { checkTrustedCertificates } from "../checks/certificatePem";
import type { Problem } from "../checks/problem";
import type { HaproxyMove } from "../haproxyConfig/haproxyStore";
import { isIPv4 } from "node:net";
import type { StoreMoveArgs } from "../args/proxyStoreArgs";

/** Every problem of a move. */
export function checkMove(propertyPath: string, move: StoreMoveArgs | undefined): Problem[] {
    if (move === undefined) {
        return [];
    }
    const { to, trustedCertificates, name } = move;
    return [
        ...(to.length === 0
            ? [{ propertyPath: `${propertyPath}.to`, reason: "is empty: give the other store's proxies" }]
            : to.flatMap((text, index) => checkProxyPart(`${propertyPath}.to[${index}]`, text))),
        ...(trustedCertificates === undefined
            ? []
            : checkTrustedCertificates(`${propertyPath}.trustedCertificates`, trustedCertificates)),
        ...(name === undefined ? [] : checkDockerName(`${propertyPath}.name`, name)),
    ];
}

function checkProxyPart(propertyPath: string, text: string): Problem[] {
    const { address, port } = frontEndAt(text);
    return isIPv4(address) && checkPort(propertyPath, port).length === 0
        ? []
        : [{ propertyPath, reason: `"${text}" is not an IPv4 address with a port: give one, such as 10.0.0.1:443` }];
}

function frontEndAt(text: string): { address: string; port: number } {
    const [address = "", port = "", ...more] = text.split(":");
    return { address, port: more.length === 0 && /^[0-9]{1,5}$/.test(port) ? Number(port) : 0 };
}

/** A move as haproxy.cfg has it. */
export function configuredMove(
    storeName: string | undefined,
    { to, name = "move", done = false }: StoreMoveArgs,
): HaproxyMove {
    return { name, to: to.map(frontEndAt), trustedFile: trustedFile(storeName), done };
}

/** The file with the CAs that a move trusts, by its name in the configuration's folder. Empty without a move. */
export function moveFiles(storeName: string | undefined, move: StoreMoveArgs | undefined): { [name: string]: string } {
    return move === undefined
        ? {}
        : { [trustedFile(storeName)]: move.trustedCertificates ?? `${rootCertificates.join("\n")}\n` };
}

function trustedFile(storeName: string | undefined): string {
    return storeName === undefined ? "moved-ca.pem" : `moved-ca-${storeName}.pem`;
}
