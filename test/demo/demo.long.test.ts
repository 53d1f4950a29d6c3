/** Tests npm start: everything runs, works together and stops. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import {
  createClient,
  type Declaration,
  optionsFromSettings,
  serviceFrom,
  settingsFromEnvironment,
} from "@fxdesk/toolkit";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { parseEnv } from "node:util";
import { Editor, launchBrowser } from "../nodes/support/browser";
import { eventually, untilEvent } from "../support/eventually";
import { takePicture } from "../support/picture";
import { closeLater, runLater, tempFolder } from "../support/resources";

const program = join(__dirname, "../../dist/demo/start.js");

type Demo = ChildProcessByStdio<null, Readable, Readable>;

interface StartedDemo {
  readonly demo: Demo;
  readonly nodeRed: string;
  readonly mcp: string;
  readonly said: string;
}

let folder: string;

beforeEach(async () => (folder = await tempFolder()));

const addressOf = (said: string, name: string) => new RegExp(`${name} +(http://\\S+)`).exec(said)![1]!;

/** Waits until the flow has run. */
async function start(): Promise<StartedDemo> {
  const demo: Demo = spawn(process.execPath, [program], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  runLater(() => demo.kill("SIGKILL"));
  let said = "";
  demo.stdout.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  await eventually(() => /The flow has run\..*\n\n.*\n/s.test(said), {
    withinMs: 50_000,
    what: () => `the flow has run, not: ${said}`,
  });
  return { demo, nodeRed: addressOf(said, "Node-RED"), mcp: addressOf(said, "MCP"), said };
}

/** Stops the demo; its stderr may only contain outcomes of money calls. */
async function stop(demo: Demo, signal: NodeJS.Signals, bookings = 0) {
  const errors = demo.stderr.setEncoding("utf8").toArray();
  const said = demo.stdout.toArray();
  const exit = untilEvent(demo, "exit");
  demo.kill(signal);
  expect(await exit).toEqual([0, null]);
  expect((await said).join("")).toMatch(/Stopping …\nStopped\.\n$/);
  const lines = (await errors).join("").split("\n").slice(0, -1);
  expect(lines).toEqual(
    Array.from({ length: bookings }, () =>
      expect.stringMatching(/^fxdesk: trades\.order: completed, release R-\w{12}\.$/),
    ),
  );
}

/** Releases an order on the releases page. */
async function releaseOrder(
  page: string,
  { release, seal }: { release: string; seal: string },
  secret: string,
) {
  const send = (path: string, form: Record<string, string>, cookie = "") =>
    fetch(page + path, {
      method: "POST",
      redirect: "manual",
      headers: { origin: page, cookie },
      body: new URLSearchParams(form),
    });
  const signedIn = await send("/sign-in", { name: "anna", secret });
  const [cookie] = signedIn.headers.get("set-cookie")!.split(";");
  const { status } = await send(`/releases/${release}`, { decision: "release", seal, secret }, cookie);
  expect(status).toBe(303);
}

test("the editor shows the first flow, and its result in the debug sidebar", async () => {
  const { demo, nodeRed } = await start();
  const { page } = await Editor.open(await launchBrowser(), nodeRed);
  await page.setViewportSize({ width: 1360, height: 480 });
  await page.evaluate(`RED.sidebar.show("debug")`);
  await page.locator(".red-ui-flow-node-button-button").first().click();
  const payload = page.locator(".red-ui-debug-msg-payload").last();
  const handles = payload.locator(".red-ui-debug-msg-object-handle");
  // The list of totals, then the first two of them.
  for (const position of [0, 1, 2]) await handles.nth(position).click();
  await payload.getByText("InterimAvailable").nth(1).waitFor();
  await page.mouse.move(640, 400);
  await page.getByText("Successfully injected").waitFor({ state: "hidden" });
  await takePicture(page, "images/flow");
  await stop(demo, "SIGTERM");
});

test("runs the flow, serves assistants, and stops everything with Ctrl-C", async () => {
  const { demo, nodeRed, mcp, said } = await start();
  expect(said).toMatch(
    /The flow has run\. Cash position:\n\ntype +currency +amount *\nInterimAvailable +EUR +\d+\.\d\d/,
  );

  const nodes = (await (
    await fetch(`${nodeRed}/nodes`, { headers: { accept: "application/json" } })
  ).json()) as {
    module: string;
    err?: string;
  }[];
  const ours = nodes.filter(({ module }) => module === "@fxdesk/toolkit");
  expect(ours.length).toBeGreaterThan(0);
  expect(ours.filter(({ err }) => err)).toEqual([]);

  const callback = await fetch(`${nodeRed}/callback?code=c&state=s`);
  expect(await callback.text()).toMatch(/^You are logged in/);

  const assistant = new Client({ name: "test", version: "1" });
  const [authorization] = /Bearer [\w-]+/.exec(said)!;
  await assistant.connect(
    new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers: { authorization } } }),
  );
  expect(await assistant.callTool({ name: "list_trades", arguments: {} })).not.toHaveProperty(
    "isError",
    true,
  );
  const order = (amount: string) => {
    const valid_until = new Date(Date.now() + 3_600_000).toISOString();
    const wanted = { fixed_side: "sell", amount, sell_currency: "EUR", buy_currency: "USD", reason: "other" };
    return assistant.callTool({
      name: "order_trade",
      arguments: { ...wanted, worst_rate: "0.5", rate_symbol: "EURUSD", valid_until },
    });
  };
  const reportOf = ({ structuredContent: content }: { structuredContent?: unknown }) =>
    content as { release: string; state: string; seal: string };
  const booked = ({ release }: { release: string }) =>
    eventually(
      async () =>
        reportOf(await assistant.callTool({ name: "get_release", arguments: { release } })).state ===
        "booked",
      { withinMs: 30_000, what: "the trade" },
    );
  await booked(reportOf(await order("1000")));
  const large = reportOf(await order("25000"));
  expect(large.state).toBe("waiting");
  await releaseOrder(addressOf(said, "Releases"), large, /anna ([\w-]+),/.exec(said)![1]!);
  await booked(large);
  await assistant.close();

  const inFlows = (await (await fetch(`${nodeRed}/fxdesk/operations`)).json()) as Pick<Declaration, "name">[];
  expect(inFlows.map(({ name }) => name)).toContain("quotes.create");

  const variables = parseEnv(await readFile(join(folder, ".fxdesk/sandbox.env"), "utf8"));
  expect(serviceFrom(variables).operations.find(({ name }) => name === "quotes.create")!.effect).toBe(
    "change",
  );
  const client = closeLater(createClient(optionsFromSettings(settingsFromEnvironment(variables))));
  expect(await client.accounts.list({ currencies: "EUR" })).toHaveLength(1);

  await stop(demo, "SIGINT", 2);
  await expect(fetch(nodeRed)).rejects.toThrow();
  await expect(fetch(mcp)).rejects.toThrow();
}, 60_000);

test("preserves edited flows", async () => {
  const first = await start();
  await stop(first.demo, "SIGTERM");
  const path = join(folder, ".fxdesk/node-red/flows.json");
  const flows = JSON.parse(await readFile(path, "utf8")) as Pick<Declaration, "name">[];
  const edited = [...flows, { id: "mine", type: "tab", label: "Mine" }];
  await writeFile(path, JSON.stringify(edited));
  const second = await start();
  await stop(second.demo, "SIGTERM");
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual(edited);
}, 60_000);

test("uses other ports if the default ones are in use", async () => {
  const others = [1880, 8080, 8081, 8082].map((port) => closeLater(createServer().listen(port, "127.0.0.1")));
  // A port that is already in use is fine.
  await Promise.all(others.map((server) => untilEvent(server, "listening").catch(() => undefined)));
  const { demo, said } = await start();
  expect(said).not.toMatch(/:(1880|8080|8081|8082)\b/);
  expect(said.match(/^Port (1880|8080|8081|8082) is in use, so .* uses port \d+\.$/gm)).toHaveLength(4);
  await stop(demo, "SIGINT");
}, 60_000);
