/** A person in the editor: drags a node of each section, fills its form, deploys, and sees it run. */
import type { Browser } from "playwright-core";
import { callerFields, operations, type Declaration } from "@fxdesk/toolkit/operations";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { callType, nodeTypeOf } from "../../nodes/names";
import { sampleInput, sandboxClient } from "../support/samples";
import { Editor, launchBrowser } from "./support/browser";
import { connectionTo, injectOf, tab } from "./support/flows";
import { type ExtensionModule, extensionModule } from "./support/extension";
import { type FlowNode, NodeRed } from "./support/node-red";

const sectionOf = ({ name }: Declaration) => name.split(".")[0]!;

/** Of each section, the first operation that has a form to fill. */
const chosen = [...new Set(operations.map(sectionOf))].map((section) => {
  const own = operations.filter((operation: Declaration) => sectionOf(operation) === section);
  return [section, own.find((operation: Declaration) => callerFields(operation).length > 0)!] as const;
});

let sandbox: Sandbox;
let extension: ExtensionModule;
let nodeRed: NodeRed;
let browser: Browser;
let editor: Editor;

/** Where a section has its row on the canvas. */
const rowOf = (section: string) => 40 + 50 * chosen.findIndex(([each]) => each === section);
const startOf = (section: string) => ({
  ...injectOf(`start-${section}`, []),
  name: "start",
  x: 100,
  y: rowOf(section),
});

const fields = {
  trade_type: { type: "str", value: "spot,ndf" },
  page: { type: "msg", value: "payload.page" },
};

const listOf = (id: string, x: number, y: number, given: object): FlowNode => ({
  id,
  type: "fxdesk-list-trades",
  z: tab.id,
  x,
  y,
  connection: "connection",
  fields: given,
  wires: [[]],
});

const terms = { amount: 1000, operation: "sell", buy_currency: "USD", sell_currency: "EUR" };

/** All that is on the canvas before anybody touches it. */
const given = (): FlowNode[] => [
  tab,
  connectionTo(sandbox),
  ...chosen.map(([section]) => startOf(section)),
  listOf("filled", 700, 90, fields),
  { ...injectOf("quote", [], terms), name: "start", x: 700, y: 440 },
  { ...injectOf("start", ["list"]), x: 700, y: 190 },
  listOf("list", 700, 240, {}),
];

beforeAll(async () => {
  sandbox = await startSandbox();
  extension = await extensionModule();
  nodeRed = await NodeRed.start({ env: extension.env });
  browser = await launchBrowser();
  await nodeRed.deploy(given());
  editor = await Editor.open(browser, nodeRed.url);
}, 90_000);

afterAll(async () => {
  await browser.close();
  await nodeRed.close();
  await extension.remove();
  await sandbox.close();
});

const flows = () => nodeRed.json<FlowNode[]>("/flows");

/** What is typed for a value. */
const text = (value: unknown): string =>
  Array.isArray(value) && typeof value[0] !== "object"
    ? value.join(",")
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value);

test.each(chosen)(
  "%s",
  async (section, operation: Declaration) => {
    const input = await sampleInput(operation.name, sandboxClient(sandbox));
    const id = await editor.drag(nodeTypeOf(operation), 400, rowOf(section));

    await editor.edit(id);
    expect(await editor.labels()).toEqual(
      expect.arrayContaining(callerFields(operation).map(({ title }) => title)),
    );
    for (const [field, value] of Object.entries(input)) await editor.fill(field, text(value));
    await editor.done();
    await editor.sees(id, "valid");
    await editor.wire(`start-${section}`, id);
    await editor.deploy();

    const own = (await flows()).find((node) => node.id === id);
    expect(own).toMatchObject({ type: nodeTypeOf(operation), connection: "connection", version: 1 });
    expect(Object.keys(own!.fields as object)).toEqual(expect.arrayContaining(Object.keys(input)));
    await nodeRed.inject(`start-${section}`);
    expect(await nodeRed.status(id, ({ fill }) => fill !== "blue")).toMatchObject({ fill: "green" });
    await editor.seesStatus(id);
  },
  60_000,
);

