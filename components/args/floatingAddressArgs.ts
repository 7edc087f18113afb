/** An address that is always on a host whose proxy serves. */
export interface FloatingAddressArgs {
    /**
     * The IPv4 address, such as `10.0.0.100`: a free one of the network to which the hosts' own addresses belong. Clients
     * find the store by DNS names with this address. A change replaces keepalived's containers, and moves the address.
     */
    address: string;
    /**
     * Image with keepalived 2.2 or later, with an exact version. It also needs `sh`, `nft`, `ip` and `perl`; the Dockerfile
     * for it is in docs/how-to/floating-address.md. A change replaces keepalived's containers.
     */
    image: string;
    /**
     * Number of the virtual router (VRID, RFC 9568). It must differ from those of other virtual routers on the hosts. A
     * change replaces keepalived's containers.
     *
     * @default the last number of `address`, or 255 if that is 0
     * @range 1..255
     */
    routerId?: number;
}
