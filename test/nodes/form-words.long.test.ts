/** The words of a form, which the editor asks for with the first one that is opened, or with the first message that needs them. */
import type { Browser, Page, Route } from "playwright-core";
import { eventually } from "../support/eventually";
import { Editor, launchBrowser } from "./support/browser";
import { tab } from "./support/flows";
import { type FlowNode, NodeRed } from "./support/node-red";

let nodeRed: NodeRed;
let browser: Browser;

const initialFields = { trade_type: { type: "str", value: "spot" } };
const flow: readonly FlowNode[] = [
  tab,
  { id: "connection", type: "fxdesk-connection", name: "Nowhere", baseUrl: "http://127.0.0.1:1" },
  {
    id: "list",
    type: "fxdesk-list-trades",
    z: tab.id,
    x: 300,
    y: 100,
    connection: "connection",
    fields: initialFields,
    wires: [[]],
  },
  {
    id: "call",
    type: "fxdesk-call-operation",
    z: tab.id,
    x: 300,
    y: 200,
    connection: "connection",
    wires: [[]],
  },
];

beforeAll(async () => {
  nodeRed = await NodeRed.start();
  browser = await launchBrowser();
  await nodeRed.deploy(flow);
}, 90_000);

const path = "**/fxdesk/words?*";

/** An editor in which the words do not come until they are let through, again and again. */
async function waitingEditor(language: string) {
  const asked: Route[] = [];
  const prepare = (page: Page) => page.route(path, (route) => void asked.push(route));
  const editor = await Editor.open(browser, nodeRed.url, { language, prepare });
  const next = () => eventually(() => asked.shift(), { withinMs: 10_000, what: "a request for the words" });
  return { editor, page: editor.page, asked, next };
}

const tradeType = '.form-row:has([id="node-input-fxdesk-trade_type"]) label';
const nodeValues = (page: Page) =>
  page.evaluate(`({ ...RED.nodes.node("list").fields, name: RED.nodes.node("list").name })`);

test.each([
  [
    "en-US",
    "Loading the labels of the fields",
    ["Name", "Connection"],
    ["Optional fields", "Trade types", "Client ID"],
  ],
  [
    "de-DE",
    "Feldbezeichnungen werden geladen",
    ["Name", "Verbindung"],
    ["Weitere Felder", "Geschäftsarten", "Client-ID"],
  ],
])("in %s the first form waits for them, the next one does not", async (language, waits, frame, said) => {
  const [optional, types, client] = said;
  const { editor, page, asked, next } = await waitingEditor(language);
  await page.locator("#list").dblclick();
  const form = page.locator("#dialog-form");
  await form.getByText(waits).waitFor();
  expect((await form.locator("label").allInnerTexts()).map((text) => text.trim())).toEqual(frame);
  expect(await page.locator(tradeType).count()).toBe(0);

  await (await next()).continue();
  await page.locator(tradeType).waitFor();
  expect((await page.locator(tradeType).innerText()).trim()).toBe(types);
  expect(await form.getByText(optional!).count()).toBe(1);
  expect(await form.getByText(waits).count()).toBe(0);
  await editor.close("cancel");

  await editor.open("connection");
  const setting = page.locator('label[for="node-config-input-clientId"]');
  expect((await setting.innerText()).trim()).toBe(client);
  expect(asked).toEqual([]);
  expect(editor.warnings).toEqual([]);
});

test("saving before they are loaded loses nothing", async () => {
  const { editor, page, next } = await waitingEditor("en-US");
  await page.locator("#list").dblclick();
  await page.locator("#dialog-form").getByText("Loading the labels").waitFor();
  await page.locator("#node-input-name").fill("Named");
  await editor.close("save");
  await (await next()).continue();

  expect(await nodeValues(page)).toEqual({ ...initialFields, name: "Named" });
  await editor.edit("list");
  expect(await page.locator(tradeType).count()).toBe(1);
  expect(await page.locator("#node-input-fxdesk-trade_type").inputValue()).toBe("spot");
  expect(editor.warnings).toEqual([]);
});

test("a form without them shows field names and retries", async () => {
  const { editor, page, next } = await waitingEditor("en-US");
  const away = next().then((route) => route.abort());
  await editor.edit("list");
  await away;
  const form = page.locator("#dialog-form");
  expect(await form.getByRole("status").innerText()).toContain("could not be loaded from Node-RED");
  expect((await page.locator(tradeType).innerText()).trim()).toBe("trade_type");
  await editor.fill("trade_type", "ndf");
  await editor.close("save");
  expect(await nodeValues(page)).toMatchObject({ trade_type: { type: "str", value: "ndf" } });

  const there = next().then((route) => route.continue());
  await editor.edit("list");
  await there;
  expect((await page.locator(tradeType).innerText()).trim()).toBe("Trade types");
  expect(await form.getByRole("status").count()).toBe(0);
});

test("the connection form reports it, too, and works", async () => {
  const { editor, page, next } = await waitingEditor("en-US");
  const away = next().then((route) => route.abort());
  await editor.open("connection");
  await away;
  expect(await page.locator("#fxdesk-connection-state").innerText()).toContain("could not be loaded");
  expect((await page.locator('label[for="node-config-input-clientId"]').innerText()).trim()).toBe("clientId");
  await page.locator("#node-config-input-clientId").fill("c-1");
  await editor.close("save");
  expect(await page.evaluate(`RED.nodes.node("connection").clientId`)).toBe("c-1");
});

test("a form that had to wait marks errors like any other", async () => {
  const editor = await Editor.open(browser, nodeRed.url);
  const marks = async () => {
    await editor.edit("call");
    const name = editor.page.locator("#node-input-operation");
    const isMarked = await name.evaluate(({ className }) => className.includes("input-error"));
    await editor.close("cancel");
    return isMarked;
  };

  expect([await marks(), await marks()]).toEqual([true, true]);
});

test("validation messages use them before any form was opened", async () => {
  const editor = await Editor.open(browser, nodeRed.url);
  const id = await editor.drag("fxdesk-book-trade", 500, 300);
  const problems = () =>
    editor.page.evaluate<string[]>(`RED.nodes.node(${JSON.stringify(id)}).validationErrors`);
  const said = async () => (await problems()).includes("Quote ID is required");

  await eventually(said, { withinMs: 10_000, what: "the words of a message" });
});
