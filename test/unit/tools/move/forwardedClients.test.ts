import { checkForwardedClients, type ClientNetworks } from "../../../../tools/move/forwardedClients";

const check = (networks: Partial<ClientNetworks>, addresses: string[] = ["10.0.0.1", "fe80::1"]) =>
    checkForwardedClients(
        ["old", "new"],
        { adminNetworks: [], consoleNetworks: [], trustedProxies: [], ...networks },
        addresses,
    );

test("without networks, every client is let in anyway", () => expect(check({})).toEqual([]));

test("networks that hold the first stack's hosts let every client in, unless these are trusted to name it", () => {
    expect(check({ adminNetworks: ["192.0.2.0/24", "10.0.0.0/8"], trustedProxies: ["192.0.2.1/32"] })).toEqual([
        expect.stringMatching(/^adminNetworks of new holds 10\.0\.0\.1, of old, .* trustedProxies/),
    ]);
    expect(check({ adminNetworks: ["10.0.0.0/8"], trustedProxies: ["10.0.0.1/32"] })).toEqual([]);
    expect(check({ adminNetworks: ["10.0.0.0/8"], consoleNetworks: ["10.0.0.1/32"] })).toHaveLength(2);
});

test("networks without the hosts, or with hosts that aren't known, need trusted proxies too", () => {
    expect(check({ consoleNetworks: ["192.0.2.0/24"] })).toEqual([
        expect.stringMatching(/^new has consoleNetworks and no trustedProxies: /),
    ]);
    expect(check({ consoleNetworks: ["192.0.2.0/24"] }, [])).toHaveLength(1);
    expect(check({ consoleNetworks: ["192.0.2.0/24"], trustedProxies: ["10.0.0.0/24"] }, [])).toEqual([]);
});
