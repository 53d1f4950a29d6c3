/** A person imports all examples, one after another, into one Node-RED. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { Sandbox } from "@fxdesk/sandbox";
import { openSandbox } from "../support/sandboxes";
import { exampleConnection } from "../../nodes/shared/node-names";
import { Editor, launchBrowser } from "./support/browser";
import { environmentFor } from "./support/flows";
import { type FlowNode, NodeRed, root } from "./support/node-red";

let sandbox: Sandbox;
let nodeRed: NodeRed;
let browser: Browser;
let editor: Editor;

beforeAll(async () => {
  sandbox = await openSandbox();
  nodeRed = await NodeRed.start({ env: environmentFor(sandbox), settings: { nodesExcludes: [] } });
  browser = await launchBrowser();
  editor = await Editor.open(browser, nodeRed.url);
}, 90_000);

const titles = readdirSync(join(root, "examples")).map((file) => file.replace(/\.json$/, ""));

/** Returns the nodes that the editor marks as invalid, with their invalid properties. */
const invalidNodesScript = `(() => {
  const found = [];
  RED.nodes.eachNode(({ id, valid, validationErrors }) => valid || found.push([id, validationErrors]));
  return found;
})()`;

interface NodeBounds {
  readonly node: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** The nodes of each tab with the room they take, buttons included; a node is measured when its tab is drawn. */
const nodeBoundsScript = `(async () => {
  const tabs = [];
  for (const tab of RED.nodes.getWorkspaceOrder()) {
    RED.workspaces.show(tab);
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    tabs.push(RED.nodes.filterNodes({ z: tab }).map(({ id, x, y, w, h, _def: { button, align } }) => ({
      node: id,
      left: x - w / 2 - (button && align !== "right" ? 25 : 0),
      right: x + w / 2 + (button && align === "right" ? 25 : 0),
      top: y - h / 2,
      bottom: y + h / 2,
    })));
  }
  return tabs;
})()`;

/** Between two nodes, to see that a wire connects them. */
const minGap = 20;

const overlaps = (one: NodeBounds, other: NodeBounds): boolean =>
  one.left < other.right + minGap &&
  other.left < one.right + minGap &&
  one.top < other.bottom &&
  other.top < one.bottom;

test("imports without dialogs, errors or overlapping nodes, and deploys", async () => {
  for (const title of titles) {
    await editor.importExample(title);
    expect([title, await editor.page.locator("#red-ui-notifications button").allTextContents()]).toEqual([
      title,
      [],
    ]);
  }
  expect(await editor.page.evaluate(invalidNodesScript)).toEqual([]);
  await editor.deploy();

  const flows = await nodeRed.json<FlowNode[]>("/flows");
  // The editor begins with an empty one of its own.
  expect(flows.filter(({ type }) => type === "tab")).toHaveLength(titles.length + 1);
  expect(flows.filter(({ type }) => type === "fxdesk-connection").map(({ id }) => id)).toEqual([
    exampleConnection.id,
  ]);
  expect(editor.warnings).toEqual([]);

  const tabs = (await editor.page.evaluate(nodeBoundsScript)) as NodeBounds[][];
  expect(tabs.flat().length).toBeGreaterThan(titles.length);
  const touching = tabs.flatMap((tab) =>
    tab.flatMap((one, index) => {
      const others = tab.slice(index + 1).filter((other) => overlaps(one, other));
      return others.map(({ node }) => `${one.node} and ${node}`);
    }),
  );
  expect(touching).toEqual([]);
}, 300_000);
