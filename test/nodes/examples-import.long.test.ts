/** A person imports all examples, one after another, into one Node-RED. */
import type { Browser, Locator } from "playwright-core";
import type { Sandbox } from "@fxdesk/sandbox";
import { groupSlugOf, slugOf } from "../../nodes/generate/document-files";
import { openSandbox } from "../support/sandboxes";
import { exampleConnection } from "../../nodes/shared/node-names";
import { takeSmallPicture } from "../support/picture";
import { Editor, launchBrowser } from "./support/browser";
import { environmentFor } from "./support/flows";
import { type FlowNode, NodeRed } from "./support/node-red";
import { exampleFiles, examples, nodesBehind } from "./support/recipes";

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

/** Of a flow in a window of 1920 pixels, beside the palette. */
const maxWidth = 1_740;

const overlaps = (one: NodeBounds, other: NodeBounds): boolean =>
  one.left < other.right + minGap &&
  other.left < one.right + minGap &&
  one.top < other.bottom &&
  other.top < one.bottom;

test("imports without dialogs, errors, overlapping nodes or wires that go back, and deploys", async () => {
  for (const file of exampleFiles) {
    const [folder, title] = file.replace(/\.json$/, "").split("/");
    await editor.importExample(folder!, title!);
    expect([title, await editor.page.locator("#red-ui-notifications button").allTextContents()]).toEqual([
      title,
      [],
    ]);
  }
  expect(await editor.page.evaluate(invalidNodesScript)).toEqual([]);
  await editor.deploy();

  const flows = await nodeRed.json<FlowNode[]>("/flows");
  // The editor begins with an empty one of its own.
  expect(flows.filter(({ type }) => type === "tab")).toHaveLength(exampleFiles.length + 1);
  expect(flows.filter(({ type }) => type === "fxdesk-connection").map(({ id }) => id)).toEqual([
    exampleConnection.id,
  ]);
  expect(editor.warnings).toEqual([]);

  const tabs = (await editor.page.evaluate(nodeBoundsScript)) as NodeBounds[][];
  expect(tabs.flat().length).toBeGreaterThan(exampleFiles.length);
  const touching = tabs.flatMap((tab) =>
    tab.flatMap((one, index) => {
      const others = tab.slice(index + 1).filter((other) => overlaps(one, other));
      return others.map(({ node }) => `${one.node} and ${node}`);
    }),
  );
  expect(touching).toEqual([]);

  const bounds = new Map(tabs.flat().map((each) => [each.node, each]));
  const isBackwards = (from: FlowNode, to: FlowNode) => bounds.get(from.id)!.right >= bounds.get(to.id)!.left;
  const backwards = flows.flatMap((from) =>
    ((from.wires ?? []) as string[][])
      .flat()
      .map((id) => flows.find((each) => each.id === id)!)
      // The wire of a loop has to go back.
      .filter((to) => isBackwards(from, to) && !nodesBehind(to, flows).has(from))
      .map((to) => `${from.id} to ${to.id}`),
  );
  expect(backwards).toEqual([]);
  expect(tabs.flat().filter(({ right }) => right > maxWidth)).toEqual([]);
}, 300_000);

/** White paper without marks, also left of the canvas. */
const canvasStyle = `
.red-ui-workspace-chart-grid, .red-ui-flow-node-changed, .red-ui-flow-node-status-group, #red-ui-notifications { display: none !important; }
.red-ui-workspace-chart-background { fill: #fff; }
#red-ui-workspace-chart { background: #fff; }
#red-ui-workspace-chart > svg { margin: 150px; overflow: visible; }`;

const paletteStyle = `
#red-ui-palette { width: 640px; z-index: 100; }
.red-ui-palette-content { columns: 3; }
.red-ui-palette-node { break-inside: avoid; }`;

const showTabScript = (title: string) => `(async () => {
  RED.workspaces.show(RED.nodes.getWorkspaceOrder().find((id) => RED.nodes.workspace(id).label === ${JSON.stringify(title)}));
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
})()`;

/** Returns the part of the page that holds elements, with a margin. */
async function areaOf(elements: readonly Locator[]) {
  const boxes = await Promise.all(elements.map(async (each) => (await each.boundingBox())!));
  const [x, y] = [Math.min(...boxes.map((box) => box.x)) - 10, Math.min(...boxes.map((box) => box.y)) - 10];
  const width = Math.max(...boxes.map((box) => box.x + box.width)) + 10 - x;
  const height = Math.max(...boxes.map((box) => box.y + box.height)) + 10 - y;
  return { x, y, width, height };
}

test("pictures show each flow, and each group of the palette", async () => {
  const { page } = editor;
  await page.setViewportSize({ width: 2400, height: 1800 });
  await page.addStyleTag({ content: canvasStyle });
  for (const [title] of examples) {
    await page.evaluate(showTabScript(title));
    const nodes = await page.locator("#red-ui-workspace-chart .red-ui-flow-node-group").all();
    expect([title, nodes.length > 1]).toEqual([title, true]);
    const wires = await page.locator("#red-ui-workspace-chart .red-ui-flow-link-line").all();
    await takeSmallPicture(page, `recipes/images/${slugOf(title)}`, await areaOf([...nodes, ...wires]));
  }
  await page.addStyleTag({ content: paletteStyle });
  const groups = page.locator(".red-ui-palette-category").filter({ hasText: /^\s*fxdesk/ });
  expect(await groups.count()).toBeGreaterThan(5);
  for (const group of await groups.all()) {
    await group.scrollIntoViewIfNeeded();
    const name = (await group.locator(".red-ui-palette-header").innerText()).trim();
    const area = await areaOf(await group.locator(".red-ui-palette-node").all());
    await takeSmallPicture(page, `palette/images/${groupSlugOf(name)}`, area);
  }
}, 300_000);
