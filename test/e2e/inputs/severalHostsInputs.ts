import type { StorageClusterArgs } from "../../../components";
import type { InputsOf } from "./input";

/** What is for several hosts, which hosts.test.ts has. On one host it is refused, whatever its value. */
export function onSeveralHosts(): Pick<
    InputsOf<StorageClusterArgs>,
    "hosts" | "unreachableHosts" | "unencryptedOverlay" | "allowSinglePointOfFailure"
> {
    const because = "hosts.test.ts";
    return {
        hosts: { hidden: { changed: () => undefined, because } },
        unreachableHosts: { hidden: { changed: () => undefined, because } },
        unencryptedOverlay: { hidden: { changed: () => undefined, because } },
        allowSinglePointOfFailure: { hidden: { changed: () => undefined, because } },
    };
}
