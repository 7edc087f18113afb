import { playgroundSuite } from "../suites/playground";

describe("the playground with RustFS", () => playgroundSuite("rustfs"));
