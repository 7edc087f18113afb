import { ChaosClient } from "./chaosClient";
import type { LoadTarget } from "./load";
import type { ObjectLedger } from "./objectLedger";
import type { Finding } from "./operations";

const READERS = 6;

/** Reads every object whose key begins so, the deleted ones too, and lists them; gives all that is wrong. */
export async function verifyObjects(target: LoadTarget, ledger: ObjectLedger, prefix: string): Promise<Finding[]> {
    const client = new ChaosClient(target.outputs, "retrying", [target.nextCertificate.authority]);
    const left = ledger.keys(prefix);
    const wrong: Finding[] = [];
    const read = async () => {
        for (let key = left.pop(); key !== undefined; key = left.pop()) {
            wrong.push(...(await judge(client, ledger, key)));
        }
    };
    await Promise.all(Array.from({ length: READERS }, read));
    wrong.push(...ledger.judgeList(prefix, await client.list(prefix)));
    client.close();
    return wrong;
}

async function judge(client: ChaosClient, ledger: ObjectLedger, key: string): Promise<Finding[]> {
    try {
        return ledger.judge(key, await client.get(key));
    } catch (error) {
        return [{ by: "read", key, text: `${key} can't be read: ${String(error)}` }];
    }
}
