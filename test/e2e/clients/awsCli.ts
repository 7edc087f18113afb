import type { ClientContainer } from "../harness/clientContainer";

const ODD_NAMES = ["plain", "a folder/with spaces", "one+two", "100%25", "ünïcödé ☃", "what?=1&#", "~(1) [2]"];

/** Operations of a user of the AWS CLI. Compares content by checksum. Fails at the first difference. */
export async function exerciseAwsCli(client: ClientContainer, bucket: string): Promise<void> {
    const aws = (...words: string[]) => client.run("aws", ...words);
    const s3 = (command: string, ...words: string[]) => aws("s3", command, ...words);
    const names = ODD_NAMES.map((name) => `'${name}'`).join(" ");
    const checksums = (folder: string) => client.shell(`cd ${folder} && sha256sum ${names}`);
    await client.shell(
        `mkdir -p "/cli/up/large" "/cli/up/odd/a folder"; cd /cli/up
        head -c 1000 /dev/urandom > small; head -c $((64 * 1024 * 1024)) /dev/urandom > large/object
        cd odd; for name in ${names}; do echo "$name" > "$name"; done`,
    );
    expect(await s3("mb", `s3://${bucket}`)).toBe(`make_bucket: ${bucket}\n`);

    for (const name of ["small", "large/object"]) {
        await s3("cp", "--no-progress", `/cli/up/${name}`, `s3://${bucket}/copied/${name}`);
        await s3("cp", "--no-progress", `s3://${bucket}/copied/${name}`, `/cli/down/${name}`);
    }
    expect(await client.shell("cd /cli/down && sha256sum small large/object")).toBe(
        await client.shell("cd /cli/up && sha256sum small large/object"),
    );
    const head = ["s3api", "head-object", "--bucket", bucket, "--key", "copied/large/object", "--query", "ETag"];
    expect(await aws(...head)).toMatch(/-8\\""$/m);

    await s3("sync", "--no-progress", "/cli/up/odd", `s3://${bucket}/synced`);
    const listed = await s3("ls", "--recursive", `s3://${bucket}/synced/`);
    const keys = listed.trim().split("\n");
    expect(keys.map((line) => /synced\/(.*)$/.exec(line)?.[1]).sort()).toEqual([...ODD_NAMES].sort());
    await s3("sync", "--no-progress", `s3://${bucket}/synced`, "/cli/down/odd");
    expect(await checksums("/cli/down/odd")).toBe(await checksums("/cli/up/odd"));
    expect(await s3("sync", "--no-progress", "/cli/up/odd", `s3://${bucket}/synced`)).toBe("");

    const signed = await s3("presign", `s3://${bucket}/synced/a folder/with spaces`);
    const got = await client.shell(`curl --silent --show-error --fail --cacert $AWS_CA_BUNDLE '${signed.trim()}'`);
    expect(got).toBe("a folder/with spaces\n");

    await s3("rm", "--recursive", `s3://${bucket}`);
    expect(await s3("rb", `s3://${bucket}`)).toBe(`remove_bucket: ${bucket}\n`);
    expect(await s3("ls")).not.toContain(bucket);
}
