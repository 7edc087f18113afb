import { sshEngineSuite } from "./suites/sshEngine";

describe("a cluster on an engine by ssh", () => sshEngineSuite({ nodeCount: 4, rounds: 1 }));
