/** Compares the MCP server with a plain server of the same tools: milliseconds from start to tools/list over stdio. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { inTurn, median } from "./compare";

const rounds = 9;

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

/** Starts a server and stops it once it has listed its tools; returns the milliseconds until then. */
async function msUntilTools(script: string, args: readonly string[] = []): Promise<number> {
  const begin = performance.now();
  const child = spawn(process.execPath, [join(__dirname, script), ...args], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = once(child, "exit");
  child.stdin.write(requests);
  try {
    for await (const line of createInterface({ input: child.stdout }))
      if (line.includes('"tools":[')) return performance.now() - begin;
    throw new Error(`${script} ended before it listed its tools.`);
  } finally {
    child.kill();
    await ended;
  }
}

async function main(): Promise<void> {
  const allTools = ["mcp", "--toolsets", "all", "--allow", "change", "--allow", "money"];
  const times = await inTurn(
    [() => msUntilTools("mcp-bare.js"), () => msUntilTools("../cli/main.js", allTools)],
    rounds,
  );
  const [bare, fxdesk] = times.map(median) as [number, number];
  console.table([
    { "MCP over stdio, start to tools/list": "SDK, registerTool", ms: Math.round(bare) },
    {
      "MCP over stdio, start to tools/list": "fxdesk mcp",
      ms: Math.round(fxdesk),
      ratio: (fxdesk / bare).toFixed(2),
    },
  ]);
}

void main();
