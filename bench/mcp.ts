/**
 * Compares the MCP server with a plain server of the same tools: milliseconds from start to tools/list over stdio, calls per
 * second over HTTP, and memory after many requests.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compare, inTurn, median } from "./compare";
import { startServer } from "./server";

const rounds = 9;
const callsAtOnce = 16;
const lists = 200;

const lineOf = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;

const beginning = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
  },
  { method: "notifications/initialized" },
]
  .map(lineOf)
  .join("");

const residentMB = ({ pid }: ChildProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1_024;

/** Starts a server over stdio and lets it list its tools many times, one after another. */
async function listToolsOverStdio(script: string, args: readonly string[] = []) {
  const begin = performance.now();
  const child = spawn(process.execPath, [join(__dirname, script), ...args], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = once(child, "exit");
  let firstMs: number | undefined;
  let count = 0;
  const listTools = () => child.stdin.write(lineOf({ id: `list ${count}`, method: "tools/list" }));
  child.stdin.write(beginning);
  listTools();
  try {
    for await (const line of createInterface({ input: child.stdout }))
      if (line.includes('"tools":[')) {
        firstMs ??= performance.now() - begin;
        count += 1;
        if (count === lists) return { firstMs, residentMB: residentMB(child) };
        listTools();
      }
    throw new Error(`${script} ended before it listed its tools.`);
  } finally {
    child.kill();
    await ended;
  }
}

/** A server over HTTP. */
interface Served {
  readonly url: string;
  readonly process: ChildProcess;
}

/** Starts a server that writes its address to stderr. */
async function serve(script: string, args: readonly string[], env = {}): Promise<Served> {
  const child = spawn(process.execPath, [join(__dirname, script), ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const line of createInterface({ input: child.stderr! })) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(line) ?? [];
    if (url !== undefined) return { url, process: child };
  }
  throw new Error(`${script} ended before it said its address.`);
}

const agent = new Agent({ keepAlive: true, maxSockets: callsAtOnce });
const listCall = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "list_trades", arguments: {} },
});

/** Calls a tool that lists trades. */
function list({ url }: Served): Promise<void> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
  };
  return new Promise((resolve, reject) => {
    const call = request(url, { agent, headers, method: "POST" }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.once("end", () => (text.includes("T0") ? resolve() : reject(new Error(text))));
    });
    call.once("error", reject).end(listCall);
  });
}

async function compareHttp(tools: readonly string[]): Promise<void> {
  const service = await startServer();
  const env = {
    FXDESK_BASE_URL: service.url,
    FXDESK_CLIENT_ID: "client",
    FXDESK_ACCESS_TOKEN: "token",
    FXDESK_API_KEY: "key",
    FXDESK_MCP_TOKEN: "",
  };
  // The page that fxdesk asks for.
  const bare = await serve("mcp-bare.js", [`${service.url}?page=1&page_size=50`]);
  const fxdesk = await serve("../cli/main.js", ["mcp", "--http", "--port", "0", ...tools], env);
  try {
    for (const [name, server] of Object.entries({ bare, fxdesk })) {
      for (let done = 0; done < lists; done += 1) await list(server);
      console.log(
        `MCP over HTTP, ${name}: ${Math.round(residentMB(server.process))} MB resident after ${lists} calls that list trades`,
      );
    }
    await compare(
      `MCP over HTTP, ${callsAtOnce} calls at once`,
      [
        { name: "SDK, registerTool", run: () => list(bare) },
        { name: "fxdesk mcp --http", run: () => list(fxdesk) },
      ],
      { rounds, sliceMs: 1_000, inFlight: callsAtOnce },
    );
  } finally {
    for (const { process: child } of [bare, fxdesk]) child.kill();
    agent.destroy();
    service.stop();
  }
}

async function main(): Promise<void> {
  const allTools = ["mcp", "--toolsets", "all", "--allow", "change", "--allow", "money"];
  const seen = { bare: [] as number[], fxdesk: [] as number[] };
  const run = (name: keyof typeof seen, script: string, args?: readonly string[]) => async () => {
    const { firstMs, residentMB: resident } = await listToolsOverStdio(script, args);
    seen[name].push(resident);
    return firstMs;
  };
  const times = await inTurn([run("bare", "mcp-bare.js"), run("fxdesk", "../cli/main.js", allTools)], rounds);
  const [bare, fxdesk] = times.map(median) as [number, number];
  const row = (name: string, ms: number, resident: readonly number[]) => ({
    "MCP over stdio": name,
    "ms from start to tools/list": Math.round(ms),
    ratio: (ms / bare).toFixed(2),
    [`MB resident after ${lists} tools/list`]: Math.round(median(resident)),
  });
  console.table([row("SDK, registerTool", bare, seen.bare), row("fxdesk mcp", fxdesk, seen.fxdesk)]);
  await compareHttp(["--toolsets", "all"]);
}

void main();
