import { ChaosClient } from "./chaosClient";
import type { LoadTarget } from "./load";
import type { ObjectLedger } from "./objectLedger";
import type { Finding } from "./operations";

const READERS = 6;

/** Reads every object with a key prefix, deleted ones too, and lists them. Returns everything that is wrong. */
export async function verifyObjects(target: LoadTarget, ledger: ObjectLedger, prefix: string): Promise<Finding[]> {
    const client = new ChaosClient(target.outputs, "retrying", [target.nextCertificate.ca]);
    const left = ledger.keys(prefix);
    const wrong: Finding[] = [];
    const read = async () => {
        for (let key = left.pop(); key !== undefined; key = left.pop()) {
            wrong.push(...(await check(client, ledger, key)));
        }
    };
    await Promise.all(Array.from({ length: READERS }, read));
    wrong.push(...ledger.checkList(prefix, await client.list(prefix)));
    client.close();
    return wrong;
}

async function check(client: ChaosClient, ledger: ObjectLedger, key: string): Promise<Finding[]> {
    try {
        return ledger.check(key, await client.get(key));
    } catch (error) {
        return [{ by: "read", key, text: `${key} can't be read: ${String(error)}` }];
    }
}
