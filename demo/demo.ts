/** Everything on one machine: the sandbox, Node-RED with a flow that runs, and an MCP endpoint. */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { asLines, loadSandbox, sandboxVariables } from "../cli/sandbox-package";
import { createClient } from "../core/client/client";
import { serviceFrom } from "../core/client/extensions";
import { environmentName, optionsFromSettings, settingsFromEnvironment } from "../core/client/settings";
import { serveHttp } from "../mcp";
import { callbackPath, type NodeRed, startNodeRed } from "./node-red";
import { freePort, host } from "./ports";

const usualPorts = { nodeRed: 1880, sandbox: 8080, mcp: 8081 };

/** The flow a person begins with; seen from what is built, which lies in dist/demo. */
const firstFlow = join(__dirname, "../../examples/01 Cash position.json");

/** What reaches the sandbox, as a shell reads it. */
const variablesFile = "sandbox.env";

export interface Demo {
  readonly nodeRed: NodeRed;
  readonly sandboxUrl: string;
  readonly mcpUrl: string;
  /** What assistants send as `Authorization: Bearer`. */
  readonly mcpToken: string;
  /** Holds the FXDESK_* variables of this run. */
  readonly variablesPath: string;
  close(): Promise<void>;
}

async function startSandbox(dataDir: string, nodeRedPort: number) {
  const { startSandbox: start } = await loadSandbox();
  const redirectUri = `http://${host}:${nodeRedPort}${callbackPath}`;
  return start({ port: await freePort(usualPorts.sandbox), host, dataDir, redirectUri });
}

/** A secret of this folder: made in the first run, and the same in every other. */
async function secretIn(folder: string, name: string, made: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, made, { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return readFile(path, "utf8");
}

/** Renewed tokens stay in the folder, apart from those of real connections. */
async function storeVariables(folder: string): Promise<Record<string, string>> {
  const key = await secretIn(folder, "store-key", randomBytes(32).toString("base64"));
  return { [environmentName("store")]: join(folder, "store.db"), [environmentName("storeKey")]: key };
}

/** Starts all three. The folder keeps the person's flows between runs. */
export async function startDemo(folder: string): Promise<Demo> {
  await mkdir(folder, { recursive: true });
  const port = await freePort(usualPorts.nodeRed);
  const sandbox = await startSandbox(join(folder, "sandbox"), port);
  const variables = { ...sandboxVariables(sandbox), ...(await storeVariables(folder)) };
  const variablesPath = join(folder, variablesFile);
  await writeFile(variablesPath, asLines(variables), { mode: 0o600 });
  // The flow's connection reads the environment: the sandbox may be at another port each time.
  Object.assign(process.env, variables);
  const service = serviceFrom(variables);
  const client = createClient(optionsFromSettings(settingsFromEnvironment(variables)), service);
  // No money is at stake here: an assistant may ask for a quote and book it.
  const allow = ["change", "money"] as const;
  // The same in every run, as assistants have it in their settings.
  const token = await secretIn(folder, "mcp-token", randomUUID());
  const mcp = await serveHttp({ client, allow, token, port: await freePort(usualPorts.mcp), host });
  const nodeRed = await startNodeRed(port, join(folder, "node-red"), firstFlow);
  return {
    nodeRed,
    sandboxUrl: sandbox.baseUrl,
    mcpUrl: mcp.url,
    mcpToken: token,
    variablesPath,
    async close() {
      await nodeRed.close();
      await mcp.close();
      await client.close();
      await sandbox.close();
    },
  };
}
