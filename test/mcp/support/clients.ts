/** MCP clients of both SDKs, connected to fxdesk over stdio and HTTP; they close themselves. */
import { join } from "node:path";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from "@modelcontextprotocol/client";
import { StdioClientTransport as ModernStdio } from "@modelcontextprotocol/client/stdio";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OlderHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { environmentName } from "@fxdesk/toolkit";
import { serveHttp } from "../../../mcp";
import type { Tool, Toolbox } from "../../../mcp/protocol";
import type { JsonObject, ToolResult } from "../../../mcp/render/content";
import { closeLater } from "../../support/resources";

export interface McpClient {
  listTools(): Promise<{ tools: Tool[] }>;
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<ToolResult>;
  readResource(params: { uri: string }): Promise<{ contents: unknown[] }>;
  getServerVersion(): { name: string; version: string } | undefined;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

const identity = { name: "test", version: "1.0.0" };

export const token = "a-token-of-32-characters-or-more";

/** Returns the header with a token. */
export const bearer = (value = token) => ({ authorization: `Bearer ${value}` });

/** Serves tools over HTTP until the test ends. */
export const serve = async (...options: Parameters<typeof serveHttp>) =>
  closeLater(await serveHttp(...options));

/** Calls an offered tool without a host. */
export const callTool = async (tools: Toolbox, tool: string, input: JsonObject): Promise<ToolResult> =>
  (await tools.call(tool, input, new AbortController().signal))!;

/** The user of a host, who answers questions. */
export type Person = (
  message: string,
  params: Readonly<Record<string, unknown>>,
) => {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, boolean>;
};

/** Kinds of questions that a host can show. */
type Modes = { readonly form?: {}; readonly url?: {} };

/** Tested revisions: the newest with its SDK, and the previous one with the older SDK. */
export const revisions = {
  "2026-07-28": {
    http: (url: string, headers: Record<string, string> = {}, person?: Person, modes?: Modes) =>
      connectModern(new ModernHttp(new URL(url), { requestInit: { headers } }), person, modes),
    stdio: (parameters: StdioParameters, person?: Person, modes?: Modes) =>
      connectModern(new ModernStdio(parameters), person, modes),
  },
  "2025-11-25": {
    http: (url: string, headers: Record<string, string> = {}, person?: Person, modes?: Modes) =>
      connectOlder(new OlderHttp(new URL(url), { requestInit: { headers } }), person, modes),
    stdio: (parameters: StdioParameters, person?: Person, modes?: Modes) =>
      connectOlder(new OlderStdio(parameters), person, modes),
  },
};

export interface StdioParameters {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

const elicits = (person: Person | undefined, modes: Modes = {}) => ({
  capabilities: person ? { elicitation: modes } : {},
});

async function connectModern(
  transport: Parameters<ModernClient["connect"]>[0],
  person?: Person,
  modes?: Modes,
): Promise<McpClient> {
  const client = new ModernClient(identity, {
    versionNegotiation: { mode: { pin: "2026-07-28" } },
    ...elicits(person, modes),
  });
  if (person) client.setRequestHandler("elicitation/create", ({ params }) => person(params.message, params));
  await client.connect(transport);
  return closeLater(client as unknown as McpClient);
}

export async function connectOlder(transport: object, person?: Person, modes?: Modes): Promise<McpClient> {
  const client = new OlderClient(identity, elicits(person, modes));
  if (person) client.setRequestHandler(ElicitRequestSchema, ({ params }) => person(params.message, params));
  await client.connect(transport as Parameters<OlderClient["connect"]>[0]);
  return closeLater(client as unknown as McpClient);
}

/** Returns the connection settings of the demo company as environment variables. */
export const demoEnvironment = ({ baseUrl, xs2aUrl }: Sandbox): Record<string, string> => {
  const { clientId, contactId, accessToken, apiKey } = demo;
  const settings = { baseUrl, xs2aUrl, clientId, contactId, accessToken, apiKey };
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [environmentName(name), value]));
};

/** Returns the command of `fxdesk mcp`, with a separate state folder. */
export const fxdeskMcp = (args: readonly string[], env: Record<string, string>): StdioParameters => ({
  command: process.execPath,
  args: [join(__dirname, "../../../dist/cli/main.js"), "mcp", "--toolsets", "all", ...args],
  env: { XDG_STATE_HOME: process.env.XDG_STATE_HOME!, ...env },
});

/** Returns the text of a result. */
export const textOf = ({ content }: ToolResult): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
