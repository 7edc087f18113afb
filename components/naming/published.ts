// Written by `npm run docs` from package.json.

/** Version of the package. */
export const VERSION: string = "0.1.0";

/** Web address of the repository, `repository` in package.json; undefined until it is set. */
export const REPOSITORY: string | undefined = undefined;
