/** The newest Node.js and what needs it. Tests use it where FXDESK_NEWEST is set, after `npm ci --prefix test/newest`. */
import { join } from "node:path";

const modules = join(__dirname, "../newest/node_modules");

/** Path of the newest Node.js. */
export const newestNode = join(modules, "node/bin/node");

/** Returns the path of a file of a module that needs the newest Node.js. */
export const newestModule = (path: string): string => join(modules, path);
