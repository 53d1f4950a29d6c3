/** Measures the MCP server: from start to tools/list, beside a plain server with the same tools, and the tokens of its tools. */
import { join } from "node:path";
import { fxdeskService } from "../core/client/fxdesk-service";
import type { Tool } from "../mcp/protocol";
import { buildInventory } from "../mcp/inventory";
import { inTurn, median, printRow } from "./compare";
import { msUntilReady } from "./ready";

const rounds = 9;
const largest = 5;

const requests = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
]
  .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  .join("");

const allTools = ["mcp", "--toolsets", "all", "--allow", "change", "--allow", "money"];

export async function benchMcp(): Promise<void> {
  const started = (script: string, args: readonly string[]) => () =>
    msUntilReady(join(__dirname, script), args, '"tools":[', requests);
  const times = await inTurn([started("mcp-bare.js", []), started("../cli/main.js", allTools)], rounds);
  const [bare, fxdesk] = times.map(median) as [number, number];
  console.log(`MCP over stdio, from start to tools/list; median of ${rounds}`);
  printRow("SDK, registerTool", bare, "ms");
  printRow("fxdesk mcp", fxdesk, "ms", (fxdesk / bare).toFixed(2));
}

/** Four bytes per token. */
const tokensOf = ({ name, description, inputSchema }: Tool): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify({ name, description, inputSchema })) / 4);

/** Prints the tokens of the tool lists by toolset, and the largest tools. */
export function benchToolTokens(): void {
  const { tools, toolsets } = buildInventory(fxdeskService);
  const costs = tools.map(({ tool, effect }) => ({ name: tool.name, effect, tokens: tokensOf(tool) }));
  const sum = (chosen: typeof costs) => chosen.reduce((total, { tokens }) => total + tokens, 0);
  console.log("Tokens of the tools");
  for (const set of ["daily", "all"])
    console.log(`  ${set}: ${sum(costs.filter(({ name }) => toolsets[set]!.includes(name)))}`);
  console.log(`  read-only: ${sum(costs.filter(({ effect }) => effect === "read"))}`);
  for (const { name, tokens } of costs.toSorted((one, other) => other.tokens - one.tokens).slice(0, largest))
    console.log(`  ${name}: ${tokens}`);
}
