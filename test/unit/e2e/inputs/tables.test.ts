import { keysOf } from "../../../../config/schemaReader";
import { NODE_INPUTS } from "../../../e2e/inputs/nodeInputs";
import { tablesOfInputs } from "../../../e2e/inputs/tables";

/** Keys of stack config whose names differ from the input that they set. */
const CONFIG_NAMES: { [key: string]: string } = {
    haproxyImage: "proxy.image",
    storeName: "cluster.clusterName",
};

/** Keys of parts that a stack on one host with one store doesn't have, and of what is in the store. They have suites of their own. */
const ELSEWHERE = [
    "frontEndHosts",
    "watchdog",
    "floatingAddress",
    "buckets",
    "policies",
    "accessKeys",
    "additionalStores",
];

// What `npm run test:full` changes one by one on the engine.
describe("the table of inputs", () => {
    const tables = tablesOfInputs(() => {
        throw new Error("nothing is deployed");
    });
    const names = Object.entries(tables).flatMap(([owner, table]) =>
        Object.keys(table).map((property) => `${owner}.${property}`),
    );

    test("contains every input that a key of stack config sets", () => {
        const missing = Object.keys(keysOf("ObjectStoreArgs")).filter((key) => {
            const candidates = [CONFIG_NAMES[key] ?? "", `cluster.${key}`, `proxy.${key}`];
            return !candidates.some((name) => names.includes(name));
        });
        expect(missing.sort()).toEqual(ELSEWHERE.sort());
    });

    test("contains the inputs that determine a node's args", () => {
        expect(names).toEqual(expect.arrayContaining(Object.values(NODE_INPUTS).flat()));
    });
});
