/** Runs everything on one machine: the sandbox, Node-RED with a flow, an MCP endpoint and the releases page. */
import { randomBytes, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ReleasesPage, serveReleases } from "../cli/releases-page/server";
import {
  toShellLines,
  createTemporaryStore,
  loadSandbox,
  sandboxVariables,
} from "../cli/sandbox/sandbox-package";
import { createClient } from "../core/client/client";
import { serviceFrom } from "../core/client/extensions";
import { environmentName, optionsFromSettings, settingsFromEnvironment } from "../core/call/settings";
import { StoreSession } from "../core/store/session";
import { ReleaseService } from "../core/releases/release-service";
import { addPerson, createPeople } from "../core/people/administration";
import { issueServiceKey } from "../core/people/issue-service-key";
import type { Service } from "../core/spec/service";
import { parseStoreSettings } from "../core/store/settings";
import { serveHttp } from "../mcp";
import { callbackPath, type NodeRed, startNodeRed } from "./node-red";
import { freePort, host } from "./ports";

const defaultPorts = { nodeRed: 1880, sandbox: 8080, mcp: 8081, releases: 8082 };

/** Initial flows, each on a tab of its own; the path is relative to dist/demo. */
const firstFlows = ["01 Cash position", "02 Cash position over HTTP"].map((name) =>
  join(__dirname, `../../examples/1 Cash/${name}.json`),
);

/** Shows progress to the user. */
type Report = (text: string) => void;

/** Shell file with the variables of the sandbox. */
const variablesFile = "sandbox.env";

export interface Demo {
  readonly nodeRed: NodeRed;
  readonly sandboxUrl: string;
  readonly mcpUrl: string;
  /** Bearer token for AI assistants. */
  readonly mcpToken: string;
  readonly releasesUrl: string;
  /** Secrets of the people who release, by name. */
  readonly people: Readonly<Record<string, string>>;
  /** File with the FXDESK_* variables of this run. */
  readonly variablesPath: string;
  close(): Promise<void>;
}

async function startSandbox(dataDir: string, nodeRedPort: number, report: Report) {
  const { startSandbox: start } = await loadSandbox();
  const redirectUri = `http://${host}:${nodeRedPort}${callbackPath}`;
  const port = await freePort(defaultPorts.sandbox, "the sandbox", report);
  return start({ port, host, dataDir, redirectUri });
}

/** Reads a file of the folder; the first run creates it. */
async function readOrCreateFile(folder: string, name: string, initialContent: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, initialContent, { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return readFile(path, "utf8");
}

/** Initial policy; users may edit the file. Calls above 10,000 EUR require a release. */
const policy = {
  people: ["anna", "bert", "desk"],
  rules: [{ effects: ["money"], above: "10000", from: ["anna", "bert"] }],
  amounts: { currency: "EUR", rates: { USD: "0.9", GBP: "1.15", CHF: "1.05" } },
};

interface Releases {
  readonly people: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
}

const keyFile = "service-key-of-desk";

/** Creates a policy and two people who release; `desk` is the program that requests. */
async function createReleaseFiles(folder: string): Promise<Releases> {
  const [policyPath, peoplePath] = [join(folder, "policy.json"), join(folder, "people.json")];
  await readOrCreateFile(folder, "policy.json", `${JSON.stringify(policy, null, 2)}\n`);
  const people: Record<string, string> = {};
  const isNew = !existsSync(peoplePath);
  for (const person of ["anna", "bert"])
    people[person] = await readOrCreateFile(
      folder,
      `secret-of-${person}`,
      randomBytes(12).toString("base64url"),
    );
  if (isNew) {
    const anna = { person: "anna", secret: people.anna! };
    await createPeople(peoplePath, "anna", people.anna!);
    await addPerson(peoplePath, "bert", people.bert!, anna);
    const { key } = await issueServiceKey(peoplePath, "desk", {}, anna);
    await readOrCreateFile(folder, keyFile, key);
  }
  return {
    people,
    variables: {
      [environmentName("policy")]: policyPath,
      [environmentName("people")]: peoplePath,
      [environmentName("serviceKey")]: await readFile(join(folder, keyFile), "utf8"),
    },
  };
}

async function startReleasesPage(
  variables: Readonly<Record<string, string>>,
  service: Service,
  port: number,
): Promise<ReleasesPage> {
  const { policy: policyPath, people, ...settings } = settingsFromEnvironment(variables);
  const releaseService = new ReleaseService(new StoreSession(parseStoreSettings(settings)));
  const files = { policy: policyPath, people: people!, service };
  const page = await serveReleases({
    service: releaseService,
    files,
    port,
    host,
  });
  return {
    ...page,
    async close() {
      await page.close();
      await releaseService.close();
    },
  };
}

/** Starts the demo. Flows, people and tokens stay in the folder between runs. */
export async function startDemo(folder: string, report: Report): Promise<Demo> {
  await mkdir(folder, { recursive: true });
  const port = await freePort(defaultPorts.nodeRed, "Node-RED", report);
  report("Starting the sandbox …");
  const sandbox = await startSandbox(join(folder, "sandbox"), port, report);
  const store = await createTemporaryStore();
  const { people, variables: releaseVariables } = await createReleaseFiles(folder);
  const releasesPort = await freePort(defaultPorts.releases, "the releases page", report);
  const variables = {
    ...sandboxVariables(sandbox),
    ...store.variables,
    ...releaseVariables,
    [environmentName("releasesPage")]: `http://${host}:${releasesPort}`,
  };
  const variablesPath = join(folder, variablesFile);
  await writeFile(variablesPath, toShellLines(variables), { mode: 0o600 });
  // The connection of the flow reads the environment, because the port of the sandbox may change.
  Object.assign(process.env, variables);
  const service = serviceFrom(variables);
  const client = createClient(optionsFromSettings(settingsFromEnvironment(variables)), service);
  // No real money: assistants may trade and pay within the policy.
  const allow = ["change", "money"] as const;
  // Stable across runs, because assistants have it in their settings.
  const token = await readOrCreateFile(folder, "mcp-token", randomUUID());
  const mcpPort = await freePort(defaultPorts.mcp, "the MCP server", report);
  const mcp = await serveHttp({ client, allow, token, port: mcpPort, host });
  await client.orders.start();
  const releases = await startReleasesPage(variables, service, releasesPort);
  report("Starting Node-RED …");
  const nodeRed = await startNodeRed(port, join(folder, "node-red"), firstFlows);
  return {
    nodeRed,
    sandboxUrl: sandbox.baseUrl,
    mcpUrl: mcp.url,
    mcpToken: token,
    releasesUrl: releases.url,
    people,
    variablesPath,
    async close() {
      await nodeRed.close();
      await releases.close();
      await mcp.close();
      await client.close();
      await sandbox.close();
      await store.remove();
    },
  };
}
