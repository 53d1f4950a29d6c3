/** A person in the editor: drags a node of each section, fills its form, deploys, and sees it run. */
import type { Browser } from "playwright-core";
import { callerFields, operations, type Declaration } from "@fxdesk/toolkit/operations";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { nodeTypeOf } from "../../nodes/names";
import { sampleInput, sandboxClient } from "../support/samples";
import { Editor, launchBrowser } from "./support/browser";
import { connectionTo, injectOf, tab } from "./support/flows";
import { type FlowNode, NodeRed } from "./support/node-red";

const sectionOf = ({ name }: Declaration) => name.split(".")[0]!;

/** Of each section, the first operation that has a form to fill. */
const chosen = [...new Set(operations.map(sectionOf))].map((section) => {
  const own = operations.filter((operation: Declaration) => sectionOf(operation) === section);
  return [section, own.find((operation: Declaration) => callerFields(operation).length > 0)!] as const;
});

let sandbox: Sandbox;
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

/** All that is on the canvas before anybody touches it. */
const given = (): FlowNode[] => [
  tab,
  connectionTo(sandbox),
  ...chosen.map(([section]) => startOf(section)),
  listOf("filled", 700, 90, fields),
  { ...injectOf("start", ["list"]), x: 700, y: 190 },
  listOf("list", 700, 240, {}),
];

beforeAll(async () => {
  sandbox = await startSandbox();
  nodeRed = await NodeRed.start();
  browser = await launchBrowser();
  await nodeRed.deploy(given());
  editor = await Editor.open(browser, nodeRed.url);
}, 90_000);

afterAll(async () => {
  await browser.close();
  await nodeRed.close();
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

/** The last one: the editor asks before it deploys such a node. */
test("a node whose required fields are empty is marked", async () => {
  const id = await editor.drag("fxdesk-book-trade", 700, 340);

  await editor.sees(id, "invalid");
});

test("the editor's console had nothing to say", () => {
  expect(editor.warnings).toEqual([]);
});
