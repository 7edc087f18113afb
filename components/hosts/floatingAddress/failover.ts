import { poll, type Clock } from "../../docker/poll";
import type { AddressControl, AddressMember } from "./addressControl";

/** The proxy of a host that hands the address over. */
export interface DrainedProxy {
    /** Lets the connections that a proxy has end with their next response. It goes on accepting others. */
    endConnections(proxy: string): Promise<void>;
    /** Whether all those connections have ended. */
    haveEnded(proxy: string): Promise<boolean>;
}

/** Everything that a hand-over interacts with. */
export interface HandOverDependencies {
    address: AddressControl;
    proxies: DrainedProxy;
    report: {
        progress(text: string): Promise<void>;
        warning(text: string): Promise<void>;
        error(message: string): Error;
    };
    clock: Clock;
}

/** Longest time for another host to become able to take the address, in seconds. */
const ABLE_SECONDS = 15;

/** Longest time for the address to move after the request, in seconds: two failed checks and three adverts. */
const MOVE_SECONDS = 10;

/**
 * Moves a floating address away from a host without failing a request. The new host passes on packets of connections that
 * it doesn't know to the former one, so these go on until they end by themselves. An update that is interrupted leaves the
 * address on a host that serves: the request to hand over and the passing on both expire.
 */
export class HandOver {
    /** @param drainSeconds Time that running requests have to finish, in seconds. */
    constructor(
        private readonly dependencies: HandOverDependencies,
        private readonly drainSeconds: number,
    ) {}

    /** Moves the address away from a host, if that has it, and waits until the host's connections have ended. */
    async from(name: string): Promise<void> {
        const { address, report } = this.dependencies;
        const holders = await this.answered(() => address.holders());
        const former = holders.find((member) => member.name === name);
        if (former === undefined) {
            return;
        }
        const others = await this.ableOthers(name);
        if (others.length === 0) {
            await report.warning(
                `no other host can take the floating address from host ${name}: it isn't reachable while its containers are replaced`,
            );
            return;
        }
        await report.progress(`host ${name} hands the floating address over`);
        await address.passOn(others, former, this.drainSeconds + MOVE_SECONDS + ABLE_SECONDS);
        try {
            await this.move(former);
            await this.drain(former);
        } finally {
            await address.passOn(others, former, 0).catch(() => undefined);
        }
    }

    private async ableOthers(name: string): Promise<AddressMember[]> {
        const { address, clock } = this.dependencies;
        const others = async () => (await address.able()).filter((member) => member.name !== name);
        const found = await poll(
            async () => {
                const able = await others().catch(() => []);
                return able.length === 0 ? undefined : able;
            },
            { clock, timeout: ABLE_SECONDS },
        );
        return found ?? others();
    }

    /** An answer of the engines. One that fails is asked again for some seconds: no answer must not pass for "no". */
    private async answered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
        const { clock } = this.dependencies;
        const found = await poll(
            async () =>
                ask()
                    .then((answer) => ({ answer }))
                    .catch(() => undefined),
            {
                clock,
                timeout: ABLE_SECONDS,
            },
        );
        return found === undefined ? ask() : found.answer;
    }

    private async move(former: AddressMember): Promise<void> {
        const { address, report, clock } = this.dependencies;
        await address.askToHandOver(former);
        const taken = await poll(
            async () => {
                const holders = await address.holders().catch(() => []);
                return holders.length > 0 && holders.every(({ name }) => name !== former.name) ? true : undefined;
            },
            { clock, timeout: MOVE_SECONDS, interval: 200 },
        );
        if (taken === undefined) {
            throw report.error(
                `host ${former.name} still has the floating address after ${MOVE_SECONDS} s, so nothing of it was replaced. ` +
                    `See docker logs ${former.keepalived} there, then run the same update again`,
            );
        }
    }

    private async drain({ name, proxy }: AddressMember): Promise<void> {
        const { proxies, report, clock } = this.dependencies;
        await proxies.endConnections(proxy);
        const ended = await poll(async () => ((await proxies.haveEnded(proxy)) ? true : undefined), {
            clock,
            timeout: this.drainSeconds,
        });
        if (ended === undefined) {
            await report.warning(`requests at host ${name} still run after ${this.drainSeconds} s, and are cut off`);
        }
    }
}
