import type { TopLevelSpec } from "vega-lite";
import type { Metric, PartResult } from "./measurement";
import { distinct, figuresOf, ratiosTo, spreadOf } from "./statistics";

/** Ratios with a label on the axis. */
const TICKS = [0.1, 0.2, 0.5, 1, 2, 5, 10];

/** The name of a point with a number of connections: `GET 1 MiB, 16 connections, h2`. */
const CONNECTIONS = /^(.+), (\d+) connections?(.*)$/;

/** A chart of a metric. Where points differ by their number of connections, it shows ratios, otherwise the figures. */
export function chartOf(result: PartResult, metric: Metric): TopLevelSpec {
    const points = distinct(
        result.measurements.filter(({ metric: name }) => name === metric.name),
        "point",
    );
    return points.every((point) => CONNECTIONS.test(point))
        ? chartOfRatios(result, metric, points)
        : chartOfFigures(result, metric);
}

/**
 * A panel for each operation and size, with the number of connections along the axis: the median ratio of ours to each
 * other subject, with a line from the minimum to the maximum, and a line at 1.
 */
function chartOfRatios(result: PartResult, metric: Metric, points: string[]): TopLevelSpec {
    const values = points.flatMap((point) => {
        const [, operation = "", connections = "", rest = ""] = CONNECTIONS.exec(point) ?? [];
        return distinct(result.measurements, "subject")
            .filter((subject) => subject !== result.ours)
            .flatMap((subject) => {
                const ratios = ratiosTo(result, metric.name, point, subject);
                return ratios.length === 0
                    ? []
                    : [{ panel: operation + rest, connections: Number(connections), subject, ...spreadOf(ratios) }];
            });
    });
    const ratio = {
        type: "quantitative",
        title: null,
        scale: { type: "log", nice: false },
        axis: { values: TICKS },
    } as const;
    const place = {
        x: { field: "connections", type: "ordinal", title: "connections", axis: { labelAngle: 0 } },
        xOffset: { field: "subject", type: "nominal", sort: null },
        color: { field: "subject", type: "nominal", sort: null, title: null },
    } as const;
    return {
        $schema: "https://vega.github.io/schema/vega-lite/v5.json",
        title: {
            text: `${metric.name}: ${result.ours} ÷ the others`,
            subtitle:
                metric.better === "higher" ? "above the line at 1, it is better" : "below the line at 1, it is better",
        },
        background: "white",
        data: { values },
        facet: { field: "panel", type: "nominal", sort: distinctPanels(values), title: null },
        columns: 4,
        spec: {
            width: 150,
            height: 130,
            layer: [
                { mark: { type: "rule", color: "black" }, encoding: { y: { datum: 1, ...ratio } } },
                { mark: "rule", encoding: { ...place, y: { field: "minimum", ...ratio }, y2: { field: "maximum" } } },
                {
                    mark: { type: "point", filled: true, size: 40 },
                    encoding: { ...place, y: { field: "median", ...ratio } },
                },
            ],
        },
    };
}

function distinctPanels(values: { panel: string }[]): string[] {
    return [...new Set(values.map(({ panel }) => panel))];
}

/** The median of each subject at each point, with a line from the minimum to the maximum. */
function chartOfFigures(result: PartResult, metric: Metric): TopLevelSpec {
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
