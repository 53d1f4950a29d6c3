/** The connection as the editor has it: its form, and its definition. */
import { settingsOf } from "../../core/client/settings";
import type { Service, Setting } from "../../core/declaration/service";
import { connectionType } from "../names";
import { inForm, literal, properties, row, template, textInput, version } from "./markup";

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

const button = (name: string): string =>
  `<button type="button" class="red-ui-button" id="fxdesk-connection-${name}" data-i18n="connection.${name}"></button>`;

/** The form, as a template of the editor. */
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
    `<div class="form-row">${button("login")} ${button("test")}</div>`,
    '<p class="fxdesk-hint" id="fxdesk-connection-state" aria-live="polite"></p>',
  ].join("\n");

/** Where money is real: a value of a setting, unless another setting holds the whole address. */
function productionOf({ settings, servers }: Service) {
  const found = settings.find(({ production }) => production !== undefined);
  if (!found) return undefined;
  const made = Object.values(servers).filter(({ template: text }) => text?.includes(`{${found.name}}`));
  return { setting: found.name, value: found.production, replacedBy: made.map(({ setting }) => setting) };
}

const settingDefault = ({ name, options }: Setting): string =>
  `${name}: { value: ${literal(options?.[0] ?? "")} }`;

const connectionDefaults = (settings: readonly Setting[]): string[] => [
  'name: { value: "" }',
  "fromEnvironment: { value: false }",
  ...settings.filter(({ secret }) => !secret).map(settingDefault),
  'tls: { type: "tls-config", value: "", required: false }',
  // Whether a person was asked about money, where it is real.
  "moneyConfirmed: { value: false }",
  `version: { value: ${version} }`,
];

const connectionSecrets = (settings: readonly Setting[]): string[] =>
  settings.filter(({ secret }) => secret).map(({ name }) => `${name}: { type: "password" }`);

export function connectionDefinition(service: Service): string {
  const settings = settingsOf(service);
  return `RED.nodes.registerType(${literal(connectionType)}, {
  category: "config",
  defaults: ${properties(connectionDefaults(settings))},
  credentials: ${properties(connectionSecrets(settings))},
  fxdesk: ${literal({ settings: settings.map(({ name }) => name), production: productionOf(service) })},
  label: function () { return fxdesk.connectionLabel(this); },
  oneditprepare: function () { fxdesk.openConnection(this); }
});`;
}

/** The template of its form. */
export const connectionTemplate = (service: Service): string =>
  template(connectionType, inForm(connectionForm(service)));
