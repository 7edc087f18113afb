import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientContainer } from "../harness/clientContainer";

const PROGRAM = readFileSync(join(__dirname, "boto3Client.py"), "utf8");

/** Operations of a user of boto3. Fails at the first difference. */
export async function exerciseBoto3(client: ClientContainer, bucket: string): Promise<void> {
    await client.run("python3", "-c", PROGRAM, bucket);
}
