import type { WeakBucket } from "../../components/requirements/weakBuckets";
import { verdictOn } from "../cli/verdict";
import {
    daysLeft,
    freePercent,
    type CertificateStatus,
    type ContainerStatus,
    type FloatingAddressStatus,
    type StatusReport,
} from "./report";

/** A report in readable form, with the problems at the end. */
export function statusText(report: StatusReport, problems: string[], now: number): string {
    const { stack, s3Endpoint, consoleUrl, nodes, frontEnd, backends, certificates, volumes, devices } = report;
    return [
        `Stack ${stack}${urls(s3Endpoint, consoleUrl)}`,
        ...(report.additionalStores ?? []).map(
            (store) => `Store ${store.name}${urls(store.s3Endpoint, store.consoleUrl)}`,
        ),
        ...containerTable("NODE", nodes, report.hosts !== undefined),
        ...containerTable("PROXY", frontEnd, report.hosts !== undefined),
        ...floatingAddressTable(report.floatingAddress),
        ...(report.watchdogs === undefined ? [] : containerTable("WATCHDOG", report.watchdogs, true)),
        ...table(
            ["BACKEND", "STATUS", "ADDRESS", "RUNNING", "PROXY"],
            backends.map(({ server, status, address, running, proxy }) => [
                server,
                status,
                address,
                String(running),
                proxy,
            ]),
        ),
        ...table(
            ["CERTIFICATE UNTIL", "DAYS LEFT", "FAILED RENEWALS", "AS SEEN BY"],
            certificates.map((certificate) => certificateRow(certificate, now)),
        ),
        ...table(
            ["VOLUME", "USED", "DEVICE"],
            volumes.map(({ name, usedBytes, device }) => [name, sizeOrUnknown(usedBytes), device ?? "?"]),
        ),
        ...table(
            ["DEVICE", "USED BY ALL", "FREE", "FREE %"],
            devices.map((device) => [
                device.name,
                size(device.usedBytes),
                size(device.freeBytes),
                freePercent(device).toFixed(1),
            ]),
        ),
        ...weakBucketLines(report.weakBuckets ?? []),
        "",
        verdictOn(problems.length),
        ...problems.map((problem) => `  - ${problem}`),
    ].join("\n");
}

function urls(...known: (string | undefined)[]): string {
    return known.map((url) => (url === undefined ? "" : `  ${url}`)).join("");
}

function containerTable(head: string, containers: ContainerStatus[], withHosts: boolean): string[] {
    const hostOr = (cell: string) => (withHosts ? [cell] : []);
    return table(
        [head, ...hostOr("HOST"), "STATE", "HEALTH", "SINCE"],
        containers.map(({ name, host = "-", state, health, startedAt }) => [
            name,
            ...hostOr(host),
            state,
            health === "none" ? "-" : health,
            startedAt?.replace(/\.\d+Z$/, "Z") ?? "-",
        ]),
    );
}

function floatingAddressTable(hosts: FloatingAddressStatus[] | undefined): string[] {
    return hosts === undefined
        ? []
        : table(
              ["FLOATING ADDRESS", "HOST", "HAS IT"],
              hosts.map(({ address, host, hasAddress }) => [
                  address,
                  host,
                  hasAddress === undefined ? "?" : hasAddress ? "yes" : "no",
              ]),
          );
}

function certificateRow(certificate: CertificateStatus, now: number): string[] {
    const { notAfter, renewalFailures, source, host } = certificate;
    return [
        notAfter.replace(/\.\d+Z$/, "Z"),
        String(daysLeft(certificate, now)),
        String(renewalFailures ?? "?"),
        host === undefined ? source : `${source} on ${host}`,
    ];
}

/** Rows below their headers; each column is as wide as its widest cell. */
function table(heads: string[], rows: string[][]): string[] {
    const all = [heads, ...(rows.length === 0 ? [["none"]] : rows)];
    const widths = heads.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)));
    return [
        "",
        ...all.map((row) =>
            row
                .map((cell, column) => cell.padEnd(widths[column] ?? 0))
                .join("  ")
                .trimEnd(),
        ),
    ];
}

function sizeOrUnknown(bytes: number | undefined): string {
    return bytes === undefined ? "?" : size(bytes);
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** A number of bytes with about three digits. */
function size(bytes: number): string {
    const power = Math.min(UNITS.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10));
    const value = bytes / 1024 ** power;
    return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${UNITS[power]}`;
}

/** What the report says of buckets with a weak durability. It is no problem, since it may be what the user has chosen. */
function weakBucketLines(buckets: readonly WeakBucket[]): string[] {
    return buckets.length === 0
        ? []
        : [
              "",
              "A power failure can lose objects that were acknowledged shortly before in buckets with the durability relaxed",
              "(docs/how-to/buckets-and-keys.md says how to change it):",
              ...buckets.map(({ store, bucket }) => `  - ${bucket} of ${store}`),
          ];
}
