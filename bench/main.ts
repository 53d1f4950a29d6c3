/** Entry point of `npm run bench` (all measurements) and `npm run bench -- mcp nodes` (only those). */
import { benchAccounts } from "./accounts";
import { benchBurst } from "./burst";
import { benchClient } from "./client";
import { benchItems } from "./items";
import { benchJournal } from "./journal";
import { benchMcp, benchToolTokens } from "./mcp";
import { benchNodes } from "./nodes";
import { benchPacing } from "./pacing";
import { benchSandbox } from "./sandbox";
import { benchStart } from "./start";

const measurements = {
  client: benchClient,
  nodes: benchNodes,
  burst: benchBurst,
  items: benchItems,
  mcp: benchMcp,
  tools: benchToolTokens,
  sandbox: benchSandbox,
  journal: benchJournal,
  pacing: benchPacing,
  accounts: benchAccounts,
  start: benchStart,
};

async function main(names: readonly string[]): Promise<void> {
  for (const [name, measure] of Object.entries(measurements))
    if (names.length === 0 || names.includes(name)) await measure();
}

void main(process.argv.slice(2));
