import { ODD_KEYS } from "../harness/oddKeys";
import { outcomesOf, type Outcome } from "../harness/outcome";
import { BUCKET, PROTOCOLS, type Protocol, type SignedTraffic } from "../harness/signedTraffic";

/** Location of a request's signature: in a header, or in its query. */
type Signing = "sign" | "presign";

/** Spellings of keys and of Host, which a signature covers without decoding. */
export function signedKeysSuite(traffic: () => SignedTraffic): void {
    test.each(PROTOCOLS)(
        "%s: a key in any spelling gets the store's own answers",
        async (protocol) => {
            const refused = await compareKeys(traffic(), protocol, "sign");
            if (protocol === "HTTP/1.1" && refused.length > 0) {
                console.log([`keys that the store itself refuses: ${refused.length}`, ...refused].join("\n"));
            }
        },
        60_000,
    );

    test.each(PROTOCOLS)(
        "%s: presigned URLs with a key in any spelling get the store's own answers",
        async (protocol) => {
            await compareKeys(traffic(), protocol, "presign");
        },
        60_000,
    );

    test.each(PROTOCOLS)("%s: Host may have any spelling, in signed requests", (protocol) =>
        tryHosts(traffic(), protocol, "sign"),
    );

    test.each(PROTOCOLS)("%s: Host may have any spelling, in presigned requests", (protocol) =>
        tryHosts(traffic(), protocol, "presign"),
    );
}

/** Writes, reads and removes every key directly and through the proxy. Returns the keys that the store refuses. */
async function compareKeys(traffic: SignedTraffic, protocol: Protocol, signing: Signing): Promise<string[]> {
    const direct: { [what: string]: Outcome[] } = {};
    const proxied: { [what: string]: Outcome[] } = {};
    const refused: string[] = [];
    for (const [what, key] of Object.entries(ODD_KEYS)) {
        const target = { host: traffic.host, path: `/${BUCKET}/${key}` };
        const content = `content under a key with ${what}`;
        const requests = [
            await traffic.signer[signing]({ method: "PUT", ...target, body: Buffer.from(content) }),
            await traffic.signer[signing]({ method: "GET", ...target }),
            await traffic.signer[signing]({ method: "DELETE", ...target }),
        ];
        direct[what] = await outcomesOf(traffic.direct, requests);
        proxied[what] = await outcomesOf(traffic.proxied[protocol], requests);
        const [put, get] = proxied[what];
        if (put?.status === 200) {
            expect({ what, body: get?.body }).toEqual({ what, body: content });
        } else {
            refused.push(`    ${what} (${key.slice(0, 40)}): ${put?.status} ${put?.code ?? ""}`);
        }
    }
    expect(proxied).toEqual(direct);
    return refused;
}

async function tryHosts({ signer, host, proxied }: SignedTraffic, protocol: Protocol, signing: Signing): Promise<void> {
    const [name = "", port = ""] = host.split(":");
    const spellings = [host, name, host.toUpperCase(), "S3.LocalHost", `${name}.`, `${name}.:${port}`, `${name}:1`];
    if (protocol === "HTTP/1.1") {
        // HAProxy removes it from :authority before any rule, as RFC 3986, section 6.2.3, allows.
        spellings.push(`${name}:443`);
    }
    const statuses: { [spelling: string]: number } = {};
    for (const spelling of spellings) {
        const request = await signer[signing]({ method: "GET", host: spelling, path: `/${BUCKET}` });
        statuses[spelling] = (await proxied[protocol](request)).status;
    }
    expect(statuses).toEqual(Object.fromEntries(spellings.map((spelling) => [spelling, 200])));
}
