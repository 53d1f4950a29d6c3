/** Nodes that belong to no operation: releases and AI assistants. Generates their forms and their definitions in the editor. */
import type { Effect } from "../../core/spec/operation";
import { connectionType } from "../shared/node-names";
import { colors, literal, properties, propertiesVersion, row, template } from "./editor-code";

/** A stored property and its control in the form. */
interface FormField {
  readonly name: string;
  /** A password is a credential. A source is a typed input. The arguments of a tool are an editable list. */
  readonly control?:
    | "text"
    | "password"
    | "number"
    | "checkbox"
    | "textarea"
    | "select"
    | "source"
    | "arguments";
  readonly value?: unknown;
  readonly required?: true;
  readonly pattern?: RegExp;
  /** Type of the config node that the property names. */
  readonly configType?: string;
  /** Values of a select, each with the key of its text. */
  readonly options?: Readonly<Record<string, string>>;
  /** True if the catalogue has a placeholder. */
  readonly hint?: true;
}

interface PaletteEntry {
  readonly category: string;
  readonly icon: string;
  readonly effect: Effect;
  /** Additional search words. */
  readonly searchWords?: string;
  readonly inputs: 0 | 1;
  readonly outputs: 0 | 1;
}

export interface OtherNode {
  readonly type: string;
  /** Undefined for a config node. */
  readonly palette?: PaletteEntry;
  readonly form: readonly FormField[];
  /** Property that is the label of a node without a name. */
  readonly labelledBy?: string;
}

const name: FormField = { name: "name", value: "" };
const connection: FormField = { name: "connection", value: "", configType: connectionType };

const releases = { category: "fxdesk releases", icon: "approvals.svg" };
const assistants = { category: "fxdesk assistants", icon: "fxdesk.svg" };

const releaseNodes: readonly OtherNode[] = [
  ...["fxdesk-release-requested", "fxdesk-release-decided"].map((type): OtherNode => ({
    type,
    palette: { ...releases, effect: "read", inputs: 0, outputs: 1 },
    form: [name, connection],
  })),
  {
    type: "fxdesk-release",
    palette: {
      ...releases,
      effect: "money",
      searchWords: "approve, sign off, four eyes, Freigabe, genehmigen, Vier-Augen",
      inputs: 1,
      outputs: 1,
    },
    form: [
      name,
      connection,
      { name: "person", value: "", required: true },
      { name: "secret", control: "password" },
      { name: "decision", control: "source", value: { type: "str", value: "release" } },
      { name: "release", control: "source", value: { type: "msg", value: "payload.release" } },
      { name: "seal", control: "source", value: { type: "msg", value: "payload.seal" } },
      { name: "note", control: "source", value: { type: "str", value: "" } },
    ],
  },
];

const assistantNodes: readonly OtherNode[] = [
  {
    type: "fxdesk-mcp-server",
    labelledBy: "path",
    form: [
      name,
      connection,
      { name: "path", value: "/mcp", required: true, pattern: /^\/[\w\-/.]*[\w-]$/ },
      { name: "token", control: "password", hint: true },
      {
        name: "allow",
        control: "select",
        value: "",
        options: { "": "allow.read", change: "allow.change", "change,money": "allow.money" },
      },
      { name: "toolsets", value: "", hint: true },
    ],
  },
  {
    type: "fxdesk-tool",
    palette: { ...assistants, effect: "read", inputs: 0, outputs: 1 },
    labelledBy: "tool",
    form: [
      { name: "server", configType: "fxdesk-mcp-server", required: true },
      { name: "tool", value: "", required: true, pattern: /^[a-z][a-z0-9_]{0,63}$/, hint: true },
      { name: "title", value: "", hint: true },
      { name: "description", control: "textarea", value: "", required: true },
      { name: "changes", control: "checkbox", value: false },
      { name: "timeoutSeconds", control: "number", value: 60, required: true },
      { name: "fields", control: "arguments", value: [] },
      name,
    ],
  },
  {
    type: "fxdesk-tool-result",
    palette: { ...assistants, effect: "read", inputs: 1, outputs: 0 },
    form: [name],
  },
];

/** The nodes by the name of their set, whose runtime files are written by hand. */
export const otherNodes = { releases: releaseNodes, mcp: assistantNodes } as const;

