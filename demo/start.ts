/** npm start. */
import { relative, resolve } from "node:path";
import { printable } from "../cli/terminal";
import { untilStopped } from "../cli/until-stopped";
import { type Demo, startDemo } from "./demo";

/** Below the folder in which the command is given. */
const dataFolder = ".fxdesk";

const whatIsWhere = ({ nodeRed, sandboxUrl, mcpUrl, variablesPath }: Demo): string => `
  Node-RED   ${nodeRed.url}
             The flow "Cash position" is open: press the button of its first node and watch the debug
             sidebar. More flows: menu, Import, Examples.

  Sandbox    ${sandboxUrl}
             The service, played on this machine. On the command line:
             set -a; . ${relative("", variablesPath)}; set +a
             npx fxdesk call trades.list --table

  MCP        ${mcpUrl}
             For AI assistants, read-only, streamable HTTP:
             { "mcpServers": { "fxdesk": { "type": "http", "url": "${mcpUrl}" } } }

  Your flows stay in ${dataFolder}; delete that folder to begin again. Ctrl-C stops everything.
`;

async function sayWhatTheFlowShows({ nodeRed }: Demo): Promise<void> {
  const { name, msg } = await nodeRed.firstShown;
  console.log(`  The flow has run. ${name}: ${printable(msg)}\n`);
}

async function main(): Promise<void> {
  const demo = await startDemo(resolve(dataFolder));
  console.log(whatIsWhere(demo));
  void sayWhatTheFlowShows(demo);
  await untilStopped();
  await demo.close();
}

void main();
