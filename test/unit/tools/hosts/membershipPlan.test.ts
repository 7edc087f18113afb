import type { SwarmNode } from "../../../../components/docker/swarm";
import { membershipPlan, type MembershipPlan } from "../../../../tools/hosts/membershipPlan";
import { changed, hostsNamed, memberOf, nodesOf, OUTSIDE, swarmsOf, withoutQuorum } from "../../fakes/mockSwarm";

/** Steps as text: `join c manager`. */
const stepsOf = ({ steps }: MembershipPlan) =>
    steps.map((step) => [step.kind, step.host.name, ...(step.kind === "join" ? [step.role] : [])].join(" "));

describe("a plan", () => {
    const isUppercase = (letter: string) => letter !== letter.toLowerCase();

    test.each(["Ab", "ABC", "ABCd", "ABCDE", "ABCDEf", "ABCDEFG", "ABCDEFGh"])(
        "without a swarm: its managers are the capitals in %s",
        (roles) => {
            const hosts = hostsNamed(roles.toLowerCase());
            const expected = Array.from(roles).flatMap((letter, index) => {
                const name = letter.toLowerCase();
                const joins = `join ${name} ${isUppercase(letter) ? "manager" : "worker"}`;
                return [index === 0 ? `initialise ${name}` : joins, `label ${name}`];
            });
            expect(stepsOf(membershipPlan(hosts, swarmsOf(hosts, [])))).toEqual(expected);
        },
    );

    const other = (roles: string) => nodesOf(`------${roles}`).slice(6);
    const former: SwarmNode = {
        ...(nodesOf("ABC")[2] as SwarmNode),
        id: "old",
        status: "down",
        isReachable: false,
    };

    test.each<[string, string, SwarmNode[], string[]]>([
        ["nothing, if all is there", "abc", nodesOf("ABC"), []],
        ["one host more", "abcd", nodesOf("ABC"), ["join d worker", "label d"]],
        [
            "a third host: it joins before the second is promoted",
            "abc",
            nodesOf("Ab"),
            ["join c manager", "label c", "promote b"],
        ],
        ["two hosts more", "abcde", nodesOf("ABC"), ["join d manager", "label d", "join e manager", "label e"]],
        ["missing managers", "abcd", nodesOf("Abcd"), ["promote b", "promote c"]],
        ["more managers than needed, which stay", "abcd", nodesOf("ABCD"), []],
        [
            "missing labels",
            "abc",
            changed(nodesOf("ABC"), { a: { host: undefined }, c: { host: undefined } }),
            ["label a", "label c"],
        ],
        ["a first host that is not a member yet", "abc", nodesOf("aBC").slice(1), ["join a manager", "label a"]],
        [
            "managers of another stack, which count",
            "abc",
            [...nodesOf("Ab"), ...other("XY")],
            ["join c worker", "label c"],
        ],
        ["a host that was replaced", "abc", [...nodesOf("AB"), former], ["join c manager", "label c"]],
        ["a drained host, which stays drained", "abc", changed(nodesOf("ABC"), { b: { availability: "drain" } }), []],
    ])("has %s", (_name, names, nodes, steps) => {
        const hosts = hostsNamed(names);
        const plan = membershipPlan(hosts, swarmsOf(hosts, nodes));
        expect(plan.problems).toEqual([]);
        expect(stepsOf(plan)).toEqual(steps);
    });

    test("asks a manager, wherever it is", () => {
        const hosts = hostsNamed("abc");
        expect(membershipPlan(hosts, swarmsOf(hosts, nodesOf("abC"))).manager?.name).toBe("c");
        expect(membershipPlan(hosts, swarmsOf(hosts, [])).manager?.name).toBe("a");
    });

    const ABC = nodesOf("ABC");
    const [A, B] = ABC as [SwarmNode, SwarmNode];
    const living = { ...former, status: "ready" } as const;

    test.each<[string, ReturnType<typeof swarmsOf>, string[], boolean]>([
        [
            "a Docker daemon doesn't answer",
            swarmsOf(hostsNamed("abc"), [A], { b: new Error("gone") }),
            ["hosts[1].dockerHost"],
            false,
        ],
        [
            "a host is in another swarm",
            swarmsOf(hostsNamed("abc"), [A], { b: memberOf([B], B, "x") }),
            ["hosts[1]"],
            false,
        ],
        [
            "a host is joining",
            swarmsOf(hostsNamed("abc"), [A], { b: { ...OUTSIDE, state: "pending" } }),
            ["hosts[1]"],
            false,
        ],
        [
            "a host is locked",
            swarmsOf(hostsNamed("abc"), [A], { b: { ...OUTSIDE, state: "locked" } }),
            ["hosts[1]"],
            false,
        ],
        [
            "a host was removed",
            swarmsOf(hostsNamed("abc"), [A], { b: memberOf([A], { ...B, isManager: false }) }),
            ["hosts[1]"],
            false,
        ],
        [
            "a host has another name",
            swarmsOf(hostsNamed("abc"), changed(ABC, { b: { host: "x" } })),
            ["hosts[1].name"],
            false,
        ],
        [
            "a host has another address",
            swarmsOf(hostsNamed("abc"), ABC, { b: { ...memberOf(ABC, B), address: "10.0.0.9" } }),
            ["hosts[1].address"],
            false,
        ],
        [
            "two hosts have one Docker daemon",
            swarmsOf(hostsNamed("abc"), ABC, { c: memberOf(ABC, B) }),
            ["hosts[2].dockerHost"],
            false,
        ],
        ["no host is a manager", swarmsOf(hostsNamed("abc"), [...nodesOf("abc"), ...other("X")]), ["hosts"], false],
        [
            "there is no quorum",
            swarmsOf(hostsNamed("abc"), [], { a: withoutQuorum(memberOf(ABC, A)) }),
            ["hosts"],
            true,
        ],
        ["a host is down", swarmsOf(hostsNamed("abc"), changed(ABC, { b: { status: "down" } })), ["hosts[1]"], true],
        ["a host has just left", swarmsOf(hostsNamed("abc"), [A, B, living]), ["hosts[2]"], true],
        [
            "two causes, one of which may pass",
            swarmsOf(hostsNamed("abc"), [A, B, living], { b: new Error("gone") }),
            ["hosts[1].dockerHost", "hosts[2]"],
            false,
        ],
    ])("has no steps if %s", (_name, swarms, paths, mayPass) => {
        const plan = membershipPlan(hostsNamed("abc"), swarms);
        expect(plan.problems.map(({ propertyPath }) => propertyPath)).toEqual(paths);
        expect(plan).toMatchObject({ mayPass, steps: [] });
    });
});
