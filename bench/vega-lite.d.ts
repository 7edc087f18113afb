/** Its own types are found by its `exports` alone, which this project's module resolution doesn't read. */
declare module "vega-lite" {
    import type { Spec } from "vega";

    export interface TopLevelSpec {
        [property: string]: unknown;
    }

    export function compile(spec: TopLevelSpec): { spec: Spec };
}
