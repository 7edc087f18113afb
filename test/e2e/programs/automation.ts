import { LocalWorkspace } from "@pulumi/pulumi/automation";
import { ObjectStore, type ObjectStoreArgs } from "pulumi-docker-object-store";

// Updates a stack by a function as its program: once for each of the args, which are given as JSON. Prints for each how the
// update has ended, as a line of JSON. The function returns no outputs, so that Pulumi waits for none.
const [stackName = "", updates = "[]"] = process.argv.slice(2);

async function run(): Promise<void> {
    for (const args of JSON.parse(updates) as ObjectStoreArgs[]) {
        const program = () => {
            new ObjectStore("objects", args);
            return Promise.resolve();
        };
        const stack = await LocalWorkspace.createOrSelectStack({ stackName, projectName: "automation", program });
        const output: string[] = [];
        const succeeded = await stack.up({ onOutput: (text) => output.push(text) }).then(
            () => true,
            () => false,
        );
        console.log(JSON.stringify({ succeeded, output: output.join("") }));
    }
}

void run();
