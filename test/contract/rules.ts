import type { Rule } from "./rule";
import { authenticationRules } from "./authenticationRules";
import { deploymentRules } from "./deploymentRules";
import { limitRules } from "./limitRules";
import { proxyRules } from "./proxyRules";
import { routingRules } from "./routingRules";
import { serviceRules } from "./serviceRules";
import { stateRules } from "./stateRules";

/** Every rule of the service contract, in its order. */
export const rules: Rule[] = [
    ...serviceRules,
    ...deploymentRules,
    ...stateRules,
    ...routingRules,
    ...proxyRules,
    ...authenticationRules,
    ...limitRules,
];
