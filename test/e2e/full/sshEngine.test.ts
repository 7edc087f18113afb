import { sshEngineSuite } from "../suites/sshEngine";

describe("a cluster of 16 nodes on an engine by ssh", () => sshEngineSuite({ nodeCount: 16, rounds: 20 }));
