import { type ChangingCertificate, type FixedCertificate, type HaproxyConfigArgs, METRICS_PORT } from "./args";
import { VALUES_FILE } from "../certificate/acmeScripts";
import { section } from "./section";
import type { HaproxyStore } from "./haproxyStore";

export function metricsFrontend({ stores, certificate }: HaproxyConfigArgs): string {
    return section(
        "Routing rule 14: statistics and metrics are read-only, and open to the node network alone.",
        "frontend metrics",
        [
            `bind :${METRICS_PORT}`,
            `tcp-request connection reject unless ${nodeNetworksOf(stores)}`,
            "http-request set-log-level silent",
            "http-request use-service prometheus-exporter if { path /metrics }",
            `http-request return status 200 content-type "text/plain; version=0.0.4" lf-string "${certificateMetrics(certificate)}" if { path /metrics/certificate }`,
            "stats enable",
            "stats uri /stats",
            "stats refresh 10s",
        ],
    );
}

/** A condition that is true for connections within the node network of one of these stores. */
export function nodeNetworksOf(stores: HaproxyStore[]): string {
    return stores.map(({ cluster: { subnet } }) => `{ src ${subnet} } { dst ${subnet} }`).join(" or ");
}

/** Metrics of the certificate in Prometheus's text format, version 0.0.4. HAProxy's own metrics don't include them. */
function certificateMetrics(certificate: FixedCertificate | ChangingCertificate): string {
    const value = (name: string) => `%[str(${name}),map(${VALUES_FILE})]`;
    const [notAfter, failures] =
        "file" in certificate
            ? [String(Math.floor(Date.parse(certificate.notAfter) / 1000)), "0"]
            : [value("not_after"), value("renewal_failures")];
    const metrics: [string, string, string][] = [
        [
            "not_after_seconds",
            "End of the validity of the certificate that is served, in seconds since 1970.",
            notAfter,
        ],
        ["renewal_failures", "Attempts to renew it that have failed since one succeeded.", failures],
    ];
    return metrics
        .map(([name, help, sample]) => {
            const metric = `object_store_certificate_${name}`;
            return `# HELP ${metric} ${help}\\n# TYPE ${metric} gauge\\n${metric} ${sample}\\n`;
        })
        .join("");
}
