import type { Hostnames } from "./hostnames";

/** Outputs of the stack, without its secrets. */
export interface StackOutputs {
    s3Endpoint: string;
    consoleUrl: string;
    caCertificate: string;
    certificateNotAfter: string;
    /** The additional stores, by name. Undefined if there are none. */
    additionalStores?: { [name: string]: { s3Endpoint: string; consoleUrl: string } };
}

/** A command for the user to try: it creates a bucket through the proxy, and works whether the name resolves or not. */
function commandToTry(outputs: StackOutputs, caFile: string, address: string): string {
    const { hostname, port } = new URL(outputs.s3Endpoint);
    const output = (name: string) => `$(npm run --silent pulumi -- stack output ${name} --show-secrets)`;
    return [
        // On standard input, because every user of the host can see a program's arguments.
        `printf 'user = %s:%s\\n' "${output("accessKey")}" "${output("secretKey")}" |`,
        "curl --config - --fail --silent --show-error --write-out 'status %{http_code}\\n'",
        ...(outputs.caCertificate === "" ? [] : [`--cacert ${caFile}`]),
        `--resolve ${hostname}:${port === "" ? 443 : port}:${address}`,
        "--aws-sigv4 aws:amz:us-east-1:s3",
        // RustFS requires the header, which curl 7.88 doesn't send by default.
        "--header 'x-amz-content-sha256: UNSIGNED-PAYLOAD'",
        `--request PUT ${outputs.s3Endpoint}/bucket-$(date +%s)`,
    ].join(" \\\n    ");
}

/** The URLs of the additional stores. */
function additionalStores(
    { additionalStores: stores = {} }: StackOutputs,
    withoutConsole: readonly string[],
): string[] {
    const all = Object.entries(stores);
    return all.length === 0
        ? []
        : [
              ...all.flatMap(([name, { s3Endpoint, consoleUrl }]) => [
                  `Store ${name}:`,
                  `    S3 API:  ${s3Endpoint}`,
                  `    Console: ${withoutConsole.includes(name) ? "none" : consoleUrl}`,
              ]),
              "    Credentials: npm run --silent pulumi -- stack output additionalStores --show-secrets",
              "",
          ];
}

/**
 * Information for the user once the store runs.
 *
 * @param withoutConsole Names of the additional stores that have no console.
 */
export function summary(
    outputs: StackOutputs,
    caFile: string,
    { names: hostnames, resolve, address = "127.0.0.1" }: Hostnames,
    hasConsole: boolean,
    withoutConsole: readonly string[] = [],
): string {
    const trust =
        outputs.caCertificate === ""
            ? []
            : [
                  `Trust the certificate (valid until ${outputs.certificateNotAfter}, renewed by an update in its last third):`,
                  `    sudo cp ${caFile} /usr/local/share/ca-certificates/object-store.crt && sudo update-ca-certificates`,
                  `    export AWS_CA_BUNDLE=${caFile} NODE_EXTRA_CA_CERTS=${caFile}`,
                  "",
              ];
    const names = resolve
        ? []
        : ["Names, for clients on this host, in /etc/hosts:", `    ${address} ${hostnames.join(" ")}`, ""];
    return [
        "",
        `S3 API:  ${outputs.s3Endpoint} (path style, any region)`,
        hasConsole
            ? `Console: ${outputs.consoleUrl}`
            : "Console: none. RustFS's crate comes without it; its image in a registry has one (Pulumi.dev.yaml).",
        "",
        hasConsole ? "Credentials, for both:" : "Credentials:",
        "    npm run --silent pulumi -- stack output accessKey --show-secrets",
        "    npm run --silent pulumi -- stack output secretKey --show-secrets",
        "",
        ...additionalStores(outputs, withoutConsole),
        ...trust,
        ...names,
        "Try it, by making a bucket:",
        commandToTry(outputs, caFile, address).replace(/^/gm, "    "),
        "",
        "Change it:  npm run pulumi -- config set logLevel info, then npm run up",
        "Remove it:  npm run down (the data stays)",
    ].join("\n");
}
