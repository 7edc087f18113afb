import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as ts from "typescript";
import { LOCAL, PROJECT } from "../../paths";
import { run } from "../../machine/run";

/** Folder of the reference pages in the project. */
export const REFERENCE = "docs/reference";

/** Options of TypeDoc and its Markdown plugin: few headings, tables, a page for each module. */
const OPTIONS = {
    plugin: ["typedoc-plugin-markdown", join(__dirname, "linksAcrossPages.mjs")],
    name: "Reference",
    readme: "none",
    disableSources: true,
    excludePrivate: true,
    excludeExternals: true,
    router: "module",
    hidePageHeader: true,
    expandObjects: true,
    entryFileName: "README",
    sort: ["kind", "source-order"],
    kindSortOrder: ["Class", "Interface", "TypeAlias", "Function", "Variable"],
    groupOrder: ["Classes", "Interfaces", "Type Aliases", "Functions", "Variables"],
    parametersFormat: "table",
    interfacePropertiesFormat: "table",
    classPropertiesFormat: "table",
    typeAliasPropertiesFormat: "table",
    validation: { notExported: true, invalidLink: true, notDocumented: false },
    treatWarningsAsErrors: true,
    skipErrorChecking: true,
};

/**
 * Reference pages of everything that the package exports, by their paths: one for each component, and one for each
 * other module.
 */
export async function referencePages(): Promise<Map<string, string>> {
    mkdirSync(LOCAL, { recursive: true });
    const folder = mkdtempSync(join(LOCAL, "reference-"));
    try {
        const modules = publicModules();
        const entryPoints = [...new Set(modules.map(({ page }) => page))].map((page) => {
            const file = join(folder, `${page}.ts`);
            const exports = modules
                .filter((module) => module.page === page)
                .map(
                    ({ names, specifier }) => `export { ${names} } from "${join(PROJECT, "components", specifier)}";\n`,
                );
            writeFileSync(file, `/** @module ${page} */\n${exports.join("")}`);
            return file;
        });
        const tsconfig = join(folder, "tsconfig.json");
        writeFileSync(
            tsconfig,
            JSON.stringify({
                extends: join(PROJECT, "tsconfig.build.json"),
                include: ["./*.ts"],
                compilerOptions: { rootDir: PROJECT },
            }),
        );
        const [options, out] = [join(folder, "typedoc.json"), join(folder, "pages")];
        writeFileSync(options, JSON.stringify({ ...OPTIONS, entryPoints, tsconfig, out }));
        await run(join(PROJECT, "node_modules", ".bin", "typedoc"), ["--options", options], { cwd: PROJECT });
        return new Map(readdirSync(out).map((file) => [`${REFERENCE}/${file}`, readFileSync(join(out, file), "utf8")]));
    } finally {
        rmSync(folder, { recursive: true });
    }
}

interface PublicModule {
    /** Name of the page: of the component, or of the module. */
    page: string;
    /** Its exports, joined by commas. */
    names: string;
    specifier: string;
}

/** Pages of modules that belong to another page. */
const PAGES: { [module: string]: string } = {
    clusterEndpoints: "StorageCluster",
    storageClusterArgs: "StorageCluster",
    storageNodeArgs: "StorageNode",
    haproxyFrontEndArgs: "HaproxyFrontEnd",
    endpointUrl: "HaproxyFrontEnd",
    serviceProfile: "serviceProfile",
    contract: "serviceProfile",
    minio: "serviceProfile",
    rustfs: "serviceProfile",
};

/** The exports of `components/index.ts`, by their modules. */
function publicModules(): PublicModule[] {
    const index = join(PROJECT, "components", "index.ts");
    const source = ts.createSourceFile(index, readFileSync(index, "utf8"), ts.ScriptTarget.ES2022);
    return source.statements.map((statement) => {
        if (
            !ts.isExportDeclaration(statement) ||
            statement.moduleSpecifier === undefined ||
            !ts.isStringLiteral(statement.moduleSpecifier) ||
            statement.exportClause === undefined ||
            !ts.isNamedExports(statement.exportClause)
        ) {
            throw new Error("components/index.ts has something else than exports of names from modules");
        }
        const exports = statement.exportClause.elements.map(({ name }) => name.text);
        const specifier = statement.moduleSpecifier.text;
        const module = basename(specifier);
        const component = exports.find((name) => name.toLowerCase() === module.toLowerCase());
        return { page: PAGES[module] ?? component ?? module, names: exports.join(", "), specifier };
    });
}
