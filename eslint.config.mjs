import eslint from "@eslint/js";
import prettier from "eslint-config-prettier";
import tseslint from "typescript-eslint";

/** Folders of the components, each with those that it may import: docs/contributing/code-map.md says what each means. */
const FOLDERS = {
    frontEnd: ["haproxy", "certificate", "traffic", "preflight", "engine", "store", "inputs", "program", "naming"],
    floatingAddress: ["engine", "inputs", "program", "naming"],
    buckets: ["client", "store", "inputs", "naming"],
    client: ["engine", "store", "inputs", "naming"],
    cluster: ["client", "preflight", "traffic", "store", "engine", "inputs", "program", "naming"],
    haproxy: ["certificate", "traffic", "store", "naming"],
    preflight: ["client", "store", "engine", "inputs", "program", "naming"],
    traffic: ["engine", "store", "naming"],
    certificate: ["engine", "inputs", "naming"],
    store: ["inputs", "naming"],
    engine: ["inputs", "program", "naming"],
    inputs: ["naming"],
    program: [],
    naming: [],
};

const OUTSIDE = ["config", "tools", "bench", "test"];

/** A rule for files that may not import from folders beside or above them. */
function importsNone(files, folders, message) {
    const regex = `^(\\.\\./)+(${folders.join("|")})(/|$)`;
    return { files, rules: { "no-restricted-imports": ["error", { patterns: [{ regex, message }] }] } };
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
    importsNone(["components/*.ts"], OUTSIDE, "The package has components alone."),
    ...Object.entries(FOLDERS).map(([folder, allowed]) =>
        importsNone(
            [`components/${folder}/**/*.ts`],
            [...Object.keys(FOLDERS).filter((other) => other !== folder && !allowed.includes(other)), ...OUTSIDE],
            `components/${folder} imports only from ${["itself", ...allowed].join(", ")} (docs/contributing/code-map.md).`,
        ),
    ),
    importsNone(["config/**/*.ts"], ["tools", "bench", "test"], "config/ imports only components."),
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
