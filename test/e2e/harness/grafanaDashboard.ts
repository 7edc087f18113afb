import { readFileSync } from "node:fs";

/** One expression of a panel. */
export interface PanelExpression {
    panel: string;
    expression: string;
}

/** Every expression of a dashboard. A fixed time window replaces Grafana's variable. */
export function panelExpressions(file: string, rateInterval: string): PanelExpression[] {
    const { panels } = JSON.parse(readFileSync(file, "utf8")) as {
        panels: { title: string; targets?: { expr: string }[] }[];
    };
    return panels.flatMap(({ title, targets = [] }) =>
        targets.map(({ expr }) => ({ panel: title, expression: expr.replaceAll("$__rate_interval", rateInterval) })),
    );
}
