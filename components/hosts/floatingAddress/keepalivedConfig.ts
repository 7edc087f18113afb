/** A host that may have the address. */
export interface AddressHost {
    /** Its name. */
    name: string;
    /** Its own address. */
    address: string;
}

/** Settings of keepalived on one host. */
export interface KeepalivedConfigArgs {
    /** The floating address. */
    address: string;
    /** Number of the virtual router, 1 to 255. */
    routerId: number;
    /** This host. */
    host: AddressHost;
    /** All hosts that may have the address, this one included. Earlier ones are preferred. */
    hosts: readonly AddressHost[];
    /** Command that fails while this host must not have the address. */
    check: string;
    /** Command that is run at the end. */
    atEnd: string;
}

/** Placeholder for the name of the interface, which is known on the host only. */
export const INTERFACE = "INTERFACE";

/** Seconds between two advertisements. Three missing ones make another host take the address. */
const ADVERTISEMENT_SECONDS = 0.5;

/** Priority of the first host; each further one has 10 less (RFC 9568: 1 to 254 for routers that don't own the address). */
const HIGHEST_PRIORITY = 200;

/**
 * The text of keepalived.conf, with {@link INTERFACE} for the interface's name.
 *
 * Adverts are unicast, since many networks deliver neither multicast nor broadcast. A host that is back doesn't take the
 * address again (`nopreempt`), since each move breaks the connections that are open. The address is a /32 beside the host's
 * own, so that it never becomes the source of the host's connections, nor of the swarm's (moby#53004).
 */
export function renderKeepalivedConfig(args: KeepalivedConfigArgs): string {
    const index = args.hosts.findIndex(({ name }) => name === args.host.name);
    const peers = args.hosts.filter(({ name }) => name !== args.host.name);
    return `global_defs {
    vrrp_version 3
    # After a move, and from then on every 30 s, since a switch or a client may have missed the announcement.
    vrrp_garp_master_delay 1
    vrrp_garp_master_refresh 30
    script_user root
    enable_script_security
    shutdown_script "${args.atEnd}"
}

vrrp_script serving {
    script "${args.check}"
    interval 0.5
    timeout 2
    fall 3
    rise 2
    init_fail
}

vrrp_instance floating_address {
    state BACKUP
    nopreempt
    interface ${INTERFACE}
    virtual_router_id ${args.routerId}
    priority ${HIGHEST_PRIORITY - 10 * index}
    advert_int ${ADVERTISEMENT_SECONDS}
    unicast_src_ip ${args.host.address}
    check_unicast_src
    unicast_peer {
${peers.map(({ address }) => `        ${address}`).join("\n")}
    }
    virtual_ipaddress {
        ${args.address}/32 dev ${INTERFACE}
    }
    track_script {
        serving
    }
}
`;
}
