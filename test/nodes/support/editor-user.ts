/** A person in the editor, with a mouse and a keyboard and nothing else; what it takes them is counted. */
import type { Locator, Page } from "playwright-core";
import type { Editor } from "./browser";

/** Returns the position of a node. Columns are staggered because long labels would overlap. */
const canvasPosition = (column: number, row: number) =>
  [130 + 200 * column, 60 + 100 * column + 50 * row] as const;

export class EditorUser {
  /** Pressed buttons of the mouse; what is dragged counts as one. */
  clicks = 0;
  keys = 0;
  readonly #page: Page;

  constructor(private readonly editor: Editor) {
    this.#page = editor.page;
  }

  async click(what: Locator): Promise<void> {
    await what.click();
    this.clicks += 1;
  }

  /** Clicks into a control and types. */
  async type(into: Locator, text: string): Promise<void> {
    await this.click(into);
    await this.#page.keyboard.type(text);
    this.keys += text.length;
  }

  /** Chooses from a list that the browser shows. */
  async select(list: Locator, option: string): Promise<void> {
    await list.selectOption(option);
    this.clicks += 2;
  }

  /** Begins another flow. */
  async addFlow(): Promise<void> {
    await this.click(this.#page.locator("#red-ui-workspace .red-ui-tab-button a:has(i.fa-plus)"));
  }

  /** Puts a node into a column and a row of the flow. */
  async drag(type: string, column: number, row = 0): Promise<string> {
    this.clicks += 1;
    return this.editor.drag(type, ...canvasPosition(column, row));
  }

  async wire(...ids: readonly string[]): Promise<void> {
    for (const [index, to] of ids.slice(1).entries()) {
      await this.editor.wire(ids[index]!, to);
      this.clicks += 1;
    }
  }

  async open(id: string): Promise<void> {
    await this.editor.edit(id);
    this.clicks += 2;
  }

  async done(): Promise<void> {
    await this.editor.done();
    this.clicks += 1;
  }

  async deploy(): Promise<void> {
    await this.editor.deploy();
    this.clicks += 1;
  }

  /** The row of the open form that has a label. */
  row(label: string): Locator {
    return this.#page
      .locator(".red-ui-tray-body .form-row:visible")
      .filter({ has: this.#page.locator(`label:text-is("${label}")`) });
  }

  /** Types into the field of the open form that has a label. */
  async fill(label: string, text: string): Promise<void> {
    const row = this.row(label);
    await this.type(
      row.locator(".red-ui-typedInput-input, input:not([type=hidden])").locator("visible=true").first(),
      text,
    );
  }

  /** Unfolds a part of the open form. */
  async unfold(summary: string): Promise<void> {
    await this.click(this.#page.locator("details:not([open]) > summary", { hasText: summary }));
  }

  /** Says that a field comes with the message, and in which property. */
  async useMessageProperty(label: string, property: string): Promise<void> {
    await this.click(this.row(label).locator(".red-ui-typedInput-type-select"));
    await this.#clickEntry("msg.");
    await this.fill(label, property);
  }

  /** Clicks an entry of the open menu, once that has unfolded: a click on a moving entry misses it. */
  async #clickEntry(text: string): Promise<void> {
    await this.#page.waitForFunction('$(".red-ui-typedInput-options:animated").length === 0');
    await this.click(
      this.#page.locator(".red-ui-typedInput-options:visible a").filter({ hasText: text }).first(),
    );
  }

  /** Presses the button of an Inject node. */
  async press(id: string): Promise<void> {
    await this.click(this.#page.locator(`[id="${id}"] .red-ui-flow-node-button-button`));
  }
}
