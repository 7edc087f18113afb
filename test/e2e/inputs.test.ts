import { inputsSuite } from "./suites/inputs";

inputsSuite("one of each kind");
