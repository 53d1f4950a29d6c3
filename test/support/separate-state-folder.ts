/** Gives each test file its own state folder, because ports, quote IDs and profiles repeat between files. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";

process.env.XDG_STATE_HOME = join(process.env.XDG_STATE_HOME!, randomUUID());
process.env.XDG_CONFIG_HOME = join(process.env.XDG_STATE_HOME, "config");
