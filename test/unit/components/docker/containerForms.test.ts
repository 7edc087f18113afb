import type * as docker from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import { inputsDigest } from "../../../../components/docker/containerArgs";
import { digestsOf, inExistingForm, type ContainerForms } from "../../../../components/docker/containerForms";
import { mockEngine, valueOf } from "../../fakes/mockEngine";

const earlier: docker.ContainerArgs = { name: "store", healthcheck: { tests: ["CMD", "old"] }, image: "sha256:1" };
const newest: docker.ContainerArgs = {
    ...earlier,
    healthcheck: { tests: ["CMD", "new"] },
    sysctls: { "net.ipv4.tcp_syn_retries": "1" },
};
const forms: ContainerForms = [newest, earlier];

const resolved = (args: docker.ContainerArgs) => valueOf(pulumi.output(args) as pulumi.Output<object>);
const digest = (args: docker.ContainerArgs) => valueOf(inputsDigest(args));

beforeEach(() => mockEngine());

test("a container that doesn't exist gets the newest form", async () => {
    expect(await resolved(inExistingForm(forms, undefined))).toEqual(newest);
});

test("an existing container keeps its form, and so the digest in its label", async () => {
    for (const form of forms) {
        const args = inExistingForm(forms, await digest(form));
        expect(JSON.stringify(await resolved(args))).toBe(JSON.stringify(form));
        expect(await digest(args)).toBe(await digest(form));
    }
});

test("a container that is replaced for another reason gets the newest form", async () => {
    const ofFormerImage = await digest({ ...earlier, image: "sha256:0" });
    expect(await resolved(inExistingForm(forms, ofFormerImage))).toEqual(newest);
});

test("in a preview, a new container doesn't wait for what isn't known yet", async () => {
    const unknown = pulumi.output(new Promise<string>(() => undefined));
    const args = inExistingForm(
        forms.map((form) => ({ ...form, image: unknown })) as unknown as ContainerForms,
        undefined,
    );
    expect(await valueOf(pulumi.output(args.healthcheck))).toEqual(newest.healthcheck);
});

test("what differs between the forms isn't secret because another input is", async () => {
    const withSecret = forms.map((form) => ({ ...form, envs: [pulumi.secret("KEY=1")] })) as unknown as ContainerForms;
    const [ofNewest] = await Promise.all(digestsOf(withSecret).map(valueOf));
    const { sysctls } = inExistingForm(withSecret, ofNewest);
    expect(await pulumi.isSecret(pulumi.output(sysctls))).toBe(false);
});
