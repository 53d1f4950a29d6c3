/** A person imports all examples, one after another, into one Node-RED. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { exampleConnection } from "../../nodes/names";
import { Editor, launchBrowser } from "./support/browser";
import { variablesTo } from "./support/flows";
import { type FlowNode, NodeRed, root } from "./support/node-red";

let sandbox: Sandbox;
let nodeRed: NodeRed;
let browser: Browser;
let editor: Editor;

beforeAll(async () => {
  sandbox = await startSandbox();
  nodeRed = await NodeRed.start({ env: variablesTo(sandbox), settings: { nodesExcludes: [] } });
  browser = await launchBrowser();
  editor = await Editor.open(browser, nodeRed.url);
}, 90_000);

afterAll(async () => {
  await browser.close();
  await nodeRed.close();
  await sandbox.close();
});

const titles = readdirSync(join(root, "examples")).map((file) => file.replace(/\.json$/, ""));

/** What the editor marks with a triangle: nodes and the properties that are not valid. */
const marked = `(() => {
  const found = [];
  RED.nodes.eachNode(({ id, valid, validationErrors }) => valid || found.push([id, validationErrors]));
  return found;
})()`;

test("nobody is asked, nothing is marked, and all can be deployed", async () => {
  for (const title of titles) {
    await editor.importExample(title);
    expect([title, await editor.page.locator("#red-ui-notifications button").allTextContents()]).toEqual([
      title,
      [],
    ]);
  }
  expect(await editor.page.evaluate(marked)).toEqual([]);
  await editor.deploy();

  const flows = await nodeRed.json<FlowNode[]>("/flows");
  // The editor begins with an empty one of its own.
  expect(flows.filter(({ type }) => type === "tab")).toHaveLength(titles.length + 1);
  expect(flows.filter(({ type }) => type === "fxdesk-connection").map(({ id }) => id)).toEqual([
    exampleConnection.id,
  ]);
  expect(editor.warnings).toEqual([]);
}, 300_000);
