/** Chromium from npm, driving the editor as a person does. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import manifest from "../../../package.json";
import { eventually } from "../../support/eventually";
import { closeLater } from "../../support/resources";
import { root } from "./node-red";

/**
 * The browser comes as an ES module, which a test cannot load itself. Its emulated graphics card would keep a processor
 * busy; without one it draws pages by itself.
 */
const browserLocationScript = `import chromium from "@sparticuz/chromium";
const left = /^--(single-process|in-process-gpu|ignore-gpu-blocklist|use-gl|use-angle|enable-unsafe-swiftshader)/;
const args = [...chromium.args.filter((arg) => !left.test(arg)), "--disable-gpu"];
console.log(JSON.stringify({ executablePath: await chromium.executablePath(), args }));`;

export async function launchBrowser(): Promise<Browser> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", browserLocationScript],
    { cwd: root },
  );
  const { executablePath, args } = JSON.parse(stdout) as { executablePath: string; args: string[] };
  return closeLater(await chromium.launch({ executablePath, args, headless: true }));
}

/** The page of the editor, as far as a test needs it. */
interface EditorPage {
  readonly RED: {
    readonly nodes: { node(id: string): { id: string; type: string; _def: { category: string } } | null };
    readonly editor: { edit(node: object): void; editConfig(name: string, type: string, id: string): void };
  };
}

/** The jQuery widget of the editor, as far as a test needs it. */
interface TypedInput {
  typedInput(method: "value", value: string): void;
}

interface EditorOptions {
  /** True to disable animations. */
  readonly isFast?: boolean;
  /** The language of the browser; English unless one is named. */
  readonly language?: string;
  /** Is given the page before it has loaded anything. */
  readonly prepare?: (page: Page) => unknown;
}

/** Dialogs of the editor wait until they have slid in and out. */
const fastDialogsScript = `const wait = window.setTimeout;
window.setTimeout = (then, ms, ...rest) => wait(then, ms > 500 ? ms : 0, ...rest);`;

/** The editor of a Node-RED, with what its console warned of. */
export class Editor {
  readonly warnings: string[] = [];

