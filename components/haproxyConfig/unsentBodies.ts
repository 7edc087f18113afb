/**
 * A client that sends `Expect: 100-continue` sends its body only once the server has asked for it (RFC 9110, section
 * 10.1.1). If the server answers finally before, the client may go on with its next request, which would be read as the
 * body of the former. So that answer closes the connection. HAProxy 3.2 leaves out `Connection: close` of the server.
 */

/** Rules of a frontend, placed before all that answer a request. HTTP/2 has no `Connection` header, and isn't affected. */
export const UNSENT_BODY_RULES = [
    "http-request set-var(txn.expects) bool(true) if { req.fhdr(expect) -m found }",
    "http-after-response set-header Connection close if { var(txn.expects) -m bool } !{ var(txn.continued) -m bool }",
];

/** Lines of a backend: whether a server has asked for the body. The time limit is that for its answer. */
export const ASKED_FOR_BODY = [
    "tcp-response inspect-delay 1h",
    "tcp-response content set-var(txn.continued) bool(true) if { status 100 }",
];