test("the labels of the palette break between words", async () => {
  const labels = await editor.page
    .locator(".red-ui-palette-node[data-palette-type^=fxdesk] .red-ui-palette-label")
    .evaluateAll((all) =>
      all.map((label) => [
        label.parentElement!.dataset.paletteLabel!,
        label.innerHTML.split("<br>").flatMap((line) => line.split(/[ -]+/).filter(Boolean)),
      ]),
    );

  expect(labels.length).toBeGreaterThan(operations.length);
  expect(labels.map(([, shown]) => shown)).toEqual(labels.map(([label]) => String(label).split(/[ -]+/)));
});

test("a form shows again what was filled", async () => {
  await editor.edit("filled");
  expect(await editor.page.locator(".fxdesk-form").innerText()).toContain("spot, ndf");
  await editor.page.fill("#node-input-name", "Spot and NDF");
  await editor.done();
  await editor.deploy();

  const saved = (await flows()).find(({ id }) => id === "filled");
  expect(saved).toMatchObject({ name: "Spot and NDF", fields, pages: "all" });
});

test("the connection keeps its secrets when it is edited", async () => {
  await editor.edit("list");
  await editor.editConnection();
  await editor.page.fill("#node-config-input-name", "Renamed");
  expect(await editor.page.inputValue("#node-config-input-accessToken")).toBe("__PWRD__");
  await editor.updateConnection();
  await editor.done();
  await editor.deploy();
  await nodeRed.inject("start");

  expect(await nodeRed.status("list", ({ fill }) => fill !== "blue")).toMatchObject({ fill: "green" });
  expect((await flows()).find(({ id }) => id === "connection")).toMatchObject({
    name: "Renamed",
    environment: "api",
  });
});

test("an operation is found, chosen and called", async () => {
  const id = await editor.drag(callType, 700, 500);
  await editor.edit(id);
  const { page } = editor;
  const operation = page.getByRole("combobox", { name: "Operation" });
  const options = page.locator(".fxdesk-list").getByRole("option");
  const about = page.locator(".fxdesk-about");

  await operation.pressSequentially("trade list");
  await options.filter({ hasText: "trades.list" }).waitFor();
  await operation.press("Escape");
  await options.first().waitFor({ state: "detached" });
  expect(await operation.inputValue()).toBe("trade list");
  await operation.fill("quote");
  await operation.press("ArrowDown");
  expect(await operation.getAttribute("aria-activedescendant")).toBeTruthy();
  await operation.fill("create quote");
  await options.first().waitFor();
  await operation.press("ArrowDown");
  await operation.press("Enter");
  expect(await operation.inputValue()).toBe("quotes.create");
  expect(await about.innerText()).toContain("amount*");
  await editor.done();
  await editor.sees(id, "valid");
  await editor.wire("quote", id);
  await editor.deploy();
  await nodeRed.inject("quote");

  expect(await nodeRed.status(id, ({ fill }) => fill !== "blue")).toMatchObject({ fill: "green" });
  expect((await flows()).find((node) => node.id === id)).toMatchObject({
    operation: "quotes.create",
    input: { type: "msg", value: "payload" },
    pages: "all",
    version: 1,
  });
});

test("a name may be written that is in no list", async () => {
  const node = (await flows()).find(({ type }) => type === callType);
  await editor.edit(node!.id);
  const operation = editor.page.getByRole("combobox", { name: "Operation" });
  await operation.fill("orders.place");
  await operation.press("Tab");
  await editor.done();
  await editor.deploy();

  expect((await flows()).find(({ id }) => id === node!.id)).toMatchObject({ operation: "orders.place" });
});

/** The last one: the editor asks before it deploys such a node. */
test("a node whose required fields are empty is marked", async () => {
  const id = await editor.drag("fxdesk-book-trade", 700, 340);

  await editor.sees(id, "invalid");
});

test("the editor's console had nothing to say", () => {
  expect(editor.warnings).toEqual([]);
});
