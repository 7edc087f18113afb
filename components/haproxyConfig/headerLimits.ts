import { s3Error } from "./errors";
import { namesOf, type HaproxyStore } from "./haproxyStore";

/**
 * Maximum number of headers in a message, with its first line. S3 limits the size of an object's metadata, 2 KiB, and so not
 * its number: HAProxy's default of 101 refuses a response that has more.
 */
export const MAX_HEADERS = 1024;

/**
 * Maximum number and size in bytes of a request's headers. What is stored of them comes back in responses, beside headers of
 * the store: both must fit into what the proxy accepts.
 */
const OF_REQUEST = { number: 900, bytes: 24 * 1024 };

const TOO_LARGE = s3Error("RequestHeaderSectionTooLarge", "The headers of this request are too many, or too large");

const REFUSAL = `return status 400 content-type application/xml string '${TOO_LARGE}'`;

/** Refuses requests whose headers could be stored, but not be read. */
export function headerLimitRules(stores: HaproxyStore[]): string[] {
    const { number, bytes } = OF_REQUEST;
    return stores
        .map((store) => namesOf(store).s3Acl)
        .map(
            (acl) =>
                `http-request ${REFUSAL} if ${acl} { req.fhdr_cnt gt ${number} } or ${acl} { req.hdrs,length gt ${bytes} }`,
        );
}

/** Lines of an S3 backend: a store that accepts fewer headers says so without an error in S3's format. */
export const FEWER_HEADERS = [`http-response ${REFUSAL} if { status 431 }`];
