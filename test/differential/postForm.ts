import { RequestSigner } from "../e2e/harness/signedRequest";
import type { User } from "../e2e/harness/stores";
import { bytesOf, type Command } from "./protocol";

const BOUNDARY = "boundary-of-the-form";
const HOUR_MILLISECONDS = 3_600_000;

/** What the step of a form says. */
interface Form {
    key: string;
    /** Bytes that the policy allows. */
    longest: number;
    status?: string;
    redirect?: string;
    by?: "stranger";
}

/** The request that a web page sends with a form: a policy and its signature beside the content. */
export async function postForm(command: Command, bucket: string, owner: User): Promise<Command> {
    const { key, longest, status, redirect, by } = command.parameters as unknown as Form;
    const now = new Date();
    const longDate = now.toISOString().replace(/[-:]|\.\d+/g, "");
    const credential = `${owner.accessKeyId}/${longDate.slice(0, 8)}/us-east-1/s3/aws4_request`;
    const fields: { [name: string]: string } = {
        key,
        ...(status === undefined ? {} : { success_action_status: status }),
        ...(redirect === undefined ? {} : { success_action_redirect: redirect }),
        "x-amz-algorithm": "AWS4-HMAC-SHA256",
        "x-amz-credential": credential,
        "x-amz-date": longDate,
    };
    const equal = Object.entries(fields).filter(([name]) => name !== "key");
    const exactly = equal.map(([name, value]) => ({ [name]: value }));
    const conditions = [{ bucket }, ["starts-with", "$key", ""], ["content-length-range", 0, longest], ...exactly];
    const expiration = new Date(now.getTime() + HOUR_MILLISECONDS).toISOString();
    const policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString("base64");
    const signer = new RequestSigner(by === undefined ? owner : { ...owner, secretAccessKey: "a-wrong-secret" });
    const signature = await signer.signText(policy, now.toISOString());
    const content = command.body === undefined ? Buffer.alloc(0) : bytesOf(command.body);
    const form = multipartForm({ ...fields, policy, "x-amz-signature": signature }, content);
    return {
        operation: "Request",
        parameters: { method: "POST", target: `/${bucket}` },
        headers: [["Content-Type", `multipart/form-data; boundary=${BOUNDARY}`]],
        body: { block: form.toString("base64"), size: form.length },
        expect: command.expect,
    };
}

function multipartForm(fields: { [name: string]: string }, content: Buffer): Buffer {
    const line = `--${BOUNDARY}\r\nContent-Disposition: form-data; name=`;
    const texts = Object.entries(fields).map(([name, value]) => `${line}"${name}"\r\n\r\n${value}\r\n`);
    const file = `${line}"file"; filename="posted.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`;
    return Buffer.concat([Buffer.from([...texts, file].join("")), content, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}
