/**
 * What the proxy's access log is made of: HAProxy's own text, one JSON object a line, or the text of requests that failed
 * alone.
 */
export const ACCESS_LOGS = ["text", "json", "errors"] as const;

/** One of {@link ACCESS_LOGS}. */
export type AccessLog = (typeof ACCESS_LOGS)[number];

/** Header of answers: the id that the request has in the JSON access log. */
export const REQUEST_ID_HEADER = "X-Request-Id";

/**
 * HAProxy's own HTTP log, with the path in place of the whole request line: the query of a presigned URL is a credential.
 */
const TEXT_FORMAT =
    "%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %HM %HPO %HV";

/** Bytes of a URL that are kept: a bucket's name, and a key of 1024 bytes that is all percent-encoded. */
const URL_BYTES = 4096;

/** Bytes that a line may have, which no line of the fields below reaches: each byte of a value takes six at most. */
const LINE_BYTES = 65535;

/** Fields of a JSON line, each with its name and what HAProxy's manual, section 8.2.6, calls it. */
const JSON_FIELDS: [name: string, item: string][] = [
    ["time", "[request_date(ms),ms_utime(%Y-%m-%dT%H:%M:%S.%3NZ)]"],
    ["request_id", "[unique-id]"],
    ["client_address", "[src]"],
    ["client_port", "[src_port]"],
    ["frontend", "[fe_name]"],
    ["backend", "[be_name]"],
    ["server", "[srv_name]"],
    ["tls_version", "[ssl_fc_protocol]"],
    ["http_version", "HV"],
    ["method", "[capture.req.method]"],
    ["host", "[var(txn.log_host)]"],
    // The query of a presigned URL is a credential.
    ["path", "[capture.req.uri,field(1,?)]"],
    ["user_agent", "[var(txn.log_user_agent)]"],
    ["status", "ST"],
    ["bytes_received", "U"],
    ["bytes_sent", "B"],
    ["request_ms", "TR"],
    ["queue_ms", "Tw"],
    ["connect_ms", "Tc"],
    ["response_ms", "Tr"],
    ["total_ms", "Ta"],
    ["retries", "rc"],
    ["termination_state", "tsc"],
    ["store_request_id", "[var(txn.log_store_request_id)]"],
];

/** Fields of whom no request could be read from. */
const ERROR_FIELDS: [name: string, item: string][] = [
    ["time", "[accept_date(ms),ms_utime(%Y-%m-%dT%H:%M:%S.%3NZ)]"],
    ...JSON_FIELDS.filter(([name]) => ["client_address", "client_port", "frontend", "status"].includes(name)),
    ["termination_state", "tsc"],
    ["error", "[fc_err_str]"],
    ["tls_error", "[ssl_fc_err_str]"],
];

/** Numbers, whatever HAProxy would take them for. */
const NUMBERS = /^(client_port|status|retries|bytes_.*|.*_ms)$/;

/** Lines for the `global` section. */
export function accessLogGlobal(accessLog: AccessLog): string[] {
    return accessLog === "json"
        ? [`log stdout len ${LINE_BYTES} format raw local0 info`, `tune.http.logurilen ${URL_BYTES}`]
        : ["log stdout format raw local0 info"];
}

/** Lines for the `defaults` section. */
export function accessLogDefaults(accessLog: AccessLog): string[] {
    switch (accessLog) {
        case "text":
            return [`log-format "${TEXT_FORMAT}"`];
        case "errors":
            return [`log-format "${TEXT_FORMAT}"`, "option dontlog-normal"];
        case "json":
            return [
                // Version 7 of RFC 9562: ids sort by time.
                'unique-id-format "%[uuid(7)]"',
                `log-format "${jsonFormat(JSON_FIELDS)}"`,
                `error-log-format "${jsonFormat(ERROR_FIELDS)}"`,
            ];
    }
}

/**
 * Lines for a frontend, before its other rules. The id is the proxy's own, whatever a client sends in such a header: what
 * it sends goes on as it came, since a signature may cover it, and is not noted. The answer has the id, beside the store's own in
 * `x-amz-request-id`, which is noted.
 */
export function accessLogRules(accessLog: AccessLog): string[] {
    return accessLog === "json"
        ? [
              "http-request set-var(txn.log_host) req.fhdr(host),bytes(0,255)",
              "http-request set-var(txn.log_user_agent) req.hdr(user-agent),bytes(0,256)",
              "http-response set-var(txn.log_store_request_id) res.hdr(x-amz-request-id),bytes(0,128)",
              `http-after-response set-header ${REQUEST_ID_HEADER} %[unique-id]`,
          ]
        : [];
}

function jsonFormat(fields: [name: string, item: string][]): string {
    const items = fields.map(([name, item]) => `%(${name}${NUMBERS.test(name) ? ":sint" : ""})${item}`);
    return `%{+json}o ${items.join(" ")}`;
}
