import type { CommandDefinition } from "../cli/command";
import { admin } from "./admin";
import { adopt } from "./adopt";
import { down } from "./down";
import { hosts } from "./hosts";
import { migrate } from "./migrate";
import { move } from "./move";
import { playground } from "./playground";
import { pulumi } from "./pulumi";
import { status } from "./status";
import { up } from "./up";

/** The commands, in the order of the documents. */
export const COMMANDS: readonly CommandDefinition[] = [
    up,
    status,
    down,
    pulumi,
    admin,
    adopt,
    hosts,
    migrate,
    move,
    playground,
];
