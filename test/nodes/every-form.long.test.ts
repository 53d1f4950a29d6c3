/**
 * The form of every node, in every editor we support, light and dark: filled, saved, deployed and opened again. FXDESK_RUNS
 * sets the number of forms that are opened again.
 */
import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import type { Sandbox } from "@fxdesk/sandbox";
import { openSandbox } from "../support/sandboxes";
import { Editor, launchBrowser } from "./support/browser";
import { type FilledForm, fillForm, readForm } from "./support/form-filling";
import { connectionConfig, tab } from "./support/flows";
import { type FlowNode, linkedUserDir, NodeRed, type NodeRedOptions } from "./support/node-red";
import { supportedVersions } from "./support/packages";

let sandbox: Sandbox;
let browser: Browser;
let axe: string;

beforeAll(async () => {
  sandbox = await openSandbox();
  browser = await launchBrowser();
  axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
}, 60_000);

interface NodeSet {
  readonly module: string;
  readonly types: readonly string[];
}

const reopenedForms = Number(process.env.FXDESK_RUNS ?? 25);

/** Types that hold settings of others, and have no place on the canvas. */
const configTypes = new Set(["fxdesk-connection", "fxdesk-mcp-server"]);

/** A node of every type, with nothing in it but what it belongs to. */
async function emptyNodes(nodeRed: NodeRed): Promise<FlowNode[]> {
  const sets = await nodeRed.json<NodeSet[]>("/nodes");
  const types = sets.filter(({ module }) => module === "@fxdesk/toolkit").flatMap(({ types: own }) => own);
  return types.map((type, index) => ({
    id: `of-${type}`,
    type,
    name: "",
    connection: "connection",
    server: "of-fxdesk-mcp-server",
    ...(!configTypes.has(type) && {
      z: tab.id,
      x: 200 + 250 * (index % 4),
      y: 40 * Math.ceil(index / 4),
      wires: [[]],
    }),
  }));
}

/** Options of the runtime and the browser in which forms are opened. */
interface Look {
  readonly runtime: NodeRedOptions;
  readonly colorScheme: "light" | "dark";
}

/** The editor has a dark look of its own from 5.0 on, by a class; older ones have that of a theme. */
const looksOf = (version: string, runtime: NodeRedOptions): readonly [light: Look, dark: Look] => [
  { runtime, colorScheme: "light" },
  { runtime: version === "4.1" ? { ...runtime, theme: "dark" } : runtime, colorScheme: "dark" },
];

/** Opens the editor on a Node-RED of its own that has flows, and returns what its console warned of. */
async function inEditor(
  { runtime, colorScheme }: Look,
  flowsFor: (nodeRed: NodeRed) => readonly FlowNode[] | Promise<FlowNode[]>,
  use: (editor: Editor, nodeRed: NodeRed) => Promise<void>,
): Promise<readonly string[]> {
  const nodeRed = await NodeRed.start(runtime);
  try {
    await nodeRed.deploy(await flowsFor(nodeRed));
    const editor = await Editor.open(browser, nodeRed.url, { isFast: true });
    await editor.page.evaluate(
      `document.documentElement.classList.toggle("nr-theme-dark", ${colorScheme === "dark"})`,
    );
    await editor.page.evaluate(axe);
    await use(editor, nodeRed);
    await editor.page.close();
    return editor.warnings;
  } finally {
    await nodeRed.close();
  }
}

/** Returns the accessibility violations of the open form. In dark mode, checks only colours. */
async function violationsIn(page: Page, { colorScheme }: Look): Promise<string[]> {
  // What Node-RED puts round each form, and into it against password managers, is its own.
  const part = { include: [".red-ui-tray-body form"], exclude: ["[id^=red-ui-trap]"] };
  const options = {
    resultTypes: ["violations"],
    preload: false,
    ...(colorScheme === "dark" && { runOnly: ["color-contrast"] }),
  };
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** By how many pixels the open form is too wide for the narrowest dialog. */
const excessWidth = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const tray = $(".red-ui-tray").last().width(500);
    RED.tray.resize();
    const body = tray.find(".red-ui-tray-body")[0];
    return body.scrollWidth - body.clientWidth;
  })()`);

/** The luminance of the text of the open form, from 0 for black to 1: dark on what is light, and the other way round. */
const brightness = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const [red, green, blue] = getComputedStyle(document.querySelector(".red-ui-tray-body")).color
      .match(/[\\d.]+/g).map(Number);
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
  })()`);

/** All that a look at the open form finds. */
async function findings(page: Page, look: Look): Promise<string[]> {
  const width = await excessWidth(page);
  const isLight = (await brightness(page)) < 0.5;
  return [
    ...(await violationsIn(page, look)),
    ...(isLight === (look.colorScheme === "light") ? [] : [`not ${look.colorScheme}`]),
    ...(width > 0 ? [`${width} pixels wider than a dialog of 500`] : []),
  ];
}

/** Each finding once, with the nodes in whose forms it is. */
function recordFindings(found: Map<string, string[]>, id: string, each: readonly string[]): void {
  for (const finding of each) found.set(finding, [...(found.get(finding) ?? []), id]);
}

describe.each(supportedVersions)("Node-RED %s", (version, runtime) => {
  let userDir: string;
  let light: Look;
  let dark: Look;
  /** Values entered in each form, by node ID. */
  const written = new Map<string, FilledForm>();
  let stored: FlowNode[];

  beforeAll(async () => {
    userDir = await linkedUserDir();
    [light, dark] = looksOf(version, { ...(await runtime()), userDir });
  }, 240_000);

  test("every form saves the entered values", async () => {
    const empty = async (nodeRed: NodeRed) => [
      tab,
      connectionConfig(sandbox),
      ...(await emptyNodes(nodeRed)),
    ];
    const found = new Map<string, string[]>();
    const warnings = await inEditor(light, empty, async (editor, nodeRed) => {
      const { page } = editor;
      for (const { id } of await emptyNodes(nodeRed)) {
        await editor.open(id);
        written.set(id, await fillForm(page));
        recordFindings(found, id, await findings(page, light));
        await editor.close("save");
      }
      await editor.deployAnyway();
      stored = await nodeRed.json<FlowNode[]>("/flows");
    });

    expect(found).toEqual(new Map());
    expect(warnings).toEqual([]);
    expect(written.size).toBeGreaterThan(70);
    for (const [id, values] of written) {
      const text = JSON.stringify(stored.find((node) => node.id === id));
      for (const [control, value] of Object.entries(values))
        if (value !== "" && value !== "__PWRD__" && !control.endsWith("-alternative"))
          expect([id, control, text]).toEqual([id, control, expect.stringContaining(JSON.stringify(value))]);
    }
  }, 400_000);

  test(`${reopenedForms} forms show the saved values in dark mode`, async () => {
    const found = new Map<string, string[]>();
    const distance = Math.max(1, Math.floor(written.size / reopenedForms));
    const reopened = [...written].filter((_, index) => index % distance === 0);
    const shown = new Map<string, FilledForm>();
    const warnings = await inEditor(
      dark,
      () => stored,
      async (editor) => {
        for (const [id, values] of reopened) {
          await editor.open(id);
          shown.set(id, await readForm(editor.page, values));
          recordFindings(found, id, await findings(editor.page, dark));
          await editor.close("cancel");
        }
      },
    );

    expect(found).toEqual(new Map());
    expect(warnings).toEqual([]);
    expect(shown).toEqual(new Map(reopened));
  }, 400_000);
});
