/** A person in the editor: a node of each section does what its form says. */
import type { Browser } from "playwright-core";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { Editor, launchBrowser } from "./support/browser";
import { connectionConfig, tab } from "./support/flows";
import { NodeRed } from "./support/node-red";
import { expectSectionToRun, sections, startNodeOf } from "./support/sections";

let sandbox: Sandbox;
let nodeRed: NodeRed;
let browser: Browser;
let editor: Editor;

beforeAll(async () => {
  sandbox = await startSandbox();
  nodeRed = await NodeRed.start();
  browser = await launchBrowser();
  await nodeRed.deploy([tab, connectionConfig(sandbox), ...sections.map(startNodeOf)]);
  editor = await Editor.open(browser, nodeRed.url);
}, 90_000);

afterAll(async () => {
  await browser.close();
  await nodeRed.close();
  await sandbox.close();
});

test.each(sections)("%s", (...section) => expectSectionToRun(section, { editor, nodeRed, sandbox }), 60_000);

test("the editor logs no warnings", () => {
  expect(editor.warnings).toEqual([]);
});
