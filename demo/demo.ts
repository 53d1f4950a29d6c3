/** Everything on one machine: the sandbox, Node-RED with a flow that runs, and an MCP endpoint. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asVariables, demoConnection, loadSandbox } from "../cli/sandbox-package";
import { createClient } from "../core/client/client";
import { environmentName, optionsFromSettings } from "../core/client/settings";
import { serveHttp } from "../mcp";
import { callbackPath, type NodeRed, startNodeRed } from "./node-red";
import { freePort, host } from "./ports";

const usualPorts = { nodeRed: 1880, sandbox: 8080, mcp: 8081 };

/** The flow a person begins with; seen from what is built, which lies in dist/demo. */
const firstFlow = join(__dirname, "../../examples/01 Cash position.json");

/** The settings that reach the sandbox, as a shell reads them. */
const variablesFile = "sandbox.env";

export interface Demo {
  readonly nodeRed: NodeRed;
  readonly sandboxUrl: string;
  readonly mcpUrl: string;
  /** Holds the FXDESK_* variables of this run. */
  readonly variablesPath: string;
  close(): Promise<void>;
}

async function startSandbox(dataDir: string, nodeRedPort: number) {
  const { startSandbox: start } = await loadSandbox();
  const redirectUri = `http://${host}:${nodeRedPort}${callbackPath}`;
  return start({ port: await freePort(usualPorts.sandbox), host, dataDir, redirectUri });
}

/** Starts all three. The folder keeps the person's flows between runs. */
export async function startDemo(folder: string): Promise<Demo> {
  await mkdir(folder, { recursive: true });
  const port = await freePort(usualPorts.nodeRed);
  const sandbox = await startSandbox(join(folder, "sandbox"), port);
  const settings = demoConnection(sandbox);
  const variablesPath = join(folder, variablesFile);
  await writeFile(variablesPath, asVariables(settings));
  // The flow's connection reads the environment: the sandbox may be at another port each time.
  for (const [name, value] of Object.entries(settings)) process.env[environmentName(name)] = value;
  const client = createClient(optionsFromSettings(settings));
  const mcp = await serveHttp({ client, port: await freePort(usualPorts.mcp), host });
  const nodeRed = await startNodeRed(port, join(folder, "node-red"), firstFlow);
  return {
    nodeRed,
    sandboxUrl: sandbox.baseUrl,
    mcpUrl: mcp.url,
    variablesPath,
    async close() {
      await nodeRed.close();
      await mcp.close();
      await client.close();
      await sandbox.close();
    },
  };
}
