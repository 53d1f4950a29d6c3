/** A person in the editor: drags nodes, fills their forms, deploys, and sees them run. */
import type { Browser, Locator, Route } from "playwright-core";
import { callerFields, operations } from "@fxdesk/toolkit/operations";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { openSandbox } from "../support/sandboxes";
import { listTrades } from "../../core/contract/trades";
import { callType, watchType } from "../../nodes/shared/node-names";
import { Editor, launchBrowser } from "./support/browser";
import { connectionConfig, injectNode, tab, environmentFor } from "./support/flows";
import { writeExtension } from "./support/extension";
import { filterPalette, searchPhrases } from "./support/palette-search";
import { type FlowNode, NodeRed } from "./support/node-red";

let sandbox: Sandbox;
let nodeRed: NodeRed;
let browser: Browser;
let editor: Editor;

const fields = {
  trade_type: { type: "str", value: "spot,ndf" },
  page: { type: "msg", value: "payload.page" },
};

const listNode = (id: string, x: number, y: number, given: object): FlowNode => ({
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
const initialFlow = (): FlowNode[] => [
  tab,
  connectionConfig(sandbox),
  listNode("filled", 700, 90, fields),
  { ...injectNode("quote", [], terms), name: "start", x: 700, y: 440 },
  { ...injectNode("start", ["list"]), x: 700, y: 190 },
  listNode("list", 700, 240, {}),
];

beforeAll(async () => {
  sandbox = await openSandbox();
  nodeRed = await NodeRed.start({ env: { ...(await writeExtension()), ...environmentFor(sandbox) } });
  browser = await launchBrowser();
  await nodeRed.deploy(initialFlow());
  editor = await Editor.open(browser, nodeRed.url);
}, 90_000);

const flows = () => nodeRed.json<FlowNode[]>("/flows");

/** The type of a node, as far as a test looks into it. */
interface NodeType {
  paletteLabel(): string;
}

/** The editor's page. */
interface PaletteOwner {
  readonly RED: { readonly nodes: { getType(type: string): NodeType } };
}

/** Returns the label of each type in the palette, and the lines in which it is shown. */
const labelsIn = ({ page }: Editor) =>
  page.locator(".red-ui-palette-node[data-palette-type^=fxdesk] .red-ui-palette-label").evaluateAll((all) =>
    all.map((label) => {
      const { RED } = globalThis as unknown as PaletteOwner;
      const said = RED.nodes.getType(label.parentElement!.dataset.paletteType!).paletteLabel();
      return [said, label.innerHTML.split("<br>").map((line) => line.trim().replaceAll(/ +/g, " "))] as const;
    }),
  );

/** Each of its words in one piece, in at most two lines. */
function expectReadable(labels: Awaited<ReturnType<typeof labelsIn>>): void {
  expect(labels.length).toBeGreaterThan(operations.length);
  expect(labels.map(([, lines]) => lines.flatMap((line) => line.split(" ")))).toEqual(
    labels.map(([label]) => label.split(" ")),
  );
  expect(labels.filter(([, lines]) => lines.length > 2)).toEqual([]);
}

describe("in German", () => {
  let own: Editor;
  beforeAll(async () => {
    own = await Editor.open(browser, nodeRed.url, { language: "de-DE" });
  });
  test("the palette shows summaries and breaks between words", async () => {
    const labels = await labelsIn(own);
    expectReadable(labels);
    const said = labels.map(([label]) => label);
    expect(said).toEqual(expect.arrayContaining(["Geschäfte auflisten", "Sammler auslösen"]));
    expect(said.filter((label) => /^(Get|List|Watch|Create|Start) /.test(label))).toEqual([]);
  });

  test.each([
    ["Termingeschäfte", "fxdesk-list-forwards"],
    ["list forwards", "fxdesk-list-forwards"],
  ])("a search for %s finds %s", async (searched, type) => {
    const found = await own.searchPalette(searched);
    await own.searchPalette("");
    expect(found).toContain(type);
    expect(found.filter((each) => each.startsWith("fxdesk-")).length).toBeLessThan(operations.length / 2);
  });

  test("the list of operations shows node titles and is also searchable in English", async () => {
    const id = await own.drag(callType, 500, 560);
    await own.edit(id);
    const operation = own.page.getByRole("combobox", { name: "Operation" });
    const option = own.page.locator(".fxdesk-list").getByRole("option").filter({ hasText: "forwards.list" });
    await operation.fill("list forwards");
    await option.getByText("Termingeschäfte auflisten").waitFor();
    await own.close("cancel");
  });

  test("form labels, tooltips and node labels are translated", async () => {
    const { page } = own;
    expect(await page.locator('[id="filled"]').textContent()).toContain("Geschäfte auflisten · spot,ndf");
    await own.edit("filled");
    const label = page.locator(".fxdesk-form label").filter({ hasText: "Geschäftsarten" });
    expect(await label.count()).toBe(1);
    await label.hover();
    await page.locator(".red-ui-popover").getByText("Nur Geschäfte dieser Arten.").waitFor();
    await own.close("cancel");
    expect(own.warnings).toEqual([]);
  });
});

test("each label in the palette has at most two lines", async () => expectReadable(await labelsIn(editor)));

test("a search shows what its words name, the expected node among the first three", async () => {
  const entries = await editor.page.locator("[data-palette-type]").evaluateAll((all) =>
    all.map((node) => ({
      type: node.dataset.paletteType!,
      text: node.dataset.paletteLabel!,
    })),
  );
  const missed = searchPhrases.filter(
    ([phrase, expected]) => !filterPalette(entries, phrase).slice(0, 3).includes(expected),
  );
  expect(missed).toEqual([]);
  // The editor filters as the test does.
  for (const phrase of ["send money", "Kontostand"]) {
    expect(await editor.searchPalette(phrase)).toEqual(filterPalette(entries, phrase));
    await editor.searchPalette("");
  }
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

  expect(await nodeRed.waitForStatus("list", ({ fill }) => fill !== "blue")).toMatchObject({ fill: "green" });
  expect((await flows()).find(({ id }) => id === "connection")).toMatchObject({
    name: "Renamed",
    environment: "sandbox",
  });
});

test("finds, chooses and calls an operation", async () => {
  const id = await editor.drag(callType, 700, 500);
  await editor.edit(id);
  const { page } = editor;
  const operation = page.getByRole("combobox", { name: "Operation" });
  const options = page.locator(".fxdesk-list").getByRole("option");
  const about = page.locator(".fxdesk-description");

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
  await editor.waitForValidity(id, "valid");
  await editor.wire("quote", id);
  await editor.deploy();
  await nodeRed.inject("quote");

  expect(await nodeRed.waitForStatus(id, ({ fill }) => fill !== "blue")).toMatchObject({ fill: "green" });
  expect((await flows()).find((node) => node.id === id)).toMatchObject({
    operation: "quotes.create",
    input: { type: "msg", value: "payload" },
    results: "all",
    version: 1,
  });
});

test("finds any watch by name", async () => {
  const id = await editor.drag(watchType, 700, 620);
  await editor.edit(id);
  const watch = editor.page.getByRole("combobox", { name: "Watch" });
  await watch.fill("trades.watch");
  await editor.page.locator(".fxdesk-list").getByRole("option").first().waitFor();
  await watch.press("Tab");
  await editor.done();
  await editor.deploy();

  expect(await nodeRed.waitForStatus(id, ({ fill }) => fill === "green")).toMatchObject({ text: "watching" });
  expect((await flows()).find((node) => node.id === id)).toMatchObject({
    operation: "trades.watch",
    input: { type: "json", value: "{}" },
  });
});

test("a watch starts after its form is filled and a connection is added from it", async () => {
  const id = await editor.drag("fxdesk-watch-balances", 700, 560);
  await editor.edit(id);
  await editor.addConnection();
  const { baseUrl } = sandbox;
  const { clientId, accessToken, apiKey } = demo;
  for (const [name, value] of Object.entries({ baseUrl, clientId, accessToken, apiKey }))
    await editor.page.fill(`#node-config-input-${name}`, value);
  await editor.updateConnection();
  expect(await editor.labels()).toEqual(expect.arrayContaining(["Above", "Start at", "Interval (s)"]));
  await editor.fill("currencies", "EUR");
  await editor.fill("above", "0");
  await editor.page.fill("#node-input-every", "30");
  await editor.done();
  await editor.deploy();

  expect(await nodeRed.waitForStatus(id, ({ text }) => text === "1 new")).toMatchObject({ fill: "green" });
  expect((await flows()).find((node) => node.id === id)).toMatchObject({
    fields: { currencies: { type: "str", value: "EUR" }, above: { type: "str", value: "0" } },
    every: "30",
    from: "",
    version: 1,
  });
});

describe("help", () => {
  /** The part of the help that has been read. */
  const readIn = (help: Locator) => help.and(help.page().locator("[aria-busy=false]"));

  test("has the fields and the outputs of a selected node, in the language of the editor", async () => {
    const own = await Editor.open(browser, nodeRed.url, { language: "de" });
    const { page } = own;
    const asked = new Promise<Route>((resolve) => void page.route("**/fxdesk/help/**", resolve));

    const help = await own.help("list");
    expect(await page.locator(".red-ui-help").last().innerText()).toContain("Listet die Devisengeschäfte");
    expect(await help.getAttribute("aria-busy")).toBe("true");
    expect(await help.getByRole("status").innerText()).toContain("Hilfe wird geladen");
    await (await asked).continue();
    await readIn(help).waitFor();

    expect(await help.locator("h3").allInnerTexts()).toEqual([
      "Felder",
      "Ausgaben",
      "Beispiel",
      "Details",
      "Fehler",
      "Referenzen",
    ]);
    const text = await help.innerText();
    for (const { name } of callerFields(listTrades)) expect(text).toContain(name);
    for (const output of ["payload", "statusCode", "buy_currency"]) expect(text).toContain(output);
    expect(await help.getByRole("status").count()).toBe(0);
    expect(own.warnings).toEqual([]);
    await page.close();
  });

  test("folds, and is reused in the dialog of a node", async () => {
    await readIn(await editor.help("list")).waitFor();
    await editor.edit("list");
    await editor.page.locator(".red-ui-tray-footer .fa-book").click();
    const help = editor.page.locator(".red-ui-help fxdesk-help");
    await readIn(help).waitFor();
    const outputs = help.getByRole("link", { name: "Outputs" });
    const payload = help.getByText("statusCode").first();

    expect(await payload.isVisible()).toBe(true);
    await outputs.click();
    expect(await payload.isVisible()).toBe(false);
    expect(await outputs.getAttribute("aria-expanded")).toBe("false");
    await outputs.click();
    expect(await payload.isVisible()).toBe(true);
    await editor.close("cancel");
  });

  test("reports a failed request and retries it", async () => {
    const own = await Editor.open(browser, nodeRed.url);
    const isAway = (route: Route) => route.abort();
    await own.page.route("**/fxdesk/help/**", isAway);
    const help = await own.help("list");
    await readIn(help).waitFor();
    expect(await help.getByRole("status").innerText()).toContain("could not be loaded from Node-RED");

    await own.page.unroute("**/fxdesk/help/**", isAway);
    await own.help("filled");
    await help.getByRole("link", { name: "Outputs" }).waitFor();
    await own.page.close();
  });
});

/** The last one: the editor asks before it deploys such a node. */
test("a node whose required fields are empty is marked", async () => {
  const id = await editor.drag("fxdesk-book-trade", 700, 340);

  await editor.waitForValidity(id, "invalid");
});

test("the editor logs no warnings", () => {
  expect(editor.warnings).toEqual([]);
});
