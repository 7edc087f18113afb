import * as pulumi from "@pulumi/pulumi";
import { ComponentPackage } from "./componentPackage";
import { answerImports } from "./importRequests";

answerImports();

// Pulumi runs this with the engine's address, for programs in whatever language.
void pulumi.provider.main(new ComponentPackage(), process.argv.slice(2));
