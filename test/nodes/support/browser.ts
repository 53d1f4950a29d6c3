/** Chromium from npm, driving the editor as a person does. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { root } from "./node-red";

/** The browser comes as an ES module, which a test cannot load itself. */
const askBrowser = `import chromium from "@sparticuz/chromium";
const args = chromium.args.filter((arg) => arg !== "--single-process");
console.log(JSON.stringify({ executablePath: await chromium.executablePath(), args }));`;

export async function launchBrowser(): Promise<Browser> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", askBrowser],
    { cwd: root },
  );
  const { executablePath, args } = JSON.parse(stdout) as { executablePath: string; args: string[] };
  return chromium.launch({ executablePath, args, headless: true });
}

/** The editor of a Node-RED, with what its console warned of. */
export class Editor {
  readonly warnings: string[] = [];

  private constructor(readonly page: Page) {
    page.on("pageerror", (error) => this.warnings.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") this.warnings.push(message.text());
    });
  }

  static async open(browser: Browser, url: string): Promise<Editor> {
    const page = await browser.newPage({ viewport: { width: 1360, height: 860 } });
    const editor = new Editor(page);
    await page.goto(url);
    await page.waitForSelector("#red-ui-palette .red-ui-palette-node[data-palette-type='inject']");
    await page.waitForSelector("#red-ui-loading-progress", { state: "detached" }).catch(() => undefined);
    return editor;
  }

  /** Drags a node from the palette onto the canvas, and answers its id. */
  async drag(type: string, x: number, y: number): Promise<string> {
    const node = this.page.locator(`.red-ui-palette-node[data-palette-type="${type}"]`);
    await node.scrollIntoViewIfNeeded();
    const known = await this.ids();
    const canvas = (await this.page.locator("#red-ui-workspace-chart").boundingBox())!;
    const from = (await node.boundingBox())!;
    await this.page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
    await this.page.mouse.down();
    await this.page.mouse.move(canvas.x + x - 20, canvas.y + y - 20, { steps: 4 });
    await this.page.mouse.move(canvas.x + x, canvas.y + y, { steps: 4 });
    await this.page.mouse.up();
    return (await this.ids()).find((id) => !known.includes(id))!;
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
    // The tray slides in.
    await this.page.waitForTimeout(500);
  }

  /** Closes the dialog with Done. */
  async done(): Promise<void> {
    await this.page.locator("#node-dialog-ok").click();
    await this.page.waitForSelector(".red-ui-tray", { state: "detached" });
  }

  async deploy(): Promise<void> {
    await this.page.locator("#red-ui-header-button-deploy:not(.disabled)").click();
    await this.page.waitForSelector("#red-ui-header-button-deploy.disabled");
  }
}
