/** Measures the time from start to tools/list, for fxdesk and for a plain SDK server with the same tools. */
import { spawn } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { median } from "./compare";
import { bareServerSource } from "./mcp-bare";

const rounds = 9;
const dist = join(__dirname, "..");

const initializeRequest = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
};
const initializedNotification = { jsonrpc: "2.0", method: "notifications/initialized" };
const listRequest = { jsonrpc: "2.0", id: 2, method: "tools/list" };

interface StartMeasurement {
  readonly ms: number;
  readonly tools: number;
}

/** Starts a server like a host, and stops it after tools/list. */
async function measureStart(script: string, args: readonly string[]): Promise<StartMeasurement> {
  const begin = performance.now();
  const server = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const send = (...messages: object[]) =>
    server.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  send(initializeRequest);
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const { id, result } = JSON.parse(line) as { id?: number; result?: { tools?: unknown[] } };
      if (id === initializeRequest.id) send(initializedNotification, listRequest);
      if (id === listRequest.id) return { ms: performance.now() - begin, tools: result!.tools!.length };
    }
    throw new Error(`${script} ended before it listed its tools.`);
  } finally {
    server.kill();
  }
}

export async function benchMcp(): Promise<void> {
  const written = await readFile(join(dist, "mcp/tools.json"), "utf8");
  const { tools } = JSON.parse(written) as {
    tools: { tool: Parameters<typeof bareServerSource>[0][number] }[];
  };
  const bare = join(__dirname, "bare-server.mjs");
  await writeFile(bare, bareServerSource(tools.map(({ tool }) => tool)));
  const candidates = [
    { name: "SDK, registerTool", run: () => measureStart(bare, []) },
    {
      name: "fxdesk mcp",
      run: () =>
        measureStart(join(dist, "cli/main.js"), [
          "mcp",
          "--toolsets",
          "all",
          "--allow",
          "change",
          "--allow",
          "money",
        ]),
    },
  ];
  try {
    const times = candidates.map((): StartMeasurement[] => []);
    for (let round = 0; round < rounds; round += 1)
      for (const [index, { run }] of candidates.entries()) times[index]!.push(await run());
    const medians = times.map((started) => median(started.map(({ ms }) => ms)));
    console.log(`MCP over stdio, from start to tools/list; median of ${rounds}`);
    for (const [index, { name }] of candidates.entries()) {
      const ratio = (medians[index]! / medians[0]!).toFixed(2);
      const ms = medians[index]!.toFixed(0);
      console.log(`  ${name.padEnd(34)} ${ms.padStart(8)} ms  ${ratio}  (${times[index]![0]!.tools} tools)`);
    }
  } finally {
    await rm(bare);
  }
}
