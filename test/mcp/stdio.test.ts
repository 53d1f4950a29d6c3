/** The built server, started like a host does. */
import { execFileSync } from "node:child_process";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { buildInventory } from "../../mcp/inventory";
import { untilEvent } from "../support/eventually";
import { demoEnvironment, fxdeskMcp, revisions, textOf } from "./support/clients";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const call = (id: number, name: string, args: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

/** Sends lines to a server, closes its input after all responses, and waits for its exit. */
async function converse(args: readonly string[], env: Record<string, string>, messages: readonly object[]) {
  const { command, args: all } = fxdeskMcp(args, env);
  const server = spawn(command, all, { env });
  let [out, err] = ["", ""];
  server.stderr.on("data", (chunk) => (err += String(chunk)));
  server.stdout.on("data", (chunk) => {
    out += String(chunk);
    if (out.split("\n").length > messages.length) server.stdin.end();
  });
  for (const message of messages) server.stdin.write(`${JSON.stringify(message)}\n`);
  const [code] = await untilEvent(server, "close", 50_000);
  return { out, err, code };
}

test("prints only protocol messages on standard output, even with all debugging on", async () => {
  const env = { ...demoEnvironment(sandbox), DEBUG: "*", NODE_DEBUG: "http,net,undici" };
  const { out } = await converse([], env, [
    initialize,
    call(2, "list_trades", { page_size: 1 }),
    call(3, "list_trades", { page_size: "many" }),
    call(4, "get_trade", { trade_id: "no-such-trade" }),
  ]);
  const messages = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { jsonrpc: string });
  expect(messages).toHaveLength(4);
  for (const message of messages) expect(message.jsonrpc).toBe("2.0");
});

test("prints no secret of the connection", async () => {
  const secrets = { FXDESK_ACCESS_TOKEN: "canary-token", FXDESK_API_KEY: "canary-key" };
  const { out, err } = await converse(
    ["--allow", "change,money", "--release", "never"],
    { ...demoEnvironment(sandbox), ...secrets },
    [
      initialize,
      call(2, "list_trades", {}),
      call(3, "book_trade", { quote_id: "q", reason: "other" }),
      call(4, "get_trade", { trade_id: 7 }),
    ],
  );
  expect(out).toContain("failed");
  expect(out + err).not.toContain("canary");
});

test("reports a missing connection on the first call; listing still works", async () => {
  const client = await revisions["2025-11-25"].stdio(fxdeskMcp([], { FXDESK_BASE_URL: "nowhere" }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  const result = await client.callTool({ name: "list_trades" });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain(
    "could not be set up: FXDESK_BASE_URL or --base-url must be an http or https address",
  );
  expect(textOf(result)).toContain("Ask the operator of this server to fix it.");
  await client.close();
});

describe("the built package", () => {
  const dist = join(__dirname, "../../dist/mcp");

  test("lists the declared tools", async () => {
    const written: unknown = JSON.parse(await readFile(join(dist, "tools.json"), "utf8"));
    expect(written).toEqual(JSON.parse(JSON.stringify(buildInventory(fxdeskService))));
  });

  test("lists its tools before it loads the contract", () => {
    const listing = `
      const { createLazyToolbox } = require(${JSON.stringify(join(dist, "toolbox"))});
      const { tools, resources } = createLazyToolbox({ connect: () => {}, settings: {}, toolsets: ["all"] });
      const loaded = Object.keys(require.cache).filter((file) => /zod|contract/.test(file));
      console.log(JSON.stringify([tools.length > 0, resources.length > 0, loaded]));`;
    const output = execFileSync(process.execPath, ["-e", listing], { encoding: "utf8" });
    expect(JSON.parse(output)).toEqual([true, true, []]);
  });

  test("needs no package of the SDK", async () => {
    const serving = await readFile(join(dist, "serving.js"), "utf8");
    expect(serving).not.toMatch(/require\("@|from\s*"@|import\("@/);
    expect(await readFile(join(dist, "LICENSES.txt"), "utf8")).toContain("@modelcontextprotocol/server");
  });
});
