import type { ContainerArgs } from "@pulumi/docker";
import * as pulumi from "@pulumi/pulumi";
import program from "../../index";
import { BROKEN_RULE, type Break } from "./rule";
import { rules } from "./rules";

// The project's own program with one rule of the contract broken: the tests that `npm run test:contract` runs deploy it.
const rule = rules.find(({ id }) => id === process.env[BROKEN_RULE]);
if (rule === undefined || "notBroken" in rule.broken) {
    throw new Error(`${BROKEN_RULE} names no rule that can be broken: ${process.env[BROKEN_RULE]}`);
}
const broken = rule.broken;

pulumi.runtime.registerStackTransformation(({ type, name, props, opts }) =>
    type === "docker:index/container:Container"
        ? { props: breakContainer(name, props as ContainerArgs), opts }
        : undefined,
);

function breakContainer(name: string, inputs: ContainerArgs): ContainerArgs {
    if (name.endsWith("-writer")) {
        return breakFile(broken, broken.writer?.(inputs) ?? inputs);
    }
    return (name === "store-front-end" ? broken.proxy?.(inputs) : broken.node?.(inputs)) ?? inputs;
}

function breakFile({ file }: Break, inputs: ContainerArgs): ContainerArgs {
    if (file === undefined) {
        return inputs;
    }
    return {
        ...inputs,
        uploads: pulumi.output(inputs.uploads).apply((uploads) =>
            (uploads ?? []).map((upload) => ({
                ...upload,
                content: upload.file.endsWith(`/${file.name}`) ? file.edit(upload.content ?? "") : upload.content,
            })),
        ),
    };
}

export = program;
