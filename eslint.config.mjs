import eslint from "@eslint/js";
import prettier from "eslint-config-prettier";
import tseslint from "typescript-eslint";

export default tseslint.config(
    { ignores: ["node_modules/", ".local/", "dist/", "plugin/dist/", "tools/toolchain/"] },
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
        // Here they import the components themselves, by the name that their users install them by.
        files: ["examples/**/*.ts"],
        languageOptions: { parserOptions: { projectService: false, project: "tsconfig.json" } },
    },
    {
        files: ["**/*.js", "**/*.cjs"],
        languageOptions: {
            sourceType: "commonjs",
            globals: { module: "writable", require: "readonly", console: "readonly", process: "readonly" },
        },
    },
    prettier,
);
