import { parseArgs } from "node:util";
import { adopt } from "../adopt/adopt";
import { main } from "../cli/step";

const OPTIONS = {
    container: { type: "string", multiple: true },
    compose: { type: "string" },
    volume: { type: "string", multiple: true },
    path: { type: "string", multiple: true },
    store: { type: "string" },
    image: { type: "string" },
    "s3-host": { type: "string" },
    "console-host": { type: "string" },
    config: { type: "string", multiple: true },
    stack: { type: "string" },
} as const;

// npm run adopt -- --stack NAME --container NAME … | --compose PROJECT | --store minio --volume NAME … | --store minio --path FOLDER …:
// writes a stack for a MinIO or RustFS that was started by other means, on the drives that it has. Changes nothing on the engine.
void main(() => {
    const { values } = parseArgs({ options: OPTIONS });
    return adopt({ ...values, s3Host: values["s3-host"], consoleHost: values["console-host"] });
});
