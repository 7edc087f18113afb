import { refusePortsOfOthers } from "../../../../tools/up/takenPorts";

const PORTS = [80, 443].map((port) => ({ container: "dev-proxy", address: "127.0.0.1", port }));

const owners = {
    published: () => Promise.resolve(PORTS),
    stacks: () => Promise.resolve(["dev", "prod"]),
    containersOf: (stack: string) => Promise.resolve([`${stack}-proxy`]),
};

const config = (values: { [key: string]: string }) => (key: string) => values[key];

test("ports of another stack of the project: it is named, with the command that removes it", async () => {
    await expect(refusePortsOfOthers("prod", config({}), owners)).rejects.toThrow(
        "the stack dev publishes port 80 and 443 on this host already. Remove it first: npm run down -- --stack dev (its data stays).",
    );
});

test.each([
    ["its own ports", "dev", {}],
    ["other ports", "prod", { httpPort: "8080", httpsPort: "8443" }],
    ["another address", "prod", { publishAddress: "10.0.0.1" }],
])("%s are free", async (_, stack, values) => {
    await refusePortsOfOthers(stack, config(values), owners);
});

test("ports of a stranger are left to the program, which refuses them", async () => {
    const strangers = {
        ...owners,
        published: () => Promise.resolve([{ container: "web", address: "0.0.0.0", port: 80 }]),
    };
    await refusePortsOfOthers("prod", config({}), strangers);
});
