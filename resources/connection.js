/** The form of a connection. */

import { addressesOf, namesIn, riskOf } from "./production.js";
import { settingWords, withWords, words } from "./words.js";

/** What the form holds, by name. */
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
  (node.fromEnvironment ? words(node, "connection.environment") : node.baseUrl || node.domain) ||
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

/** Nobody knows before the deploy what a variable holds. */
const hasVariable = (text) => /\$[{(]/.test(text);

const fits = (shape, text) => text === "" || hasVariable(text) || shapes[shape](text);

const reasonOf = (node, shape) => words(node, `connection.shapes.${shape}`);

/** Of a property of a connection, for the editor: true, or what is wrong with it. */
export function shapeProblem(node, name, given) {
  const { [name]: shape } = node._def.fxdesk.shapes;
  if (node.fromEnvironment || fits(shape, String(given ?? ""))) return true;
  return `${settingWords(name).label}: ${reasonOf(node, shape)}`;
}

/** Says below a field what is wrong with what is typed. */
function addShapes(node) {
  for (const [name, shape] of Object.entries(node._def.fxdesk.shapes)) {
    const input = $(`#node-config-input-${name}`);
    const reason = $(`#node-config-input-${name}-reason`);
    input.attr("aria-describedby", reason.attr("id")).on("input change", () => {
      const isFitting = fits(shape, input.val());
      input.attr("aria-invalid", String(!isFitting));
      reason.text(isFitting ? "" : reasonOf(node, shape));
    });
    input.trigger("change");
  }
}

/** Shows where the connection leads, in the colour of its risk, and of the fields of an address those that count. */
function addLeads(node) {
  const { production } = node._def.fxdesk;
  if (!production) return;
  const { setting, replacedBy, address: template } = production;
  const parts = namesIn(template).filter((name) => name !== setting);
  const look = () => {
    const values = valuesOf(node);
    const connection = { ...values, _def: node._def };
    const risk = riskOf(connection);
    const address = addressesOf(connection).join(", ") || words(node, "connection.leads.nowhere");
    $(".fxdesk-leads")
      .attr("data-risk", risk)
      .text(words(node, `connection.leads.${risk}`, { address }));
    const isReplaced = replacedBy.some((name) => values[name]);
    for (const name of parts)
      $(`#node-config-input-${name}`)
        .closest(".form-row")
        .toggle(!isReplaced || values[name] !== "");
  };
  $(".fxdesk-settings").on("input change", look);
  look();
}

/** What a select stands for where nothing is chosen. */
const usualOf = ({ _def }, select) =>
  _def.fxdesk.usual[select.id.replace("node-config-input-", "")] ?? select.options[0].value;

/** What nobody needs at first is folded away, unless it is filled; a new connection needs credentials. */
function foldSections(node) {
  const { settings, usual, production } = node._def.fxdesk;
  const isFilled = (name) => {
    const control = $(`#node-config-input-${name}`);
    const empty = control.is("select") ? usualOf(node, control[0]) : (usual[name] ?? "");
    return (control.val() ?? "") !== empty && name !== production?.setting;
  };
  const isNew = !settings.some(isFilled);
  $(".fxdesk-settings details").each(function () {
    const names = settings.filter((name) => $(this).find(`#node-config-input-${name}`).length > 0);
    const isNeeded = this.dataset.section === "credentials" && (isNew || node.tls);
    this.open = names.some(isFilled) || Boolean(isNeeded);
  });
}

function nameSettings({ _def }, form) {
  for (const name of _def.fxdesk.settings) {
    const { label, description } = settingWords(name);
    const caption = form.find(`label[for="node-config-input-${name}"]`).text(label);
    if (description) RED.popover.tooltip(caption, description);
  }
}

export function openConnection(node) {
  const form = $(".fxdesk-settings");
  const variables = $(".fxdesk-variables");
  const state = $("#fxdesk-connection-state");
  withWords(node, { form, state, fill: () => nameSettings(node, form) });
  form.find("select").each(function () {
    const given = node[this.id.replace("node-config-input-", "")];
    // What a flow holds stays: a variable is none of the options. Where it holds nothing, what is usual counts.
    if (given && this.value !== given) $(this).append(new Option(given));
    this.value = given || usualOf(node, this);
  });
  foldSections(node);
  addShapes(node);
  addLeads(node);
  $("#node-config-input-fromEnvironment")
    .on("change", function () {
      form.toggle(!this.checked);
      variables.toggle(this.checked);
      $("#fxdesk-connection-login").toggle(!this.checked);
    })
    .trigger("change");
  // Few open this form, and all load this file.
  void import("./attempts.js").then(({ addAttempts }) => addAttempts(node, () => valuesOf(node)));
}
