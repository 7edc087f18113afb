/** A request target, undecoded. */
export interface RequestTarget {
    path: string;
    /** The part after the question mark. */
    query: string;
}

/** Splits a request target. For a target in absolute form, scheme and host are left out. */
export function parseTarget(target: string): RequestTarget {
    const origin = target.replace(/^https?:\/\/[^/?]*/i, "");
    const mark = origin.indexOf("?");
    const [path, query] = mark === -1 ? [origin, ""] : [origin.slice(0, mark), origin.slice(mark + 1)];
    return { path: path === "" ? "/" : path, query };
}

/**
 * A path as a careless store may parse it: decoded once, slashes collapsed, dot segments resolved. A rule that only
 * checks the literal path doesn't catch this one.
 */
export function carelessReading(path: string): string {
    const decoded = path.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
    const segments: string[] = [];
    for (const segment of decoded.split("/").filter((part) => part !== "" && part !== ".")) {
        if (segment === "..") {
            segments.pop();
        } else {
            segments.push(segment);
        }
    }
    return `/${segments.join("/")}`;
}
