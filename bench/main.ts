/** Entry point of `npm run bench` (all measurements) and `npm run bench -- mcp nodes` (only those), each in its own process. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const chosen = process.argv.slice(2);
for (const name of chosen.length > 0
  ? chosen
  : ["client", "tracing", "nodes", "burst", "refusals", "items", "mcp", "tools", "journal", "files"])
  execFileSync(process.execPath, [join(__dirname, name)], { stdio: "inherit" });
