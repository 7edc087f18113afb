import { readFileSync } from "node:fs";

/** One expression of a panel. */
export interface PanelExpression {
    /** Title of the row above the panel. */
    row: string;
    panel: string;
    expression: string;
}

/** Every expression of a dashboard. A fixed time window replaces Grafana's variable. */
export function panelExpressions(file: string, rateInterval: string): PanelExpression[] {
    const { panels } = JSON.parse(readFileSync(file, "utf8")) as {
        panels: { type: string; title: string; targets?: { expr: string }[] }[];
    };
    let row = "";
    return panels.flatMap(({ type, title, targets = [] }) => {
        row = type === "row" ? title : row;
        return targets.map(({ expr }) => ({
            row,
            panel: title,
            expression: expr.replaceAll("$__rate_interval", rateInterval),
        }));
    });
}
