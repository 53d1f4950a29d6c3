/** Tests the login in a browser, from the command line and from Node-RED, with the built programs. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { listTrades } from "../core/contract/trades";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { environmentOf, program, spawnFxdesk, type Variables } from "./cli/run-command";
import { McpProcess, toolCall } from "./mcp/support/mcp-process";
import { Editor, launchBrowser } from "./nodes/support/browser";
import { injectNode, operationNode, tab } from "./nodes/support/flows";
import { NodeRed } from "./nodes/support/node-red";
import { eventually, untilEvent } from "./support/eventually";
import { applicationOf, freeRedirectUri } from "./support/login";
import { tempFolder } from "./support/resources";
import { openSandbox } from "./support/sandboxes";

let browser: Browser;
let folder: string;
let store: Variables;

beforeAll(async () => {
  browser = await launchBrowser();
  folder = await tempFolder();
  store = {
    FXDESK_STORE: join(folder, "store.db"),
    FXDESK_STORE_KEY: randomBytes(32).toString("base64"),
  };
}, 60_000);

const sandboxWith = (redirectUri: string, seed: string): Promise<Sandbox> =>
  openSandbox({ redirectUri, seed, daysBehind: 5 });

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill(demo.email);
  await page.getByLabel("Password").fill(demo.password);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
  await page.getByRole("heading", { name: "Logged in" }).waitFor();
}

/** Returns the accessibility violations of a page. Checks a copy, because the page allows no scripts. */
async function findings(page: Page): Promise<string[]> {
  const copy = await browser.newPage();
  await copy.setContent(await page.content());
  await copy.evaluate(axe.source);
  const { violations } = (await copy.evaluate("axe.run()")) as { violations: readonly { id: string }[] };
  await copy.close();
  return violations.map(({ id }) => id);
}

/** Runs `fxdesk login` with a browser; returns the last page and the output of the command. */
async function logIn(profile: string, variables: Variables) {
  const command = spawn(process.execPath, [program, "login", "--profile", profile], {
    env: environmentOf(variables),
  });
  const said = { out: "", err: "" };
  command.stdout.on("data", (chunk) => (said.out += String(chunk)));
  command.stderr.on("data", (chunk) => (said.err += String(chunk)));
  const ended = untilEvent(command, "close", 60_000);
  const address = await eventually(() => /^http\S+$/m.exec(said.err)?.[0], {
    withinMs: 30_000,
    what: () => `an address to open: ${said.err}`,
  });
  const page = await browser.newPage();
  await page.goto(address);
  await signIn(page);
  const found = await findings(page);
  const [code] = await ended;
  await page.close();
  return { code, found, ...said };
}

test("logs in two profiles from the command line, for commands and the MCP server", async () => {
  const desks = [
    { profile: "first", sandbox: await sandboxWith(await freeRedirectUri(), "one") },
    { profile: "second", sandbox: await sandboxWith(await freeRedirectUri(), "two") },
  ];
  for (const { profile, sandbox } of desks)
    expect(await logIn(profile, { ...applicationOf(sandbox), ...store })).toEqual({
      code: 0,
      found: [],
      out: `Logged in to the profile ${profile}: environment sandbox, client ${demo.clientId}.\n`,
      err: expect.stringContaining("Open this address"),
    });

  for (const { profile, sandbox } of desks) {
    const { code, stdout } = await spawnFxdesk(["whoami", "--profile", profile, "--json"], {
      variables: store,
    });
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({
        profile,
        address: sandbox.baseUrl,
        environment: "sandbox",
        authorised: true,
      }),
    ]);
    const variables = { ...environmentOf(store), FXDESK_PROFILE: profile } as Record<string, string>;
    const before = sandbox.requests.length;
    const server = await new McpProcess([], variables).initialized();
    server.send(toolCall(1, "list_trades", { page_size: 1 }));
    await server.until(() => server.result(1) !== undefined);
    server.process.stdin.end();
    expect(await server.exit).toBe(0);
    expect(sandbox.requests.length).toBeGreaterThan(before);
    expect(sandbox.requests.filter(({ refusal }) => refusal)).toEqual([]);
  }
}, 120_000);

describe("from Node-RED", () => {
  let nodeRed: NodeRed;
  let editor: Editor;
  let sandbox: Sandbox;
  beforeAll(async () => {
    nodeRed = await NodeRed.start();
    sandbox = await sandboxWith(`${nodeRed.url}/fxdesk/connection/return`, "three");
    await nodeRed.deploy([
      tab,
      { id: "connection", type: "fxdesk-connection", name: "Desk" },
      { ...injectNode("start", ["list"]), name: "start", x: 100, y: 90 },
      { ...operationNode(listTrades, "list", [], { results: "one" }), x: 400, y: 90 },
    ]);
    editor = await Editor.open(browser, nodeRed.url);
  }, 90_000);

  const state = () => editor.page.locator("#fxdesk-connection-state");

  test("logs in with an edited form, tests the connection and deploys it", async () => {
    const { page } = editor;
    await editor.edit("list");
    await editor.editConnection();
    const set = (name: string, value: string) => page.fill(`#node-config-input-${name}`, value);
    await page.selectOption("#node-config-input-environment", "sandbox");
    await set("baseUrl", sandbox.baseUrl);
    await set("authClientId", demo.authClientId);
    await set("authClientSecret", demo.authClientSecret);
    await set("apiKey", demo.apiKey);
    await page.locator("summary", { hasText: "Journal and releases" }).click();
    await set("store", join(folder, "node-red.db"));

    const opened = page.waitForEvent("popup");
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    const popup = await opened;
    await popup.waitForURL(/\/authenticate\?/);
    expect(await popup.evaluate("window.opener")).toBeNull();
    await signIn(popup);
    await popup.close();
    await state().getByText(`Logged in for client ${demo.clientId}`).waitFor();
    expect(await page.inputValue("#node-config-input-clientId")).toBe(demo.clientId);

    await page.getByRole("button", { name: "Test", exact: true }).click();
    await state()
      .getByText(`Reached ${sandbox.baseUrl}, environment sandbox, authorised for client ${demo.clientId}.`)
      .waitFor();

    await editor.updateConnection();
    await editor.done();
    await editor.deploy();
    await nodeRed.inject("start");
    expect(await nodeRed.waitForStatus("list", ({ fill }) => fill !== "blue")).toMatchObject({
      fill: "green",
    });
  }, 90_000);

  test("logs in again with a deployed connection", async () => {
    const { page } = editor;
    await editor.edit("list");
    await editor.editConnection();
    expect(await page.inputValue("#node-config-input-login")).toBe("__PWRD__");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await state().getByText("authorised for client").waitFor();
    await page.fill("#node-config-input-baseUrl", "http://127.0.0.1:9");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await state().getByText("Base address differs from the deployed value").waitFor();
    expect(sandbox.requests.filter(({ refusal }) => refusal)).toEqual([]);
  }, 60_000);
});
