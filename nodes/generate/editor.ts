/** The file the editor loads: definitions with literal types and defaults, and forms that the shared script fills. */
import { settingsOf } from "../../core/client/settings";
import { contract } from "../../core/operations/contract";
import type { Setting } from "../../core/operations/definition";

const connectionSettings = settingsOf(contract);
import { answersWith, type Declaration } from "../../core/operations/declaration";
import { connectionType, nodeTypeOf, slugOf } from "../names";
import { controlsOf } from "./controls";
import { lookOf } from "./look";

/** The version of the stored properties; a change of their form needs a migration. */
const version = 1;

/** JSON that can stand inside a script element. */
const literal = (value: unknown): string => JSON.stringify(value).replaceAll("</", "<\\/");

const template = (type: string, content: string): string =>
  `<script type="text/html" data-template-name="${type}"><div class="fxdesk-form">${content}</div></script>`;

const row = (id: string, words: string, control: string): string =>
  `<div class="form-row"><label for="${id}" data-i18n="${words}"></label>${control}</div>`;

const textInput = (id: string, type = "text"): string => `<input type="${type}" id="${id}">`;

/** What every node has; the shared script adds the fields of the operation. */
const operationForm =
  row("node-input-name", "form.name", textInput("node-input-name")) +
  row(
    "node-input-connection",
    "form.connection",
    '<input type="text" id="node-input-connection" style="width: calc(100% - 155px)">',
  ) +
  '<div class="fxdesk-fields"></div>';

const selection = (id: string, options: readonly string[]): string =>
  `<select id="${id}">${options.map((option) => `<option value="${option}">${option}</option>`).join("")}</select>`;

function settingRow({ name, secret, options }: Setting): string {
  const id = `node-config-input-${name}`;
  const control = options ? selection(id, options) : textInput(id, secret ? "password" : "text");
  return row(id, `connection.settings.${name}.label`, control);
}

const settingRows = (secret: boolean): string =>
  connectionSettings
    .filter((setting) => setting.secret === secret)
    .map(settingRow)
    .join("");

const hint = (words: string): string => `<p class="fxdesk-hint" data-i18n="${words}"></p>`;

const connectionForm = [
  row("node-config-input-name", "form.name", textInput("node-config-input-name")),
  '<div class="form-row"><label class="fxdesk-wide"><input type="checkbox" id="node-config-input-fromEnvironment"> <span data-i18n="connection.fromEnvironment"></span></label></div>',
  `<div class="fxdesk-variables">${hint("connection.variables")}<ul></ul></div>`,
  `<div class="fxdesk-settings">${hint("connection.settingsSays")}${settingRows(false)}`,
  row(
    "node-config-input-tls",
    "connection.tls",
    '<input type="text" id="node-config-input-tls" style="width: calc(100% - 155px)">',
  ),
  `<h4 data-i18n="connection.secrets"></h4>${hint("connection.secretsSays")}${settingRows(true)}</div>`,
].join("\n");

/** The properties of a node, beside those that every node has. */
const ownDefaults = (operation: Declaration): string[] => [
  ...(operation.pages ? ['pages: { value: "all" }'] : []),
  ...(answersWith(operation, "file") ? ['saveTo: { value: { type: "str", value: "" } }'] : []),
];

const operationDefaults = (operation: Declaration): string[] => [
  'name: { value: "" }',
  `connection: { type: ${literal(connectionType)}, value: "" }`,
  "fields: { value: {}, validate: function (fields, option) { return fxdesk.problems(this, fields, option); } }",
  "fromPayload: { value: false }",
  ...ownDefaults(operation),
  'timeoutMs: { value: "", validate: RED.validators.number(true) }',
  `version: { value: ${version} }`,
];

const properties = (list: readonly string[]): string => `{\n    ${list.join(",\n    ")}\n  }`;

function operationDefinition(operation: Declaration): string {
  const { category, color, icon } = lookOf(operation);
  return `RED.nodes.registerType(${literal(nodeTypeOf(operation))}, {
  category: ${literal(category)},
  color: ${literal(color)},
  icon: ${literal(icon)},
  paletteLabel: ${literal(operation.title)},
  inputs: 1,
  outputs: 1,
  defaults: ${properties(operationDefaults(operation))},
  fxdesk: { slug: ${literal(slugOf(operation))}, controls: ${literal(controlsOf(operation))} },
  label: function () { return fxdesk.label(this); },
  labelStyle: function () { return fxdesk.labelStyle(this); },
  onadd: function () { fxdesk.added(this); },
  oneditprepare: function () { fxdesk.open(this); },
  oneditsave: function () { fxdesk.save(this); }
});`;
}

const settingDefault = ({ name, options }: Setting): string =>
  `${name}: { value: ${literal(options?.[0] ?? "")} }`;

const connectionDefaults: readonly string[] = [
  'name: { value: "" }',
  "fromEnvironment: { value: false }",
  ...connectionSettings.filter(({ secret }) => !secret).map(settingDefault),
  'tls: { type: "tls-config", value: "", required: false }',
  `version: { value: ${version} }`,
];

const connectionSecrets = connectionSettings
  .filter(({ secret }) => secret)
  .map(({ name }) => `${name}: { type: "password" }`);

const connectionDefinition = (): string => `RED.nodes.registerType(${literal(connectionType)}, {
  category: "config",
  defaults: ${properties(connectionDefaults)},
  credentials: ${properties(connectionSecrets)},
  fxdesk: { settings: ${literal(connectionSettings.map(({ name }) => name))} },
  label: function () { return fxdesk.connectionLabel(this); },
  oneditprepare: function () { fxdesk.openConnection(this); }
});`;

/** The editor's HTML for the connection and the nodes of the given operations. */
export const editorFile = (
  operations: readonly Declaration[],
): string => `<link rel="stylesheet" href="resources/@fxdesk/toolkit/form.css">
<script type="module" src="resources/@fxdesk/toolkit/form.js"></script>
${template(connectionType, connectionForm)}
${operations.map((operation) => template(nodeTypeOf(operation), operationForm)).join("\n")}
<script type="text/javascript">
${[connectionDefinition(), ...operations.map(operationDefinition)].join("\n")}
</script>
`;
