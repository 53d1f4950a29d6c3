/** The file the editor loads: definitions with literal types and defaults, and forms that the shared script fills. */
import { comesInPages } from "../../core/client/pages";
import { settingsOf } from "../../core/client/settings";
import { mayRespondWith, type Declaration } from "../../core/declaration/operation";
import type { Service, Setting } from "../../core/declaration/service";
import { callSlug, callType, connectionType, nodeTypeOf, slugOf } from "../names";
import { type Control, controlsOf } from "./controls";
import { callAppearance, type Appearance, appearanceOf, paletteLabelOf } from "./appearance";

/** The version of the stored properties; a change of their form needs a migration. */
const version = 1;

/** JSON that can stand inside a script element. */
const literal = (value: unknown): string => JSON.stringify(value).replaceAll("</", "<\\/");

const template = (type: string, content: string): string =>
  `<script type="text/html" data-template-name="${type}"><div class="fxdesk-form">${content}</div></script>`;

const row = (id: string, words: string, control: string): string =>
  `<div class="form-row"><label for="${id}" data-i18n="${words}"></label>${control}</div>`;

const textInput = (id: string, type = "text"): string => `<input type="${type}" id="${id}">`;

/** What every node has; the shared script adds the fields of the operation, or the choice of one. */
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

const settingRows = (service: Service, secret: boolean): string =>
  settingsOf(service)
    .filter((setting) => setting.secret === secret)
    .map(settingRow)
    .join("");

const hint = (words: string): string => `<p class="fxdesk-hint" data-i18n="${words}"></p>`;

const connectionForm = (service: Service): string =>
  [
    row("node-config-input-name", "form.name", textInput("node-config-input-name")),
    '<div class="form-row"><label class="fxdesk-wide"><input type="checkbox" id="node-config-input-fromEnvironment"> <span data-i18n="connection.fromEnvironment"></span></label></div>',
    `<div class="fxdesk-variables">${hint("connection.variables")}<ul></ul></div>`,
    `<div class="fxdesk-settings">${hint("connection.settingsDescription")}${settingRows(service, false)}`,
    row(
      "node-config-input-tls",
      "connection.tls",
      '<input type="text" id="node-config-input-tls" style="width: calc(100% - 155px)">',
    ),
    `<h4 data-i18n="connection.secrets"></h4>${hint("connection.secretsDescription")}${settingRows(service, true)}</div>`,
  ].join("\n");

const pagesDefault = 'pages: { value: "all" }';
const saveToDefault = 'saveTo: { value: { type: "str", value: "" } }';

/** The properties of a node, with those that only some have between those that all have. */
const nodeDefaults = (...own: readonly string[]): string[] => [
  'name: { value: "" }',
  `connection: { type: ${literal(connectionType)}, value: "" }`,
  ...own,
  'timeoutMs: { value: "", validate: RED.validators.number(true) }',
  `version: { value: ${version} }`,
];

const operationDefaults = (operation: Declaration): string[] =>
  nodeDefaults(
    "fields: { value: {}, validate: function (fields, option) { return fxdesk.violations(this, fields, option); } }",
    "fromPayload: { value: false }",
    ...(comesInPages(operation) ? [pagesDefault] : []),
    ...(mayRespondWith(operation, "file") ? [saveToDefault] : []),
  );

const callDefaults = nodeDefaults(
  'operation: { value: "", required: true }',
  'input: { value: { type: "msg", value: "payload" }, validate: function (input, option) { return fxdesk.inputProblem(this, input, option); } }',
  pagesDefault,
  saveToDefault,
);

const properties = (list: readonly string[]): string => `{\n    ${list.join(",\n    ")}\n  }`;

interface NodeDefinition {
  readonly type: string;
  readonly paletteLabel: string;
  readonly slug: string;
  readonly look: Appearance;
  readonly defaults: readonly string[];
  readonly controls: readonly Control[];
}

const definition = ({ type, paletteLabel, slug, look, defaults, controls }: NodeDefinition): string =>
  `RED.nodes.registerType(${literal(type)}, {
  category: ${literal(look.category)},
  color: ${literal(look.color)},
  icon: ${literal(look.icon)},
  paletteLabel: ${literal(paletteLabel)},
  inputs: 1,
  outputs: 1,
  defaults: ${properties(defaults)},
  fxdesk: { slug: ${literal(slug)}, controls: ${literal(controls)} },
  label: function () { return fxdesk.label(this); },
  labelStyle: function () { return fxdesk.labelStyle(this); },
  onadd: function () { fxdesk.added(this); },
  oneditprepare: function () { fxdesk.open(this); },
  oneditsave: function () { fxdesk.save(this); }
});`;

const operationDefinition = (operation: Declaration): string =>
  definition({
    type: nodeTypeOf(operation),
    paletteLabel: paletteLabelOf(operation),
    slug: slugOf(operation),
    look: appearanceOf(operation),
    defaults: operationDefaults(operation),
    controls: controlsOf(operation),
  });

const callDefinition = definition({
  type: callType,
  paletteLabel: "Call operation",
  slug: callSlug,
  look: callAppearance,
  defaults: callDefaults,
  controls: [],
});

const settingDefault = ({ name, options }: Setting): string =>
  `${name}: { value: ${literal(options?.[0] ?? "")} }`;

const connectionDefaults = (settings: readonly Setting[]): string[] => [
  'name: { value: "" }',
  "fromEnvironment: { value: false }",
  ...settings.filter(({ secret }) => !secret).map(settingDefault),
  'tls: { type: "tls-config", value: "", required: false }',
  `version: { value: ${version} }`,
];

const connectionSecrets = (settings: readonly Setting[]): string[] =>
  settings.filter(({ secret }) => secret).map(({ name }) => `${name}: { type: "password" }`);

function connectionDefinition(service: Service): string {
  const settings = settingsOf(service);
  return `RED.nodes.registerType(${literal(connectionType)}, {
  category: "config",
  defaults: ${properties(connectionDefaults(settings))},
  credentials: ${properties(connectionSecrets(settings))},
  fxdesk: { settings: ${literal(settings.map(({ name }) => name))} },
  label: function () { return fxdesk.connectionLabel(this); },
  oneditprepare: function () { fxdesk.openConnection(this); }
});`;
}

/** The editor's HTML for the connection and the nodes of a service. */
export function editorFile(service: Service): string {
  const { operations } = service;
  const types = [callType, ...operations.map(nodeTypeOf)];
  const definitions = [
    connectionDefinition(service),
    callDefinition,
    ...operations.map((operation) => operationDefinition(operation)),
  ];
  return `<link rel="stylesheet" href="resources/@fxdesk/toolkit/form.css">
<script type="module" src="resources/@fxdesk/toolkit/form.js"></script>
${template(connectionType, connectionForm(service))}
${types.map((type) => template(type, operationForm)).join("\n")}
<script type="text/javascript">
${definitions.join("\n")}
</script>
`;
}