  private constructor(readonly page: Page) {
    page.on("pageerror", (error) => this.warnings.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.warnings.push(message.text());
    });
  }

  static async open(browser: Browser, url: string, options: EditorOptions = {}): Promise<Editor> {
    const { language: locale = "en-US" } = options;
    const page = await browser.newPage({ viewport: { width: 1360, height: 860 }, locale });
    if (options.isFast) await page.addInitScript(fastDialogsScript);
    options.prepare?.(page);
    const editor = new Editor(page);
    await page.goto(url);
    await editor.#untilLoaded();
    return editor;
  }

  /** Drags a node from the palette onto the canvas, and returns its id. */
  async drag(type: string, x: number, y: number): Promise<string> {
    const node = this.page.locator(`.red-ui-palette-node[data-palette-type="${type}"]`);
    await node.scrollIntoViewIfNeeded();
    const known = await this.ids();
    const canvas = (await this.page.locator("#red-ui-workspace-chart").boundingBox())!;
    const from = await this.#stillPointIn(node);
    await this.page.mouse.move(from.x, from.y);
    await this.page.mouse.down();
    await this.#untilPainted();
    await this.page.mouse.move(canvas.x + x - 20, canvas.y + y - 20, { steps: 4 });
    await this.#untilPainted();
    await this.page.mouse.move(canvas.x + x, canvas.y + y, { steps: 4 });
    await this.#untilPainted();
    await this.page.mouse.up();
    const added = async () => (await this.ids()).find((id) => !known.includes(id));
    return eventually(added, { withinMs: 30_000, what: `${type} on the canvas` });
  }

  /** A point at which the mouse meets an element: it lies still, and nothing that still fades away lies over it. */
  #stillPointIn(element: Locator): Promise<{ x: number; y: number }> {
    const point = () =>
      element.evaluate((node) => {
        const { x, y, width, height } = node.getBoundingClientRect();
        const middle = { x: x + width / 2, y: y + height / 2 };
        const met = node.ownerDocument.elementFromPoint(middle.x, middle.y);
        return met && node.contains(met) ? middle : undefined;
      });
    const still = async () => {
      const before = await point();
      await this.#untilPainted();
      const after = await point();
      return before?.x === after?.x && before?.y === after?.y ? after : undefined;
    };
    return eventually(still, { withinMs: 30_000, what: "an element that lies still" });
  }

  /** Until the page is painted: moves of the mouse that come between are taken for one. */
  async #untilPainted(): Promise<void> {
    await this.page.evaluate("new Promise((painted) => requestAnimationFrame(painted))");
  }

  /** Draws a wire from the output of a node to the input of another. */
  async wire(from: string, to: string): Promise<void> {
    const middle = async (id: string, port: string) => {
      const { x, y, width, height } = (await this.page
        .locator(`[id="${id}"] ${port}`)
        .first()
        .boundingBox())!;
      return [x + width / 2, y + height / 2] as const;
    };
    const end = await middle(to, ".red-ui-flow-port-input");
    await this.page.mouse.move(...(await middle(from, ".red-ui-flow-port-output")));
    await this.page.mouse.down();
    await this.#untilPainted();
    await this.page.mouse.move(end[0] - 10, end[1], { steps: 4 });
    await this.#untilPainted();
    await this.page.mouse.move(...end, { steps: 4 });
    await this.#untilPainted();
    await this.page.mouse.up();
  }

  async ids(): Promise<string[]> {
    return this.page
      .locator("#red-ui-workspace-chart .red-ui-flow-node-group")
      .evaluateAll((nodes) => nodes.map(({ id }) => id));
  }

  /** Opens the dialog of a node. */
  async edit(id: string): Promise<void> {
    await this.page.locator(`[id="${id}"]`).dblclick();
    await this.page.waitForSelector(".red-ui-tray-body #dialog-form");
    await this.#untilFocused();
    await this.#untilDialogReady();
  }

  /** Opens the dialog of the connection, from the open dialog of a node. */
  async editConnection(): Promise<void> {
    await this.page.locator("#node-input-btn-connection-edit").click();
    await this.page.waitForSelector("#node-config-dialog-edit-form");
    await this.#untilDialogReady();
  }

  /** Opens the dialog of a new connection, from the open dialog of a node. */
  async addConnection(): Promise<void> {
    await this.page.locator("#node-input-btn-connection-add").click();
    await this.page.waitForSelector("#node-config-dialog-edit-form");
    await this.#untilDialogReady();
  }

  /** Closes the dialog of the connection with Update, or Add. */
  async updateConnection(): Promise<void> {
    await this.page.locator("#node-config-dialog-ok").click();
    await this.page.waitForSelector("#node-config-dialog-ok", { state: "detached" });
    await this.#untilDialogReady();
  }

  /** A dialog is ready when it has been made to move, and has stopped, and its form has its words. */
  async #untilDialogReady(): Promise<void> {
    await this.#untilFilled();
    await this.page.waitForFunction(
      `(([top]) => top?.style.transition && getComputedStyle(top).right === "0px")([...document.querySelectorAll(".red-ui-tray")].reverse())`,
    );
  }

  /** The editor gives the focus to a new dialog with a delay: a key pressed before would reach its first field. */
  async #untilFocused(): Promise<void> {
    await this.page.waitForSelector(".red-ui-tray-body :focus");
  }

  async #untilFilled(): Promise<void> {
    await this.page.waitForSelector(".red-ui-tray [aria-busy=true]", { state: "detached" });
  }

  /** Opens the dialog of any node at once, that of a config node too. */
  async open(id: string): Promise<void> {
    await this.page.evaluate(
      ([node]) => {
        const { RED } = globalThis as unknown as EditorPage;
        const opened = RED.nodes.node(node!)!;
        if (opened._def.category === "config") RED.editor.editConfig("", opened.type, opened.id);
        else RED.editor.edit(opened);
      },
      [id],
    );
    await this.page.waitForSelector(".red-ui-tray-body form");
    await this.#untilFocused();
    await this.#untilFilled();
  }

  /** Closes the dialog on top, with what is in it or without. */
  async close(how: "save" | "cancel"): Promise<void> {
    const names =
      how === "save"
        ? ["node-dialog-ok", "node-config-dialog-ok"]
        : ["node-dialog-cancel", "node-config-dialog-cancel"];
    await this.page.locator(names.map((name) => `#${name}`).join(", ")).click();
    await this.page.waitForSelector(".red-ui-tray", { state: "detached" });
  }

  /** The labels of the open form. */
  async labels(): Promise<string[]> {
    return this.page.locator(".fxdesk-form label").allTextContents();
  }

  /** Selects a node and opens the sidebar that has its help, of which the part below the summary is returned. */
  async help(id: string): Promise<Locator> {
    await this.page.locator(`[id="${id}"]`).click();
    await this.page.keyboard.press("Control+g");
    await this.page.keyboard.press("h");
    const sections = this.page.locator(".red-ui-help fxdesk-help");
    await sections.waitFor();
    return sections;
  }

  /** Gives a field of the open form a fixed value. */
  async fill(field: string, value: string): Promise<void> {
    const id = JSON.stringify(`node-input-fxdesk-${field}`);
    await this.page.locator(`[id=${id}]`).evaluate((input, text) => {
      const { jQuery } = globalThis as unknown as { jQuery: (on: unknown) => TypedInput };
      jQuery(input).typedInput("value", text);
    }, value);
  }

  /** Closes the dialog with Done. */
  async done(): Promise<void> {
    await this.page.locator("#node-dialog-ok").click();
    await this.page.waitForSelector(".red-ui-tray", { state: "detached" });
  }

  /** Waits until the canvas shows a mark of invalid properties at the node, or none. */
  async waitForValidity(id: string, validity: "valid" | "invalid"): Promise<void> {
    const state = validity === "valid" ? "hidden" : "visible";
    await this.page.locator(`[id="${id}"] .red-ui-flow-node-error`).waitFor({ state });
  }

  /** Imports an example of the package as the menu does. */
  async importExample(folder: string, title: string): Promise<void> {
    await this.page.evaluate("RED.actions.invoke('core:show-examples-import-dialog')");
    const dialog = this.page.locator("#red-ui-clipboard-dialog");
    const entry = (text: string) => dialog.locator(".red-ui-treeList-label").filter({ hasText: text });
    // The list unfolds slowly: a click of the mouse would meet a neighbour of the entry.
    for (const name of [manifest.name, folder]) {
      await entry(name).waitFor();
      await entry(name).dispatchEvent("click");
    }
    await entry(title).waitFor();
    const ok = this.page.locator("#red-ui-clipboard-dialog-ok");
    const chosen = async () => {
      await entry(title).dispatchEvent("click");
      const isSelected = await entry(title).evaluate(({ classList }) => classList.contains("selected"));
      return isSelected && ok.isEnabled();
    };
    await eventually(chosen, { withinMs: 25_000, what: `${title} in the list of examples` });
    await ok.click();
    await dialog.waitFor({ state: "hidden" });
  }

  /** The types of the nodes that the palette shows when something is searched in it. */
  async searchPalette(searched: string): Promise<string[]> {
    const input = this.page.locator("#red-ui-palette-search input");
    await input.fill(searched);
    await input.press("End");
    const filtered = () =>
      this.page.evaluate((text) => {
        const { jQuery } = globalThis as unknown as { jQuery: (on: string) => { length: number } };
        const all = [...document.querySelectorAll<HTMLElement>("[data-palette-type]")];
        const left = all.filter(({ dataset }) => dataset.filter !== "true");
        const isDone =
          (text === "") === (left.length === all.length) &&
          jQuery("#red-ui-palette-container :animated").length === 0;
        return (
          isDone && left.filter((node) => node.offsetHeight > 0).map(({ dataset }) => dataset.paletteType!)
        );
      }, searched);
    return eventually(filtered, { withinMs: 30_000, what: `the palette searched for "${searched}"` });
  }

  /** Presses Deploy and waits until the flows are stored. */
  async deploy(): Promise<void> {
    const stored = this.page.waitForResponse(
      (response) => response.url().endsWith("/flows") && response.request().method() === "POST",
    );
    await this.page.locator("#red-ui-header-button-deploy:not(.disabled)").click();
    await (await stored).finished();
  }

  /** The same where the editor asks whether nodes that are not all filled should be deployed. */
  async deployAnyway(): Promise<void> {
    const stored = this.deploy();
    await this.page.locator(".red-ui-notification button.primary").click();
    await stored;
  }

  async #untilLoaded(): Promise<void> {
    await this.page.waitForSelector(".red-ui-palette-node[data-palette-type='inject']", {
      state: "attached",
    });
    await this.page.waitForSelector("#red-ui-loading-progress", { state: "hidden" });
  }
}
