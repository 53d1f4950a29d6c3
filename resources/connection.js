/** The connection form. */

import { addressesOf, namesIn, riskOf } from "./production-guard.js";
import { settingTexts, whenTextsLoaded, translate } from "./form-texts.js";

/** Returns the current values of the form by name. */
function valuesOf(node) {
  const input = (name) => $(`#node-config-input-${name}`);
  const values = Object.fromEntries(
    [...node._def.fxdesk.settings, "tls"].map((name) => [name, String(input(name).val() ?? "")]),
  );
  if (values.tls === "_ADD_") values.tls = "";
  if (input("fromEnvironment").prop("checked")) values.fromEnvironment = "true";
  return values;
}

export const connectionLabel = (node) =>
  node.name ||
  (node.fromEnvironment ? translate("connection.environment") : node.baseUrl || node.domain) ||
  "fxdesk";

const isAddress = (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
const isByte = (text) => /^\d{1,3}$/.test(text) && Number(text) < 256;
const shapes = {
  address: isAddress,
  count: (text) => /^[1-9]\d*$/.test(text),
  host: (text) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i.test(text),
  uri: (text) => URL.canParse(text),
  ipv4: (text) => text.split(".").length === 4 && text.split(".").every(isByte),
};

/** The value of a variable is unknown until the deploy, so it is not checked. */
const hasVariable = (text) => /\$[{(]/.test(text);

const matchesShape = (shape, text) => text === "" || hasVariable(text) || shapes[shape](text);

const shapeMessage = (node, shape) => translate(`connection.shapes.${shape}`);

/** Validates a property of a connection. Returns true or an error message, as the editor expects. */
export function shapeProblem(node, name, given) {
  const { [name]: shape } = node._def.fxdesk.shapes;
  if (node.fromEnvironment || matchesShape(shape, String(given ?? ""))) return true;
  return `${settingTexts(name).label}: ${shapeMessage(node, shape)}`;
}

/** Shows validation errors below each field as the user types. */
function addShapeChecks(node) {
  for (const [name, shape] of Object.entries(node._def.fxdesk.shapes)) {
    const input = $(`#node-config-input-${name}`);
    const reason = $(`#node-config-input-${name}-error`);
    input.attr("aria-describedby", reason.attr("id")).on("input change", () => {
      const isFitting = matchesShape(shape, input.val());
      input.attr("aria-invalid", String(!isFitting));
      reason.text(isFitting ? "" : shapeMessage(node, shape));
    });
    input.trigger("change");
  }
}

/** Shows environment and address in the colour of their risk. Hides fields that a full address replaces. */
function addEnvironmentNotice(node) {
  const { production } = node._def.fxdesk;
  if (!production) return;
  const { setting, replacedBy, address: template } = production;
  const parts = namesIn(template).filter((name) => name !== setting);
  const updateNotice = () => {
    const values = valuesOf(node);
    const connection = { ...values, _def: node._def };
    const risk = riskOf(connection);
    const address = addressesOf(connection).join(", ") || translate("connection.notice.noAddress");
    $(".fxdesk-environment-notice")
      .attr("data-risk", risk)
      .text(translate(`connection.notice.${risk}`, { address }));
    const isReplaced = replacedBy.some((name) => values[name]);
    for (const name of parts)
      $(`#node-config-input-${name}`)
        .closest(".form-row")
        .toggle(!isReplaced || values[name] !== "");
  };
  $(".fxdesk-settings").on("input change", updateNotice);
  updateNotice();
}

/** Returns the effective value of a select without a choice. */
const defaultOf = ({ _def }, select) =>
  _def.fxdesk.defaults[select.id.replace("node-config-input-", "")] ?? select.options[0].value;

/** Opens the sections that contain values, and the credentials of a new connection. */
function foldSections(node) {
  const { settings, defaults, production } = node._def.fxdesk;
  const isFilled = (name) => {
    const control = $(`#node-config-input-${name}`);
    const empty = control.is("select") ? defaultOf(node, control[0]) : (defaults[name] ?? "");
    return (control.val() ?? "") !== empty && name !== production?.setting;
  };
  const isNew = !settings.some(isFilled);
  $(".fxdesk-settings details").each(function () {
    const names = settings.filter((name) => $(this).find(`#node-config-input-${name}`).length > 0);
    const isNeeded = this.dataset.section === "credentials" && (isNew || node.tls);
    this.open = names.some(isFilled) || Boolean(isNeeded);
  });
}

function labelSettings({ _def }, form) {
  for (const name of _def.fxdesk.settings) {
    const { label, description } = settingTexts(name);
    const caption = form.find(`label[for="node-config-input-${name}"]`).text(label);
    if (description) RED.popover.tooltip(caption, description);
  }
}

export function openConnection(node) {
  const form = $(".fxdesk-settings");
  const variables = $(".fxdesk-variables");
  const state = $("#fxdesk-connection-state");
  whenTextsLoaded(node, { form, state, fill: () => labelSettings(node, form) });
  form.find("select").each(function () {
    const given = node[this.id.replace("node-config-input-", "")];
    // Keeps a stored value that is not among the options, for example a variable.
    if (given && this.value !== given) $(this).append(new Option(given));
    this.value = given || defaultOf(node, this);
  });
  foldSections(node);
  addShapeChecks(node);
  addEnvironmentNotice(node);
  $("#node-config-input-fromEnvironment")
    .on("change", function () {
      form.toggle(!this.checked);
      variables.toggle(this.checked);
      $("#fxdesk-connection-login").toggle(!this.checked);
    })
    .trigger("change");
  // Loaded on demand: every editor loads this file, but few users open this form.
  void import("./connection-actions.js").then(({ addConnectionActions }) =>
    addConnectionActions(node, () => valuesOf(node)),
  );
}
