import eslint from "@eslint/js";
import prettier from "eslint-config-prettier";
import tseslint from "typescript-eslint";

/** Rooms of the components, each with those that it may import: docs/contributing/code-map.md says what each is for. */
const ROOMS = {
    hosts: [
        "rollout",
        "proxy",
        "settings",
        "requirements",
        "haproxyConfig",
        "certificate",
        "proxyControl",
        "docker",
        "store",
        "args",
    ],
    proxy: ["settings", "haproxyConfig", "certificate", "proxyControl", "requirements", "docker", "store", "args"],
    contents: ["settings", "requirements", "storeClient", "docker", "store", "args"],
    node: ["settings", "requirements", "storeClient", "docker", "store", "args"],
    rollout: ["requirements", "proxyControl", "docker", "store"],
    settings: ["requirements", "haproxyConfig", "certificate", "storeClient", "docker", "store", "args"],
    haproxyConfig: ["certificate", "proxyControl", "store", "args"],
    requirements: ["storeClient", "docker", "store", "args"],
    certificate: ["docker", "store", "args"],
    storeClient: ["docker", "store", "args"],
    proxyControl: ["docker", "store", "args"],
    args: ["store"],
    docker: [],
    store: [],
    checks: [],
    pulumi: [],
    naming: [],
};

/** What every other room may import besides. Of these, the checks import names, and the internals of Pulumi. */
const BASE = ["checks", "pulumi", "naming"];

/** Rooms for several hosts alone, in `components/hosts/`. None of them imports another. */
const HOST_ROOMS = ["certificateExchange", "floatingAddress", "overlay", "placement", "swarm", "watchdog"];

/** Files that write only what no other process reads by its name: drafts, and files in a temporary folder. */
const WRITE_DRAFTS = [
    "tools/machine/wholeFiles.ts",
    "tools/pulumi/changedState.ts",
    "tools/pulumi/stackLock.ts",
    "tools/pulumi/toolchainBuild.ts",
];

const OUTSIDE = ["config", "migration", "plugin", "tools", "bench", "test"];

/** A rule for files that may not import from folders beside or above them. */
function importsNone(files, folders, message) {
    const regex = `^(\\.\\./)+(${folders.join("|")})(/|$)`;
    return { files, rules: { "no-restricted-imports": ["error", { patterns: [{ regex, message }] }] } };
}

/** Folders that a room may not import from. */
function forbiddenTo(room, allowed) {
    const base = BASE.includes(room) ? (room === "checks" ? ["naming", "pulumi"] : []) : BASE;
    return [
        ...Object.keys(ROOMS).filter((other) => other !== room && ![...allowed, ...base].includes(other)),
        ...OUTSIDE,
    ];
}

export default tseslint.config(
    { ignores: ["node_modules/", ".local/", "dist/", "plugin/dist/", "plugin/dist.*/", "tools/toolchain/"] },
    eslint.configs.recommended,
    {
        files: ["**/*.ts"],
        extends: [...tseslint.configs.strictTypeChecked],
        languageOptions: { parserOptions: { projectService: true } },
        rules: {
            "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
            "@typescript-eslint/no-confusing-void-expression": [
                "error",
                { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
            ],
        },
    },
    {
        files: ["components/**/*.ts", "migration/**/*.ts", "config/**/*.ts", "plugin/**/*.ts"],
        rules: { "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }] },
    },
    {
        files: ["components/**/*.ts", "migration/**/*.ts", "config/**/*.ts", "plugin/**/*.ts", "tools/**/*.ts"],
        ignores: [...WRITE_DRAFTS, "tools/maintain/**"],
        rules: {
            "no-restricted-syntax": [
                "error",
                {
                    selector:
                        ":matches(CallExpression[callee.name=/^(write|append)File(Sync)?$/], CallExpression[callee.property.name=/^(write|append)File(Sync)?$/])",
                    message:
                        "Write with tools/machine/wholeFiles.ts: if the power fails, a reader finds the whole file.",
                },
            ],
        },
    },
    importsNone(["components/*.ts"], OUTSIDE, "The package has components alone."),
    ...Object.entries(ROOMS).map(([room, allowed]) =>
        importsNone(
            [`components/${room}/**/*.ts`],
            forbiddenTo(room, allowed),
            `components/${room} imports only from ${["itself", ...allowed, "checks, pulumi and naming"].join(", ")} (docs/contributing/code-map.md).`,
        ),
    ),
    ...HOST_ROOMS.map((room) =>
        importsNone(
            [`components/hosts/${room}/**/*.ts`],
            [...forbiddenTo("hosts", ROOMS.hosts), ...HOST_ROOMS.filter((other) => other !== room)],
            "A room of components/hosts imports what hosts/ may import, and no other room of hosts/ (docs/contributing/code-map.md).",
        ),
    ),
    importsNone(["config/**/*.ts"], ["migration", "tools", "bench", "test"], "config/ imports only components."),
    importsNone(
        ["plugin/**/*.ts", "tools/**/*.ts"],
        ["migration", "bench", "test"],
        "Nothing imports the migration but its command, when it runs.",
    ),
    {
        // The options of `npm run migrate`, as a type; and the page that is made from the tests' own data.
        files: ["tools/commands/migrate.ts", "tools/maintain/docs/proofPage.ts"],
        rules: { "no-restricted-imports": "off" },
    },
    {
        // Here they import the components themselves, by the name that their users install them by.
        files: ["examples/**/*.ts"],
        languageOptions: { parserOptions: { projectService: false, project: "tsconfig.json" } },
    },
    {
        files: ["**/*.js", "**/*.cjs"],
        languageOptions: {
            sourceType: "commonjs",
            globals: {
                module: "writable",
                require: "readonly",
                __dirname: "readonly",
                console: "readonly",
                process: "readonly",
                setTimeout: "readonly",
                clearTimeout: "readonly",
            },
        },
    },
    prettier,
);
