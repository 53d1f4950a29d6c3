/** Each file of tests keeps what it keeps for a user by itself: ports come again in others, quotes of sandboxes and profiles too. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";

process.env.XDG_STATE_HOME = join(process.env.XDG_STATE_HOME!, randomUUID());
process.env.XDG_CONFIG_HOME = join(process.env.XDG_STATE_HOME, "config");
