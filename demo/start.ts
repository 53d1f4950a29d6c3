/** npm start. */
import { relative, resolve } from "node:path";
import { table } from "../cli/table";
import { untilStopped } from "../cli/until-stopped";
import { type Demo, startDemo } from "./demo";

/** Below the folder in which the command is given. */
const dataFolder = ".fxdesk";

/** Where the flow "Cash position" answers a browser. */
const flowPage = "/cash-position";

const overviewText = ({
  nodeRed,
  sandboxUrl,
  mcpUrl,
  mcpToken,
  releasesUrl,
  people,
  variablesPath,
}: Demo): string => `
  Node-RED   ${nodeRed.url}
             The flow "Cash position" is there: press the button of its first node and watch the debug
             sidebar, or open ${nodeRed.url}${flowPage}
             More flows: menu, Import, Examples.

  Sandbox    ${sandboxUrl}
             The service, played on this machine. On the command line:
             set -a; . ${relative("", variablesPath)}; set +a
             npx fxdesk call trades.list --table

  MCP        ${mcpUrl}
             For AI assistants, which may book and pay here, streamable HTTP:
             { "mcpServers": { "fxdesk": { "type": "http", "url": "${mcpUrl}",
               "headers": { "Authorization": "Bearer ${mcpToken}" } } } }

  Releases   ${releasesUrl}
             Whoever asks for more than 10,000 EUR waits here for a person's yes. Two people to try it with, and
             their secrets: ${Object.entries(people)
               .map(([name, secret]) => `${name} ${secret}`)
               .join(", ")}. The policy is ${dataFolder}/policy.json.

  Statements sent by e-mail land in ${dataFolder}/sandbox/outbox.
  Your flows stay in ${dataFolder}; delete that folder to begin again. Ctrl-C stops everything.
`;

/** Asks the flow for its page, as a browser does, and prints what its Debug node shows. */
async function runFlow({ nodeRed }: Demo): Promise<void> {
  await nodeRed.flowsStarted;
  // Without the page, or when the demo stops meanwhile, there is nothing to show.
  fetch(nodeRed.url + flowPage).catch(() => undefined);
  const { name, format, msg } = await nodeRed.firstDebugMessage;
  console.log(`The flow has run. ${name}:\n\n${table(format.startsWith("array") ? JSON.parse(msg) : msg)}`);
}

async function main(): Promise<void> {
  const demo = await startDemo(resolve(dataFolder));
  console.log(overviewText(demo));
  void runFlow(demo);
  await untilStopped();
  await demo.close();
}

void main();
