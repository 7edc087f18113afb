import { MOVE_FILE } from "../proxyControl/proxyFiles";
import { ownErrors, s3Error } from "./errors";
import { ANSWERED_BY_SERVER } from "./crossOrigin";
import { NOT_OF_THE_STORE } from "./headers";
import { REQUESTED_HOST, section } from "./section";
import { namesOf, type HaproxyStore } from "./haproxyStore";
import { ASKED_FOR_BODY } from "./unsentBodies";

/** Time at which a request last looked whether it may go on. Of every store: names of variables may have no hyphen, those of stores may. */
const NOW = "txn.now";

/** Interval in which a held request looks whether it may go on, and the number of times. Clients' own timeouts are 30 s or longer. */
const HOLD = { milliseconds: 500, times: 56 };

/** Longest time that a request is held, in seconds. */
export const HELD_SECONDS = (HOLD.milliseconds * HOLD.times) / 1000;

/**
 * Parts of the global section while a store is moved: all rules are evaluated at once. HAProxy 3.2 would interrupt itself after every 50,
 * and also with the value 0 (haproxy.c): a change could be neither held nor counted.
 */
export function moveGlobal(stores: readonly HaproxyStore[]): string[] {
    return stores.some(({ move }) => move !== undefined && !move.done) ? ["tune.max-rules-at-once 1000000"] : [];
}

/** Name of the backend with the proxies of the other store. */
export function movedBackendOf({ name }: Pick<HaproxyStore, "name">): string {
    return name === undefined ? "moved" : `moved-${name}`;
}

/** Name of the table that counts the running requests that change something. */
export function changesTableOf({ name }: Pick<HaproxyStore, "name">): string {
    return name === undefined ? "changes" : `changes-${name}`;
}

/** Keys of a move in {@link MOVE_FILE}: the end of its pause in seconds since 1970, and 1 once requests are forwarded. */
function moveKeys(name: string): { paused: string; moved: string } {
    return { paused: `paused:${name}`, moved: `moved:${name}` };
}

/**
 * Rules for a store that is moved. While the move is paused, requests that change something are held until they may go on, or
 * the pause has ended by itself; those that were held for {@link HELD_SECONDS} are refused so that clients repeat them. Running
 * ones are counted, wherever they go.
 */
export function moveRules(store: HaproxyStore): string[] {
    const { move } = store;
    if (move === undefined || move.done) {
        return [];
    }
    const { s3Acl, consoleAcl, prefix } = namesOf(store);
    const { paused, moved } = moveKeys(move.name);
    const [changing, held, forwarded] = [`${prefix}changing`, `${prefix}held`, `${prefix}forwarded`];
    const eachHost = (conditions: string) => `if ${s3Acl} ${conditions} or ${consoleAcl} ${conditions}`;
    const look = `http-request set-var(${NOW}) date if ${changing}`;
    const hold = `http-request pause ${HOLD.milliseconds}ms ${eachHost(`${changing} ${held}`)}`;
    return [
        `acl ${changing} method POST PUT DELETE PATCH`,
        `acl ${held} str(${paused}),map_str_int(opt@${MOVE_FILE},0),sub(${NOW}) gt 0`,
        `acl ${forwarded} str(${moved}),map_str_int(opt@${MOVE_FILE},0) eq 1`,
        ...Array.from({ length: HOLD.times }, () => [look, hold]).flat(),
        look,
        `http-request return status 503 content-type application/xml hdr Retry-After 5 string '${PAUSED}' ${eachHost(`${changing} ${held}`)}`,
        `http-request track-sc2 str(changes) table ${changesTableOf(store)} ${eachHost(changing)}`,
    ];
}

/** The routes of a store that is moved. They come before the store's own. */
export function moveRoutes(store: HaproxyStore): string[] {
    const { s3Acl, consoleAcl, prefix } = namesOf(store);
    if (store.move === undefined) {
        return [];
    }
    const condition = store.move.done ? "" : ` ${prefix}forwarded`;
    return [`use_backend ${movedBackendOf(store)} if ${s3Acl}${condition} or ${consoleAcl}${condition}`];
}

const PAUSED = s3Error("SlowDown", "The store is being moved: writes go on in a few seconds");

/** The sections of a store that is moved. */
export function moveSections(store: HaproxyStore): string[] {
    const { move } = store;
    if (move === undefined) {
        return [];
    }
    return [
        section(
            "The proxies of the other store, over TLS. Host and path stay as they came, so signatures stay valid.",
            `backend ${movedBackendOf(store)}`,
            [
                "balance leastconn",
                ...ASKED_FOR_BODY,
                ...NOT_OF_THE_STORE,
                ...ANSWERED_BY_SERVER,
                // A connection for each request: the other proxy closes idle ones, and a PUT that is being sent on one fails.
                "option http-server-close",
                "option httpchk",
                `http-check send meth GET uri / ver HTTP/1.1 hdr Host ${store.s3Host.toLowerCase()}`,
                // Without a signature the answer is a refusal, from a store that can answer.
                "http-check expect rstatus ^[234]",
                ...ownErrors(),
                ...move.to.map(
                    ({ address, port }, index) =>
                        `server ${frontEndName(index)} ${address}:${port} ssl verify required ca-file ${move.trustedFile} ` +
                        `sni ${REQUESTED_HOST} check-sni ${store.s3Host.toLowerCase()} alpn http/1.1`,
                ),
            ],
        ),
        ...(move.done
            ? []
            : [
                  section("Running requests that change something.", `backend ${changesTableOf(store)}`, [
                      "stick-table type string len 8 size 16 expire 1h store conn_cur",
                  ]),
              ]),
    ];
}

/** Name of a proxy of the other store in haproxy.cfg. */
export function frontEndName(index: number): string {
    return `front-end${index + 1}`;
}
