/** Flows that treasuries want, built by hand: at most six nodes each, and what they take in clicks and keys. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { demo } from "@fxdesk/sandbox";
import { approve } from "../support/samples";
import { Editor } from "./support/browser";
import type { FlowNode } from "./support/node-red";
import { EditorUser } from "./support/editor-user";
import { ownTabPlacement } from "./support/recipes";
import { ExampleEnvironment } from "./support/example-environment";

let stage: ExampleEnvironment;
let editor: Editor;
let user: EditorUser;

beforeAll(async () => {
  stage = await ExampleEnvironment.start(ownTabPlacement);
  editor = await Editor.open(stage.browser, stage.guardedNodeRed.url);
  editor.page.setDefaultTimeout(10_000);
}, 90_000);

beforeEach(() => {
  user = new EditorUser(editor);
});

const configInput = (name: string) => editor.page.locator(`#node-config-input-${name}`);

/** From the open form of a node, to the sandbox by its address. */
async function makeConnection(): Promise<void> {
  await user.click(editor.page.locator("#node-input-btn-connection-add"));
  await editor.page.waitForSelector("#node-config-dialog-edit-form");
  await user.type(configInput("baseUrl"), stage.sandbox.baseUrl);
  await user.type(configInput("clientId"), demo.clientId);
  await user.type(configInput("accessToken"), demo.accessToken);
  await user.type(configInput("apiKey"), demo.apiKey);
  await user.unfold("Open banking");
  await user.type(configInput("xs2aUrl"), stage.sandbox.xs2aUrl);
  await user.click(editor.page.locator("#node-config-dialog-ok"));
  await editor.page.waitForSelector("#node-config-dialog-ok", { state: "detached" });
}

/** A node that posts what comes, as a chat or another system takes it. */
async function postTo(path: string, column: number, row = 0): Promise<string> {
  const id = await user.drag("http request", column, row);
  await user.open(id);
  await user.select(editor.page.locator("#node-input-method"), "POST");
  await user.type(editor.page.locator("#node-input-url"), `${stage.receivers.url}${path}`);
  await user.done();
  return id;
}

/** A watch that looks each second; `fill` does the rest of its form. */
async function watch(type: string, fill?: () => Promise<void>): Promise<string> {
  const id = await user.drag(type, 0);
  await user.open(id);
  await fill?.();
  await user.fill("Interval (s)", "1");
  await user.done();
  return id;
}

interface EffortCounts {
  readonly nodes: number;
  readonly clicks: number;
  readonly keys: number;
}

/** Expects the flow that was built last to have taken no more than that. */
async function expectEffort(max: EffortCounts): Promise<void> {
  const tab = await editor.page.evaluate("RED.workspaces.active()");
  const flows = await stage.guardedNodeRed.json<FlowNode[]>("/flows");
  const nodes = flows.filter(({ z }) => z === tab).length;
  const taken: EffortCounts = { nodes, clicks: user.clicks, keys: user.keys };
  const exceeded = Object.entries(max).filter(([what, limit]) => taken[what as keyof EffortCounts] > limit);
  expect([exceeded, taken]).toEqual([[], taken]);
  expect(nodes).toBeGreaterThan(1);
}

const postedBody = async (path: string) =>
  (await stage.receivers.waitForPost(path)).body as Record<string, unknown>;

test("reports a low balance", async () => {
  const low = await watch("fxdesk-watch-balances", async () => {
    await makeConnection();
    // Above the demo balance in GBP, which depends on the day.
    await user.fill("Below", "900000");
  });
  await user.wire(low, await postTo("/low", 1));
  await user.deploy();

  expect(await postedBody("/low")).toMatchObject({ type: "InterimAvailable", currency: expect.any(String) });
  await expectEffort({ nodes: 2, clicks: 23, keys: 141 });
}, 60_000);

test("a file of open invoices is reconciled", async () => {
  const path = join(stage.folder, "invoices.csv");
  await writeFile(path, "reference,amount,currency\nINV-2042,980.50,EUR\n");
  await user.addFlow();
  const start = await user.drag("inject", 0);
  const file = await user.drag("file in", 1);
  await user.open(file);
  await user.type(editor.page.locator(".form-row:has(#node-input-filename) .red-ui-typedInput-input"), path);
  await user.done();
  const reconcile = await user.drag("fxdesk-reconcile-transactions", 2);
  await user.open(reconcile);
  await user.select(user.row("Specify by").locator("select"), "Expected items as CSV");
  await user.useMessageProperty("Expected items as CSV", "payload");
  await user.done();
  await user.wire(start, file, reconcile, await postTo("/reconciled", 3));
  await user.deploy();
  await user.press(start);

  expect(await postedBody("/reconciled")).toMatchObject({
    complete: true,
    open_items: [expect.objectContaining({ reference: "INV-2042" })],
  });
  await expectEffort({ nodes: 4, clicks: 28, keys: 100 });
}, 60_000);

test("a person is asked for consent, and their accounts are read", async () => {
  await user.addFlow();
  const start = await user.drag("inject", 0);
  const ask = await user.drag("fxdesk-connect-bank-accounts", 1);
  await user.open(ask);
  await user.unfold("Optional fields");
  await user.fill("Wait seconds", "0");
  await user.done();
  const link = await postTo("/link", 1, 1);
  const wait = await user.drag("fxdesk-connect-bank-accounts", 2);
  await user.open(wait);
  await user.unfold("Optional fields");
  await user.useMessageProperty("Consent ID", "payload.consent_id");
  await user.done();
  const read = await user.drag("fxdesk-list-open-banking-accounts", 2, 1);
  await user.open(read);
  await user.useMessageProperty("Consent ID", "payload.consent_id");
  await user.done();
  const told = await postTo("/accounts", 3, 1);
  await user.wire(start, ask, wait, read, told);
  await user.wire(ask, link);
  await user.deploy();
  await user.press(start);

  const asked = await postedBody("/link");
  await approve(stage.client, { href: String(asked.link) });
  expect(await postedBody("/accounts")).toMatchObject({
    accounts: expect.arrayContaining([expect.anything()]),
  });
  await expectEffort({ nodes: 6, clicks: 44, keys: 120 });
}, 60_000);
