/** The part of the npm package `pulumi` that installs the CLI; it ships no types. */
declare module "pulumi/lib/download" {
    export function installCLI(
        version: string,
        root: string,
        io?: { fetchText?: (url: string) => Promise<string>; execScript?: (script: string, args: string[]) => void },
    ): Promise<void>;
}
