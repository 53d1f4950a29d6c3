/** Generates the form and the editor definition of the connection. */
import { environmentName, settingsOf } from "../../core/call/settings";
import { type Service, type Setting, type SettingSection, settingSections } from "../../core/spec/service";
import { connectionType } from "../shared/node-names";
import { wrapForm, literal, properties, row, template, textInput, propertiesVersion } from "./editor-code";

const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns an option. The production value of the environment setting is shown as the word "Production". */
function option(value: string, { productionValue }: Setting): string {
  const words = value === productionValue ? ' data-i18n="connection.productionName"' : "";
  return `<option value="${value}"${words}>${productionValue === undefined ? value : capitalise(value)}</option>`;
}

/** Returns the row of a setting. Its label is loaded when the form is opened. */
function settingRow(setting: Setting): string {
  const { name, secret, options, example } = setting;
  const id = `node-config-input-${name}`;
  const control = options
    ? `<select id="${id}">${options.map((value) => option(value, setting)).join("")}</select>`
    : textInput(id, secret ? "password" : "text", example);
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

/** HTML before the settings of a section. */
const beforeSettings: Partial<Record<SettingSection, string>> = {
  credentials: hint("connection.secretsDescription"),
};

const tlsRow = row(
  "node-config-input-tls",
  "connection.tls",
  '<input type="text" id="node-config-input-tls" style="width: calc(100% - 155px)">',
);

/** HTML after the settings of a section. */
const afterSettings: typeof beforeSettings = { credentials: tlsRow };

const sectionOf = (service: Service, section: SettingSection): string =>
  `<details data-section="${section}"><summary data-i18n="connection.sections.${section}"></summary>` +
  `${beforeSettings[section] ?? ""}${settingRows(service, section)}${afterSettings[section] ?? ""}</details>`;

const variableList = (service: Service): string =>
  settingsOf(service)
    .map(({ name }) => `<li><code>${environmentName(name)}</code></li>`)
    .join("");

/** Returns the HTML of the form. */
const connectionForm = (service: Service): string =>
  [
    row("node-config-input-name", "form.name", textInput("node-config-input-name")),
    '<div class="form-row"><label class="fxdesk-wide"><input type="checkbox" id="node-config-input-fromEnvironment"> <span data-i18n="connection.fromEnvironment"></span></label></div>',
    `<div class="fxdesk-settings"><p class="fxdesk-environment-notice" aria-live="polite"></p>${settingRows(service, undefined)}</div>`,
    `<div class="form-row">${button("login")} ${button("test")}</div>`,
    '<p class="fxdesk-hint" id="fxdesk-connection-state" aria-live="polite"></p>',
    // After the buttons: the list is longer than a screen.
    `<div class="fxdesk-variables">${hint("connection.variables")}<ul>${variableList(service)}</ul></div>`,
    `<div class="fxdesk-settings">${hint("connection.settingsDescription")}`,
    ...settingSections.map((section) => sectionOf(service, section)),
    "</div>",
  ].join("\n");

/**
 * Returns how the editor detects production: the setting and its production value, its `others` values, the settings with a
 * full address that replace the template (`replacedBy`), and the address settings of `otherServers`.
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

/** Returns the default of a setting in a new connection. The environment is never production by default. */
function settingDefault({ name, options = [""], productionValue, shape }: Setting): string {
  const value =
    options.find((each) => productionValue !== undefined && each !== productionValue) ?? options[0];
  return `${name}: ${shape ? `shaped(${literal(name)})` : `{ value: ${literal(value)} }`}`;
}

/** The validator declares two parameters because the editor accepts error messages only from such functions. */
const shapedPropertyCode =
  'const shaped = (name) => ({ value: "", validate: function (given, _option) { return fxdesk.shapeProblem(this, name, given); } });';

const connectionDefaults = (settings: readonly Setting[]): string[] => [
  'name: { value: "" }',
  "fromEnvironment: { value: false }",
  ...settings.filter(({ secret }) => !secret).map(settingDefault),
  'tls: { type: "tls-config", value: "", required: false }',
  // Addresses that the user confirmed for nodes that commit money.
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

/** Returns the editor template of the form. */
export const connectionTemplate = (service: Service): string =>
  template(connectionType, wrapForm(connectionForm(service)));
