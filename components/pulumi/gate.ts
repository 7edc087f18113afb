import type * as pulumi from "@pulumi/pulumi";

/** What a resource waits for, by `dependsOn`, until the program opens it. */
export class Gate {
    /** For `dependsOn`: no resources, once the gate is open. */
    readonly opened: Promise<pulumi.Resource[]>;
    /** Opens the gate. */
    open!: () => void;
    /** Lets what waits fail. Otherwise the program would wait forever. */
    fail!: (error: unknown) => void;

    constructor() {
        this.opened = new Promise<pulumi.Resource[]>((resolve, reject) => {
            this.open = () => resolve([]);
            this.fail = reject;
        });
    }

    /** A gate that is open. */
    static opened(): Gate {
        const gate = new Gate();
        gate.open();
        return gate;
    }
}
