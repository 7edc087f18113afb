import * as pulumi from "@pulumi/pulumi";
import { LABEL_PREFIX } from "../naming/labels";
import type { Problem } from "./problem";

/** Checks for a value that Docker accepts as text. A value from another resource isn't known here and passes. */
export function checkText(propertyPath: string, value: unknown): Problem[] {
    const later = pulumi.Output.isInstance(value) || value instanceof Promise;
    return later || typeof value === "string" ? [] : [{ propertyPath, reason: "is not text: put it in quotes" }];
}

/**
 * Checks a user's labels (Docker's rules for label keys). The values must be text, and the names must not be those of the
 * components' own labels.
 */
export function checkLabels(propertyPath: string, labels: pulumi.Input<{ [name: string]: unknown }>): Problem[] {
    return pulumi.Output.isInstance(labels) || labels instanceof Promise ? [] : checkPlainLabels(propertyPath, labels);
}

function checkPlainLabels(propertyPath: string, labels: { [name: string]: unknown }): Problem[] {
    return Object.entries(labels).flatMap(([name, value]) => {
        const path = `${propertyPath}["${name}"]`;
        if (!/^[A-Za-z0-9]([A-Za-z0-9._/-]*[A-Za-z0-9])?$/.test(name)) {
            const reason =
                "is not a label's name: letters, digits, dots, slashes and hyphens, such as com.example.team";
            return [{ propertyPath: path, reason }];
        }
        return name.startsWith(LABEL_PREFIX)
            ? [{ propertyPath: path, reason: `begins with ${LABEL_PREFIX}, as the components' own do: give another` }]
            : checkText(path, value);
    });
}
