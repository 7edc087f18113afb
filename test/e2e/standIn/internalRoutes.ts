import { answer, answerJson, type Route } from "./exchange";
import { carelessReading } from "./requestTarget";

const ADMIN = /^\/(service|minio)\/admin\/v3(\/|$)/;

/** Paths that other nodes and operators request from a node, laid out as in RustFS. */
const INTERNAL: { [name: string]: RegExp } = {
    rpc: /^\/service\/rpc(\/|$)/,
    peer: /^\/service\/peer(\/|$)/,
    grpc: /^\/node_service\./,
    profile: /^\/profile\/(cpu|memory)$/,
};

/** Answers admin and internal paths on both listeners, in any spelling of the path. */
export const internalRoutes: Route = (exchange) => {
    const { path } = exchange.target;
    const readings = [path, carelessReading(path)];
    if (readings.some((reading) => ADMIN.test(reading))) {
        answerJson(exchange, "admin", { path, node: exchange.node });
        return true;
    }
    const name = Object.keys(INTERNAL).find((key) => readings.some((reading) => INTERNAL[key]?.test(reading)));
    if (name === undefined) {
        return false;
    }
    answer(exchange, name, {
        status: 200,
        headers: { "content-type": "text/plain; charset=utf-8", "x-internal": "1" },
        body: `reached the internal route ${name} of ${exchange.node}\n`,
    });
    return true;
};
