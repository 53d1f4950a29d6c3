/** Hosts of the older and the newer SDK, over standard input and output and over HTTP, and the built server that they start. */
import { execFileSync, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "@fxdesk/sandbox";
import { declarationsOf } from "@fxdesk/toolkit/operations";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { createPeople, issueToken } from "../../core/people/administration";
import { buildInventory } from "../../mcp/inventory";
import { eventually, untilEvent } from "../support/eventually";
import { tempFolder } from "../support/resources";
import { openClient, openSandbox } from "../support/sandboxes";
import {
  bearer,
  demoEnvironment,
  fxdeskMcp,
  type McpClient,
  revisions,
  serve,
  textOf,
} from "./support/clients";
import { initialize, McpProcess, toolCall } from "./support/mcp-process";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});

const readTools = declarationsOf(fxdeskService)
  .filter(({ effect }) => effect === "read")
  .map(({ tool }) => tool);

const overHttp = async (revision: keyof typeof revisions) => {
  const settings = { redirectUri: sandbox.demo.redirectUri! };
  const { url } = await serve({ client: openClient(sandbox, { settings }), toolsets: ["all"] });
  return revisions[revision].http(url);
};

const overStdio = (revision: keyof typeof revisions) =>
  revisions[revision].stdio(
    fxdeskMcp([], {
      ...demoEnvironment(sandbox),
      FXDESK_REDIRECT_URI: sandbox.demo.redirectUri!,
      FXDESK_STORE: `${process.env.XDG_STATE_HOME}/${revision}.db`,
    }),
  );

/** Methods for subscriptions, which only one of the SDKs has each. */
interface Subscribes {
  setNotificationHandler(method: unknown, handler: () => void): void;
  subscribeResource(params: { uri: string }): Promise<unknown>;
  listen(filter: { resourceSubscriptions: string[] }): Promise<unknown>;
}

async function subscribe(host: McpClient, revision: string, uri: string, notified: () => void) {
  const subscribes = host as unknown as Subscribes;
  if (revision === "2026-07-28") {
    subscribes.setNotificationHandler("notifications/resources/updated", notified);
    return subscribes.listen({ resourceSubscriptions: [uri] });
  }
  const { ResourceUpdatedNotificationSchema } = await import("@modelcontextprotocol/sdk/types.js");
  subscribes.setNotificationHandler(ResourceUpdatedNotificationSchema, notified);
  return subscribes.subscribeResource({ uri });
}

describe.each([
  ["2026-07-28", "HTTP", overHttp],
  ["2025-11-25", "HTTP", overHttp],
  ["2026-07-28", "stdio", overStdio],
  ["2025-11-25", "stdio", overStdio],
] as const)("protocol %s over %s", (revision, way, connect) => {
  let client: McpClient;
  beforeAll(async () => {
    client = await connect(revision);
  });

  test("lists only tools that read, sorted", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(readTools.toSorted());
  });

  test("calls a tool", async () => {
    const result = await client.callTool({ name: "list_trades", arguments: { page_size: 2 } });
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toMatchObject({
      count: 2,
      page: 1,
      next: { continue: expect.any(String) },
    });
    expect(textOf(result)).toContain(JSON.stringify(result.structuredContent));
  });

  test("reads the resources that a result links to", async () => {
    const login = {
      scope: "openid",
      response_type: "code",
      client_id: sandbox.demo.authClientId!,
      state: "s",
    };
    const result = await client.callTool({ name: "get_login_page", arguments: login });
    const link = result.content.find(({ type }) => type === "resource_link") as { uri: string };
    expect(textOf(result)).toContain(link.uri);
    expect(textOf(result).length).toBeLessThan(1_000);
    const { contents } = await client.readResource({ uri: link.uri });
    expect(contents).toEqual([
      { uri: link.uri, mimeType: "text/html", text: expect.stringMatching(/^<!doctype html>/i) },
    ]);
    await expect(client.readResource({ uri: "fxdesk://results/none" })).rejects.toThrow(
      "kept for 15 minutes",
    );
  });

  test("answers a call of an unknown tool with a protocol error", async () => {
    await expect(client.callTool({ name: "rob_bank" })).rejects.toMatchObject({ code: -32_602 });
  });

  // Over HTTP, only the newer revision has subscriptions; other tests prove them.
  if (way === "HTTP") return;

  test("notifies of changes, which are then read", async () => {
    const uri = "fxdesk://watches/watch_balances?currencies=EUR&above=0";
    let received = 0;
    await subscribe(client, revision, uri, () => (received += 1));
    await eventually(() => received > 0, { withinMs: 20_000, what: "a notification" });
    const [content] = (await client.readResource({ uri })).contents as [{ text: string }];
    expect(JSON.parse(content.text)).toMatchObject({
      changes: expect.arrayContaining([
        expect.objectContaining({
          kind: "new",
          entry: expect.objectContaining({ currency: "EUR", type: "InterimAvailable" }) as object,
        }),
      ]) as object[],
    });
  });
});

test("prints only protocol messages on stdout and no secret, even with all debugging on", async () => {
  const canaries = { FXDESK_ACCESS_TOKEN: "canary-token", FXDESK_API_KEY: "canary-key" };
  const env = { ...demoEnvironment(sandbox), ...canaries, DEBUG: "*", NODE_DEBUG: "http,net,undici" };
  const messages = [
    initialize,
    toolCall(2, "list_trades", { page_size: 1 }),
    toolCall(3, "list_trades", { page_size: "many" }),
    toolCall(4, "book_trade", { quote_id: "q", reason: "other" }),
  ];
  const { command, args } = fxdeskMcp(["--allow", "change,money", "--release", "never"], env);
  const server = spawn(command, args, { env });
  let [out, err] = ["", ""];
  server.stderr.on("data", (chunk) => (err += String(chunk)));
  server.stdout.on("data", (chunk) => {
    out += String(chunk);
    if (out.split("\n").length > messages.length) server.stdin.end();
  });
  for (const message of messages) server.stdin.write(`${JSON.stringify(message)}\n`);
  await untilEvent(server, "close", 50_000);
  const lines = out.trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { jsonrpc: string }).jsonrpc)).toEqual(
    messages.map(() => "2.0"),
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
});

test("accepts tokens of the people file of the connection in fxdesk mcp --http", async () => {
  const people = join(await tempFolder(), "people.json");
  const secret = "the secret of anna";
  await createPeople(people, "anna", secret);
  const { token } = await issueToken(people, "anna", { person: "anna", secret });
  const served = new McpProcess(["--http", "--allow", "money"], {
    ...demoEnvironment(sandbox),
    FXDESK_PEOPLE: people,
  });
  await served.until(() => served.err.includes("The MCP endpoint is"));
  const url = /http:\/\/\S+\/mcp/.exec(served.err)![0];
  const client = await revisions["2026-07-28"].http(url, bearer(token));
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("book_trade");
  const ready = await fetch(new URL("/ready", url));
  expect([ready.status, await ready.json()]).toEqual([
    200,
    { status: "ready", checks: { store: "ok", policy: "ok" } },
  ]);
  await client.close();
  served.process.kill("SIGTERM");
  expect(await served.exit).toBe(0);
});

describe("the built package", () => {
  const dist = join(__dirname, "../../dist/mcp");

  test("lists the declared tools, before it loads the contract", async () => {
    const written: unknown = JSON.parse(await readFile(join(dist, "tools.json"), "utf8"));
    expect(written).toEqual(JSON.parse(JSON.stringify(buildInventory(fxdeskService))));
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
