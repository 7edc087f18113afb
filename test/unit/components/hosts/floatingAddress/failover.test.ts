import {
    KeepalivedControl,
    type AddressControl,
    type AddressMember,
} from "../../../../../components/hosts/floatingAddress/addressControl";
import { HandOver } from "../../../../../components/hosts/floatingAddress/failover";
import { VirtualClock } from "../../../fakes/virtualClock";

const [A, B, C] = ["a", "b", "c"].map((name, index): AddressMember => ({
    name,
    address: `10.0.0.${index + 1}`,
    proxy: `store-${name}-proxy`,
    keepalived: `store-${name}-keepalived`,
})) as [AddressMember, AddressMember, AddressMember];

/** Hosts whose address moves two seconds after the request. Records what happens. */
class VirtualAddress implements AddressControl {
    readonly clock = new VirtualClock();
    readonly events: string[] = [];
    moves = true;
    /** Seconds that the connections of a proxy go on. */
    lasts = 5;
    reloadFails = false;
    private reloaded = Infinity;

    constructor(
        public holder: AddressMember | undefined,
        public ready: AddressMember[],
    ) {}

    holders = () => Promise.resolve(this.holder === undefined ? [] : [this.holder]);
    able = () => Promise.resolve(this.ready);

    askToHandOver({ name }: AddressMember): Promise<void> {
        this.events.push(`${name} is asked to hand over`);
        const next = this.ready.find((member) => member.name !== name);
        if (this.moves) {
            void this.clock.sleep(2000).then(() => {
                this.events.push(`${next?.name} has the address`);
                this.holder = next;
            });
        }
        return Promise.resolve();
    }

    passOn(members: readonly AddressMember[], { name }: AddressMember, seconds: number): Promise<void> {
        const names = members.map((member) => member.name).join(" and ");
        this.events.push(seconds === 0 ? `${names} stop passing on` : `${names} pass on to ${name} for ${seconds} s`);
        return Promise.resolve();
    }

    handOver(drainSeconds = 60): HandOver {
        const say = (kind: string) => (text: string) => {
            this.events.push(`${kind}: ${text}`);
            return Promise.resolve();
        };
        const proxies = {
            endConnections: (proxy: string) => {
                this.events.push(`${proxy} ends its connections`);
                this.reloaded = this.clock.now();
                return this.reloadFails ? Promise.reject(new Error("not reloaded")) : Promise.resolve();
            },
            haveEnded: () => Promise.resolve(this.clock.now() >= this.reloaded + this.lasts * 1000),
        };
        const report = { progress: say("info"), warning: say("warning"), error: (text: string) => new Error(text) };
        return new HandOver({ address: this, proxies, report, clock: this.clock }, drainSeconds);
    }
}

test("a host that has the address loses it to another one before its connections end", async () => {
    const address = new VirtualAddress(A, [A, B, C]);
    await address.handOver().from("a");
    expect(address.events).toEqual([
        "info: host a hands the floating address over",
        "b and c pass on to a for 85 s",
        "a is asked to hand over",
        "b has the address",
        "store-a-proxy ends its connections",
        "b and c stop passing on",
    ]);
    expect(address.clock.now()).toBeGreaterThanOrEqual(7000);
});

test.each([B, undefined])("nothing happens on a host that doesn't have the address", async (holder) => {
    const address = new VirtualAddress(holder, [A, B, C]);
    await address.handOver().from("a");
    expect(address.events).toEqual([]);
});

test("another host may need some time until it can take the address", async () => {
    const address = new VirtualAddress(A, [A]);
    address.clock.at(6, () => (address.ready = [A, C]));
    await address.handOver().from("a");
    expect(address.events).toContain("c has the address");
});

test("if no other host can take it, the address stays, with a warning", async () => {
    const address = new VirtualAddress(A, [A]);
    await address.handOver().from("a");
    expect(address.events).toEqual([expect.stringMatching(/^warning: no other host can take the floating address/)]);
    expect(address.holder).toBe(A);
});

test("an address that doesn't move ends the update before anything is replaced, and nothing is passed on", async () => {
    const address = new VirtualAddress(A, [A, B]);
    address.moves = false;
    await expect(address.handOver().from("a")).rejects.toThrow("host a still has the floating address after 10 s");
    expect(address.events.slice(-2)).toEqual(["a is asked to hand over", "b stop passing on"]);
});

test("an engine that doesn't answer doesn't mean that the host hasn't the address: it is asked again, then the update ends", async () => {
    const address = new VirtualAddress(A, [A, B]);
    const { holders, able } = address;
    address.holders = () => (address.clock.now() < 3000 ? Promise.reject(new Error("no answer")) : holders());
    address.able = () => (address.clock.now() < 6000 ? Promise.reject(new Error("no answer")) : able());
    await address.handOver().from("a");
    expect(address.events).toContain("b has the address");

    const silent = new VirtualAddress(A, [A, B]);
    silent.holders = () => Promise.reject(new Error("no answer"));
    await expect(silent.handOver().from("a")).rejects.toThrow("no answer");
    expect(silent.events).toEqual([]);

    const lost = new VirtualAddress(A, [A, B]);
    lost.moves = false;
    lost.holders = () =>
        lost.events.length < 3 ? Promise.resolve([A]) : Promise.reject(new Error("the former host doesn't answer"));
    await expect(lost.handOver().from("a")).rejects.toThrow("host a still has the floating address");
});

test("connections that don't end in time are cut off, with a warning", async () => {
    const address = new VirtualAddress(A, [A, B]);
    address.lasts = 1000;
    await address.handOver(30).from("a");
    expect(address.events).toContain("warning: requests at host a still run after 30 s, and are cut off");
    expect(address.events.at(-1)).toBe("b stop passing on");
});

test("a proxy that can't end its connections ends the update, and nothing is passed on", async () => {
    const address = new VirtualAddress(A, [A, B]);
    address.reloadFails = true;
    await expect(address.handOver().from("a")).rejects.toThrow("not reloaded");
    expect(address.events.at(-1)).toBe("b stop passing on");
});

test.each([
    [Object.assign(new Error("no such container"), { statusCode: 404 }), []],
    [Object.assign(new Error("is not running"), { statusCode: 409 }), []],
    [Object.assign(new Error("server error"), { statusCode: 500 }), "server error"],
    [new Error("connect ECONNREFUSED"), "connect ECONNREFUSED"],
])("of a keepalived that can't be asked (%s) it is known only whether it runs", async (error, expected) => {
    const control = new KeepalivedControl({ run: () => Promise.reject(error) }, { address: "10.0.0.9", httpPort: 80 }, [
        A,
    ]);
    const answers = [control.holders(), control.able()].map((answer) =>
        answer.catch((failure: unknown) => (failure as Error).message),
    );
    expect(await Promise.all(answers)).toEqual([expected, expected]);
});
