/** Entry point of `npm start`. */
import { relative, resolve } from "node:path";
import { table } from "../cli/terminal/table";
import { untilStopped } from "../cli/terminal/terminal";
import { type Demo, startDemo } from "./demo";

/** Data folder, relative to the working directory. */
const dataFolder = ".fxdesk";

/** Path of the page of the flow "Cash position over HTTP". */
const flowPage = "/cash-position";

/** Path that presses the button of the flow "Cash position". */
const flowButton = "/inject/01-cash-position.02";

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
             To run the flow "Cash position", press the button of its first node and watch the debug
             sidebar. The second flow serves the page ${nodeRed.url}${flowPage}
             For more flows, open the menu, Import, Examples. They write files to ~/fxdesk.

  Sandbox    ${sandboxUrl}
             The simulated service. To call it from the command line:
             set -a; . ${relative("", variablesPath)}; set +a
             npx fxdesk call trades.list --table

  MCP        ${mcpUrl}
             For AI assistants (streamable HTTP), which may book and pay in the sandbox. Configuration:
             { "mcpServers": { "fxdesk": { "type": "http", "url": "${mcpUrl}",
               "headers": { "Authorization": "Bearer ${mcpToken}" } } } }

  Releases   ${releasesUrl}
             Requests above 10,000 EUR wait here for release by a person. Sign in as one of two people, with
             the secret after the name: ${Object.entries(people)
               .map(([name, secret]) => `${name} ${secret}`)
               .join(", ")}. The policy is in ${dataFolder}/policy.json.

  Statements sent by e-mail are saved in ${dataFolder}/sandbox/outbox.
  Your flows are stored in ${dataFolder}; delete that folder to start over. Press Ctrl-C to stop everything.
`;

/** Presses the button of the flow and prints the message of its Debug node. */
async function runFlow({ nodeRed }: Demo): Promise<void> {
  await nodeRed.flowsStarted;
  // Fails if the user deleted the flow or stops the demo; there is nothing to show then.
  fetch(nodeRed.url + flowButton, { method: "POST" }).catch(() => undefined);
  const { name, format, msg } = await nodeRed.firstDebugMessage;
  console.log(`The flow has run. ${name}:\n\n${table(format.startsWith("array") ? JSON.parse(msg) : msg)}`);
}

async function main(): Promise<void> {
  const demo = await startDemo(resolve(dataFolder), (text) => console.log(text));
  console.log(overviewText(demo));
  void runFlow(demo);
  await untilStopped();
  console.log("Stopping …");
  await demo.close();
  console.log("Stopped.");
}

void main();