const wide = 'style="width: calc(100% - 155px)"';

function controlHtml(id: string, { name: field, control = "text", options = {}, hint }: FormField): string {
  const placeholder = hint ? ` data-i18n="[placeholder]hint.${field}"` : "";
  const choices = Object.entries(options).map(
    ([value, words]) => `<option value="${value}" data-i18n="${words}"></option>`,
  );
  switch (control) {
    case "select":
      return `<select id="${id}" ${wide}>${choices.join("")}</select>`;
    case "textarea":
      return `<textarea id="${id}" rows="3" ${wide}></textarea>`;
    case "checkbox":
      return `<input type="checkbox" id="${id}" style="width: auto">`;
    case "arguments":
      return `<ol id="${id}"></ol>`;
    case "source":
      return `<input type="text" id="${id}" ${wide}>`;
    default:
      return `<input type="${control}" id="${id}" ${wide}${placeholder}>`;
  }
}

/** True if code fills and reads the control; the editor does it for all others, by their IDs. */
const isFilledByCode = ({ control }: FormField) => control === "source" || control === "arguments";

function rowHtml(prefix: string, field: FormField): string {
  const id = `${prefix}-${isFilledByCode(field) ? "fxdesk-" : ""}${field.name}`;
  return row(field.control === "arguments" ? "" : id, `form.${field.name}`, controlHtml(id, field));
}

function propertyCode({ name: property, control, value, required, pattern, configType }: FormField): string {
  const given = JSON.stringify({ type: configType, value, required }).slice(1, -1);
  const check = pattern ? `regex(${pattern})` : control === "number" ? "number()" : undefined;
  return `${property}: { ${given}${check ? `, validate: RED.validators.${check}` : ""} }`;
}

/** Returns the code of the registration. Type and definition are literals for tools that rate packages. */
function registrationCode({ type, palette, form, labelledBy }: OtherNode): string {
  const label = `this._("labels.${type}")`;
  const secrets = form.filter(({ control }) => control === "password");
  const stored = form.filter((field) => !secrets.includes(field)).map(propertyCode);
  const coded = form.filter(isFilledByCode).map(({ name: field, control }) => [field, control]);
  const own = labelledBy === undefined ? "" : `this.${labelledBy} || `;
  const lines = [
    `category: ${literal(palette?.category ?? "config")}`,
    ...(palette
      ? [
          `color: ${literal(colors[palette.inputs === 0 ? "trigger" : palette.effect])}, icon: ${literal(palette.icon)}`,
          `inputs: ${palette.inputs}, outputs: ${palette.outputs}`,
          `fxdesk: ${literal({ effect: palette.effect, searchWords: palette.searchWords })}`,
          `paletteLabel: function () { return ${label}.replaceAll("-", "\\u2011"); }`,
          'labelStyle: function () { return this.name ? "node_label_italic" : ""; }',
          ...(form.includes(connection) ? ["onadd: function () { fxdesk.connectNewNode(this); }"] : []),
        ]
      : []),
    `defaults: ${properties([...stored, `version: { value: ${propertiesVersion} }`])}`,
    ...(secrets.length > 0
      ? [`credentials: { ${secrets.map((field) => `${field.name}: { type: "password" }`).join(", ")} }`]
      : []),
    `label: function () { return this.name || ${own}${label}; }`,
    ...(coded.length > 0
      ? [
          `oneditprepare: function () { fxdesk.openControls(this, ${literal(coded)}); }`,
          `oneditsave: function () { fxdesk.saveControls(this, ${literal(coded)}); }`,
        ]
      : []),
  ];
  return `RED.nodes.registerType(${literal(type)}, {\n  ${lines.join(",\n  ")}\n});`;
}

/** Returns the editor HTML of a set. */
export function otherEditorFile(nodes: readonly OtherNode[]): string {
  const forms = nodes.map(({ type, palette, form }) => {
    const prefix = palette ? "node-input" : "node-config-input";
    return template(type, form.map((field) => rowHtml(prefix, field)).join("\n"));
  });
  return `${forms.join("\n")}
<script type="text/javascript">
${nodes.map(registrationCode).join("\n")}
</script>
`;
}
