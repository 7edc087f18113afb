import type { TopLevelSpec } from "vega-lite";
import type { Metric, PartResult } from "./measurement";
import { distinct, figuresOf, spreadOf } from "./statistics";

/** A chart of a metric: the median of each subject at each point, with a line from the minimum to the maximum. */
export function chartOf(result: PartResult, metric: Metric): TopLevelSpec {
    const measured = result.measurements.filter(({ metric: name }) => name === metric.name);
    const values = distinct(measured, "point").flatMap((point) =>
        distinct(measured, "subject").flatMap((subject) => {
            const figures = figuresOf(result, metric.name, point, subject).map(({ value }) => value);
            return figures.length === 0 ? [] : [{ point, subject, ...spreadOf(figures) }];
        }),
    );
    const positive = values.every(({ minimum }) => minimum > 0);
    const title = `${metric.name} (${metric.unit}; ${metric.better} is better)`;
    return {
        $schema: "https://vega.github.io/schema/vega-lite/v5.json",
        title,
        background: "white",
        data: { values },
        encoding: {
            y: { field: "point", type: "nominal", sort: null, title: null, axis: { labelLimit: 400 } },
            yOffset: { field: "subject", type: "nominal", sort: null },
            color: { field: "subject", type: "nominal", sort: null, title: null },
        },
        layer: [
            {
                mark: { type: "rule" },
                encoding: {
                    x: {
                        field: "minimum",
                        type: "quantitative",
                        title: metric.unit,
                        scale: positive ? { type: "log" } : { zero: true },
                    },
                    x2: { field: "maximum" },
                },
            },
            {
                mark: { type: "point", filled: true, size: 50 },
                encoding: { x: { field: "median", type: "quantitative" } },
            },
        ],
        width: 500,
        height: { step: 10 },
    };
}

/** A chart as SVG. */
export async function renderSvg(chart: TopLevelSpec): Promise<string> {
    // Both packages only have ES modules.
    const [vega, vegaLite] = await Promise.all([import("vega"), import("vega-lite")]);
    const view = new vega.View(vega.parse(vegaLite.compile(chart).spec), { renderer: "none" });
    try {
        return await view.toSVG();
    } finally {
        view.finalize();
    }
}
