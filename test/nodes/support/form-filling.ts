/** Fills every control of an open form from its metadata, and reads it back. */
import type { Page } from "playwright-core";

/** Entered values by control ID. */
export type FilledForm = Readonly<Record<string, string | boolean>>;

/** A typed input of the editor, as far as it is looked into. */
interface TypedInput {
  typedInput(method: "type" | "value"): string;
  typedInput(method: "value", value: string): void;
  data(name: "nodered-typedInput"): { readonly typeMap: Readonly<Record<string, FixedType>> } | undefined;
}

interface FixedType {
  readonly options?: readonly (string | { readonly value: string })[];
  readonly multiple?: boolean;
}

interface EditorPage {
  readonly jQuery: (on: Element) => TypedInput;
}

/** Valid values of restricted controls, by the end of their IDs. */
const textByControl: Readonly<Record<string, string>> = {
  "input-operation": "trades.list",
  "input-tool": "notify_treasurer",
  "input-path": "/mcp",
  timeoutMs: "4000",
  every: "30",
  timeoutSeconds: "30",
  "-result-to": "result.of",
};

/** Fills each control of the form on top but those that name another node, and returns what was written. */
export const fillForm = (page: Page): Promise<FilledForm> =>
  page.evaluate((texts) => {
    const { jQuery } = globalThis as unknown as EditorPage;
    const form = document.querySelector("#dialog-form, #node-config-dialog-edit-form")!;
    const written: Record<string, string | boolean> = {};
    const textFor = (id: string, hint: string) =>
      Object.entries(texts).find(([end]) => id.endsWith(end))?.[1] ?? (hint || `some ${id}`);
    const lastOf = (options: NonNullable<FixedType["options"]>, isMultiple: boolean) => {
      const values = options
        .map((option) => (typeof option === "string" ? option : option.value))
        .filter(Boolean);
      return isMultiple ? values.slice(0, 2).join(",") : values.at(-1)!;
    };
    const typedText = (input: HTMLInputElement) => {
      const type = jQuery(input).typedInput("type");
      const { options, multiple = false } = jQuery(input).data("nodered-typedInput")!.typeMap[type] ?? {};
      if (options) return lastOf(options, multiple);
      return { num: "7", json: "[]" }[type] ?? textFor(input.id, input.placeholder);
    };
    for (const input of form.querySelectorAll<HTMLInputElement>("input[id], select[id], textarea[id]")) {
      if (!/^node-(config-)?input-/.test(input.id) || /-(connection|server|tls)$/.test(input.id)) continue;
      // What the choices so far exclude is not asked for.
      if (input.closest<HTMLElement>(".form-row")?.style.display === "none") continue;
      const change = () => input.dispatchEvent(new Event("change", { bubbles: true }));
      if (jQuery(input).data("nodered-typedInput")) {
        written[input.id] = typedText(input);
        jQuery(input).typedInput("value", String(written[input.id]));
      } else if (input.closest(".red-ui-typedInput-container, .red-ui-editableList")) continue;
      else if (input.type === "checkbox") {
        written[input.id] = input.checked = !input.id.endsWith("fromEnvironment");
        change();
      } else {
        const options = [...input.querySelectorAll("option")];
        const isWay = input.id.endsWith("-alternative");
        if (!isWay) input.value = options.at(-1)?.value ?? textFor(input.id, input.placeholder);
        // A secret does not come back: the editor has a word that stands for it.
        written[input.id] = input.type === "password" ? "__PWRD__" : input.value;
        change();
      }
    }
    return written;
  }, textByControl);

/** Returns the values of the filled controls. */
export const readForm = (page: Page, filled: FilledForm): Promise<FilledForm> =>
  page.evaluate((ids) => {
    const { jQuery } = globalThis as unknown as EditorPage;
    const valueOf = (id: string) => {
      const input = document.getElementById(id) as HTMLInputElement;
      if (jQuery(input).data("nodered-typedInput")) return jQuery(input).typedInput("value");
      return input.type === "checkbox" ? input.checked : input.value;
    };
    return Object.fromEntries(ids.map((id) => [id, valueOf(id)]));
  }, Object.keys(filled));
