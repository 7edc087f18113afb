import { inputsSuite } from "../suites/inputs";

inputsSuite("all");
