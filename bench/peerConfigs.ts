import { stringify } from "yaml";

/** Settings of a peer: it terminates TLS for a hostname, and forwards all requests to these nodes. */
export interface PeerArgs {
    host: string;
    /** Hostnames of the nodes. S3 is on port 9000. */
    nodes: string[];
    /** Path that a node answers with 200 while it is ready; only "Caddy, tuned" asks for it. */
    healthPath: string;
}

/** Port on which every peer accepts TLS. */
export const PEER_PORT = 8443;

/** Paths of the certificate and the key in every peer. */
export const CERTIFICATE_FILE = "/tmp/certificate.pem";
export const KEY_FILE = "/tmp/key.pem";

const S3_PORT = 9000;

/**
 * nginx as MinIO's documents recommend ("Configure NGINX Proxy for MinIO Server"), with TLS and HTTP/2 as nginx's own
 * documents do, and the access log of its own image and packages.
 */
export function nginxConfig(args: Omit<PeerArgs, "healthPath">): string {
    return nginx(args, "/dev/stdout", [], []);
}

/**
 * The same with further options of nginx's documents: persistent connections to the nodes, cached TLS sessions, and no
 * log.
 */
export function tunedNginxConfig(args: PeerArgs): string {
    return nginx(
        args,
        "off",
        ["keepalive 256;"],
        ["ssl_session_cache shared:bench:10m;", "ssl_protocols TLSv1.2 TLSv1.3;", "ssl_buffer_size 16k;"],
    );
}

function nginx(
    { host, nodes }: Omit<PeerArgs, "healthPath">,
    accessLog: string,
    upstream: string[],
    server: string[],
): string {
    return `worker_processes auto;
pid /tmp/nginx.pid;
error_log /dev/stderr warn;
events {
    worker_connections 10000;
}
http {
    access_log ${accessLog};
    client_body_temp_path /tmp/client_body;
    proxy_temp_path /tmp/proxy;
    fastcgi_temp_path /tmp/fastcgi;
    uwsgi_temp_path /tmp/uwsgi;
    scgi_temp_path /tmp/scgi;
    upstream minio_s3 {
        least_conn;
${[...nodes.map((node) => `server ${node}:${S3_PORT};`), ...upstream].map((line) => `        ${line}`).join("\n")}
    }
    server {
        listen ${PEER_PORT} ssl backlog=4096;
        http2 on;
        server_name ${host};
        ssl_certificate ${CERTIFICATE_FILE};
        ssl_certificate_key ${KEY_FILE};
${server.map((line) => `        ${line}`).join("\n")}
        ignore_invalid_headers off;
        client_max_body_size 0;
        proxy_buffering off;
        proxy_request_buffering off;
        location / {
            proxy_set_header Host $http_host;
            proxy_set_header X-Real-IP $remote_addr;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_connect_timeout 300;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            chunked_transfer_encoding off;
            proxy_pass http://minio_s3;
        }
    }
}
`;
}

/** Caddy as its documents recommend for a reverse proxy with an existing certificate. */
export function caddyConfig(args: PeerArgs): string {
    return caddy(args, []);
}

/** The same with further options of Caddy's documents: active and passive health checks, and retries. */
export function tunedCaddyConfig(args: PeerArgs): string {
    return caddy(args, [
        "lb_try_duration 10s",
        "fail_duration 30s",
        `health_uri ${args.healthPath}`,
        "health_interval 5s",
        "health_timeout 5s",
    ]);
}

function caddy({ host, nodes }: PeerArgs, upstream: string[]): string {
    return `{
    admin localhost:2019
    auto_https off
    default_sni ${host}
    persist_config off
}
https://${host}:${PEER_PORT} {
    tls ${CERTIFICATE_FILE} ${KEY_FILE}
    reverse_proxy ${nodes.map((node) => `${node}:${S3_PORT}`).join(" ")} {
${["lb_policy least_conn", ...upstream].map((line) => `        ${line}`).join("\n")}
    }
}
`;
}

/** Traefik as its documents recommend for the file provider. */
export function traefikConfig({ host, nodes }: PeerArgs): string {
    return stringify({
        http: {
            routers: { s3: { rule: `Host(\`${host}\`)`, entryPoints: ["websecure"], service: "s3", tls: {} } },
            services: {
                s3: { loadBalancer: { servers: nodes.map((node) => ({ url: `http://${node}:${S3_PORT}` })) } },
            },
        },
        tls: {
            stores: { default: { defaultCertificate: { certFile: CERTIFICATE_FILE, keyFile: KEY_FILE } } },
        },
    });
}
