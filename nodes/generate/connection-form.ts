/** The connection as the editor has it: its form, and its definition. */
import { environmentName, settingsOf } from "../../core/client/settings";
import {
  type Service,
  type Setting,
  type SettingSection,
  settingSections,
} from "../../core/declaration/service";
import { connectionType } from "../node-names";
import { wrapForm, literal, properties, row, template, textInput, propertiesVersion } from "./markup";

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Of a setting that says where money is real, people choose by that word. */
function option(value: string, { productionValue }: Setting): string {
  const words = value === productionValue ? ' data-i18n="connection.productionName"' : "";
  return `<option value="${value}"${words}>${productionValue === undefined ? value : capitalise(value)}</option>`;
}

/** Its words are read when the form is opened. */
function settingRow(setting: Setting): string {
  const { name, secret, options } = setting;
  const id = `node-config-input-${name}`;
  const control = options
    ? `<select id="${id}">${options.map((value) => option(value, setting)).join("")}</select>`
    : textInput(id, secret ? "password" : "text");
  const reason = setting.shape ? `<div class="fxdesk-error" id="${id}-error"></div>` : "";
  return `<div class="form-row"><label for="${id}"></label>${control}${reason}</div>`;
}

const settingRows = (service: Service, section: SettingSection | undefined): string =>
  settingsOf(service)
    .filter((setting) => setting.section === section)
    .map(settingRow)
    .join("");

const hint = (words: string): string => `<p class="fxdesk-hint" data-i18n="${words}"></p>`;

const button = (name: string): string =>
  `<button type="button" class="red-ui-button" id="fxdesk-connection-${name}" disabled data-i18n="connection.${name}"></button>`;

/** What stands in a section before its settings. */
const beforeSettings: Partial<Record<SettingSection, string>> = {
  credentials: hint("connection.secretsDescription"),
};

const tlsRow = row(
  "node-config-input-tls",
  "connection.tls",
  '<input type="text" id="node-config-input-tls" style="width: calc(100% - 155px)">',
);

/** And after them. */
const afterSettings: typeof beforeSettings = { credentials: tlsRow };

const sectionOf = (service: Service, section: SettingSection): string =>
  `<details data-section="${section}"><summary data-i18n="connection.sections.${section}"></summary>` +
  `${beforeSettings[section] ?? ""}${settingRows(service, section)}${afterSettings[section] ?? ""}</details>`;

const variableList = (service: Service): string =>
  settingsOf(service)
    .map(({ name }) => `<li><code>${environmentName(name)}</code></li>`)
    .join("");

/** The form, as a template of the editor. */
const connectionForm = (service: Service): string =>
  [
    row("node-config-input-name", "form.name", textInput("node-config-input-name")),
    '<div class="form-row"><label class="fxdesk-wide"><input type="checkbox" id="node-config-input-fromEnvironment"> <span data-i18n="connection.fromEnvironment"></span></label></div>',
    `<div class="fxdesk-variables">${hint("connection.variables")}<ul>${variableList(service)}</ul></div>`,
    `<div class="fxdesk-settings"><p class="fxdesk-environment-notice" aria-live="polite"></p>${settingRows(service, undefined)}</div>`,
    `<div class="form-row">${button("login")} ${button("test")}</div>`,
    '<p class="fxdesk-hint" id="fxdesk-connection-state" aria-live="polite"></p>',
    `<div class="fxdesk-settings">${hint("connection.settingsDescription")}`,
    ...settingSections.map((section) => sectionOf(service, section)),
    "</div>",
  ].join("\n");

/**
 * Where money is real: a value of a setting, unless another setting holds the whole address, which others make; `others` are
 * its other values, `beside` the settings of the servers whose address it does not make.
 */
function productionOf({ settings, servers }: Service) {
  const productionSetting = settings.find(({ productionValue }) => productionValue !== undefined);
  if (!productionSetting) return undefined;
  const all = Object.values(servers);
  const templateServers = all.filter(({ template: text }) => text?.includes(`{${productionSetting.name}}`));
  return {
    setting: productionSetting.name,
    value: productionSetting.productionValue,
    others: (productionSetting.options ?? []).filter((each) => each !== productionSetting.productionValue),
    replacedBy: templateServers.map(({ setting }) => setting),
    otherServers: all.filter((server) => !templateServers.includes(server)).map(({ setting }) => setting),
    address: templateServers[0]?.template ?? "",
  };
}

/** What a new connection has: no real money, unless a person chooses it. */
function settingDefault({ name, options = [""], productionValue, shape }: Setting): string {
  const value =
    options.find((each) => productionValue !== undefined && each !== productionValue) ?? options[0];
  return `${name}: ${shape ? `shaped(${literal(name)})` : `{ value: ${literal(value)} }`}`;
}

/** The editor takes a reason only from a check that takes two values. */
const shapedPropertyCode =
  'const shaped = (name) => ({ value: "", validate: function (given, _option) { return fxdesk.shapeProblem(this, name, given); } });';

const connectionDefaults = (settings: readonly Setting[]): string[] => [
  'name: { value: "" }',
  "fromEnvironment: { value: false }",
  ...settings.filter(({ secret }) => !secret).map(settingDefault),
  'tls: { type: "tls-config", value: "", required: false }',
  // Where a person said that money may be committed.
  'moneyConfirmed: { value: "" }',
  `version: { value: ${propertiesVersion} }`,
];

const connectionSecrets = (settings: readonly Setting[]): string[] =>
  settings.filter(({ secret }) => secret).map(({ name }) => `${name}: { type: "password" }`);

export function connectionDefinition(service: Service): string {
  const settings = settingsOf(service);
  return `${shapedPropertyCode}
RED.nodes.registerType(${literal(connectionType)}, {
  category: "config",
  defaults: ${properties(connectionDefaults(settings))},
  credentials: ${properties(connectionSecrets(settings))},
  fxdesk: ${literal({
    settings: settings.map(({ name }) => name),
    shapes: Object.fromEntries(settings.flatMap(({ name, shape }) => (shape ? [[name, shape]] : []))),
    defaults: Object.fromEntries(
      settings.flatMap(({ name, default: value }) => (value ? [[name, value]] : [])),
    ),
    production: productionOf(service),
  })},
  label: function () { return fxdesk.connectionLabel(this); },
  oneditprepare: function () { fxdesk.openConnection(this); }
});`;
}

/** The template of its form. */
export const connectionTemplate = (service: Service): string =>
  template(connectionType, wrapForm(connectionForm(service)));
