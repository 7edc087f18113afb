/** HAProxy's official image, used if none is configured. */
export const DEFAULT_HAPROXY_IMAGE = "haproxy:3.2.26";
