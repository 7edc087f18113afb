import type { HostEngine } from "../../docker/hosts";
import { script } from "../../docker/script";
import { checkCommand, HAND_OVER_FILE, tableOf } from "./keepalivedNames";
import type { AddressHost } from "./keepalivedConfig";

/** A host with a proxy and keepalived. */
export interface AddressMember extends AddressHost {
    /** Names of its containers. */
    proxy: string;
    keepalived: string;
}

/** Control of a floating address, as a hand-over needs it. */
export interface AddressControl {
    /**
     * The hosts that have the address now.
     *
     * @throws {Error} if that can't be queried on a host. One whose keepalived doesn't run has no address.
     */
    holders(): Promise<AddressMember[]>;
    /** The hosts that could take the address now. */
    able(): Promise<AddressMember[]>;
    /** Asks a host to hand the address over. */
    askToHandOver(member: AddressMember): Promise<void>;
    /**
     * Makes hosts pass on packets of connections that they don't know to the host that has had the address so far.
     *
     * @param seconds Time after which they stop; 0 stops it now.
     */
    passOn(members: readonly AddressMember[], former: AddressMember, seconds: number): Promise<void>;
}

/**
 * Whether the host of a keepalived has an address now.
 *
 * @throws {Error} if that can't be queried.
 */
export async function hasAddress(
    engine: Pick<HostEngine, "run">,
    keepalived: string,
    address: string,
): Promise<boolean> {
    const { code, output } = await engine.run(keepalived, ["ip", "-4", "-o", "address", "show", "to", `${address}/32`]);
    if (code !== 0) {
        throw new Error(
            `${keepalived} doesn't say whether its host has ${address}: ${output.trim() || `exit code ${code}`}`,
        );
    }
    return output.trim() !== "";
}

/** Controls a floating address from within keepalived's containers, which share the network of their hosts. */
export class KeepalivedControl implements AddressControl {
    constructor(
        private readonly engine: Pick<HostEngine, "run">,
        private readonly floating: { address: string; httpPort: number },
        private readonly members: readonly AddressMember[],
    ) {}

    async holders(): Promise<AddressMember[]> {
        return this.those(({ keepalived }) => hasAddress(this.engine, keepalived, this.floating.address));
    }

    async able(): Promise<AddressMember[]> {
        return this.those(async (member) => {
            const { code } = await this.engine.run(member.keepalived, checkCommand(member, this.floating.httpPort));
            return code === 0;
        });
    }

    async askToHandOver({ keepalived }: AddressMember): Promise<void> {
        await this.carriedOut(keepalived, ["/bin/sh", "-c", `: >${HAND_OVER_FILE}`]);
    }

    async passOn(members: readonly AddressMember[], former: AddressMember, seconds: number): Promise<void> {
        const environment = [
            `TABLE=${tableOf(this.floating)}`,
            `ADDRESS=${this.floating.address}`,
            `FORMER=${former.address}`,
            `SECONDS_LEFT=${seconds}`,
        ];
        const command = ["/bin/sh", "-c", script(__dirname, "passOn.sh")];
        await Promise.all(members.map(({ keepalived }) => this.carriedOut(keepalived, command, environment)));
    }

    /** The members for which a question is answered with yes. A container that is gone or doesn't run answers no. */
    private async those(ask: (member: AddressMember) => Promise<boolean>): Promise<AddressMember[]> {
        const answers = await Promise.all(
            this.members.map((member) =>
                ask(member).catch((error: unknown) => {
                    // Docker Engine API, "Exec: create": no such container; it isn't running, or is paused.
                    if ([404, 409].includes((error as { statusCode?: number }).statusCode ?? 0)) {
                        return false;
                    }
                    throw error;
                }),
            ),
        );
        return this.members.filter((_, index) => answers[index]);
    }

    private async carriedOut(container: string, command: string[], environment?: string[]): Promise<void> {
        const { code, output } = await this.engine.run(container, command, environment);
        if (code !== 0) {
            throw new Error(`${container}: ${output.trim() || `exit code ${code}`}`);
        }
    }
}
