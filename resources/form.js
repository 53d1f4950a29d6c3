/**
 * The fxdesk nodes in the Node-RED editor: their labels, validation and forms. The editor loads this file as a module; the
 * first form loads the code that fills it.
 */
import { connectionLabel, openConnection, shapeProblem } from "./connection.js";
import { areTextsLoaded, titleOf, translate, whenTextsLoaded } from "./form-texts.js";
import "./help.js";
import { completePaletteNode, shapeTriggers } from "./palette.js";
import { guardDeploys } from "./production-guard.js";
import { fieldsProblem, inputProblem, optionProblem } from "./validation.js";
import { openControls, saveControls } from "./written-controls.js";

/** The module that fills the forms, once the first form has loaded it. */
let nodeForm;

async function loadNodeForm() {
  nodeForm = await import("./node-form.js");
}

const formFields = () => $("#dialog-form .fxdesk-fields");

function openNode(node) {
  const form = formFields();
  if (nodeForm && areTextsLoaded()) return nodeForm.fillForm(node, form);
  const state = $('<p class="fxdesk-hint" role="status">').appendTo(form);
  const fill = () => {
    state.filter(":empty").remove();
    nodeForm.fillForm(node, form);
    form.attr("aria-busy", "false");
    // The editor validated the empty form; a change event makes it validate again.
    $("#node-input-name").trigger("change");
  };
  form.attr("aria-busy", "true");
  loadNodeForm().then(
    () => whenTextsLoaded(node, { form, state, fill }),
    () => state.text(translate("form.formFailed")),
  );
}

function saveNode(node) {
  // The form is still empty while its code and texts load; saving it would erase the fields.
  if (formFields().attr("aria-busy") !== "true") nodeForm.saveForm(node);
}

/** Assigns the only connection to a new node. */
function connectNewNode(node) {
  const connections = [];
  RED.nodes.eachConfig((config) => {
    if (config.type === "fxdesk-connection") connections.push(config.id);
  });
  if (!node.connection && connections.length === 1) node.connection = connections[0];
}

/** Adds the connection that all examples refer to, if it does not exist yet. */
function addExampleConnection(node, connection) {
  if (node.connection !== connection.id || RED.nodes.node(connection.id)) return;
  RED.nodes.import([{ ...connection }], { markChanged: true });
  RED.nodes.updateConfigNodeUsers(node, { action: "add" });
}

/** Maximum length of a value in a node label. Longer values and identifiers are not helpful there. */
const maxChosenLength = 24;

/** Returns the fixed value of a field as a person chose it, or undefined. */
function chosenText({ fields = {} }, name) {
  const given = fields[name];
  return given && isFixed(given) ? (given.label ?? given.value) : undefined;
}

/** Returns what a node label says of the form: both currencies with the fixed amount, or the first short fixed value. */
function chosenValueOf(node) {
  const { controls } = node._def.fxdesk;
  const { sell, buy } = controls.find(({ pairOf }) => pairOf)?.pairOf ?? {};
  const [sold, bought] = [sell, buy].map((name) => chosenText(node, name));
  if (sold && bought) {
    const [amount, side] = [chosenText(node, "amount"), node.fields.fixed_side?.value];
    // Beside its currency, which an amount alone would leave open.
    const textOf = (its, currency) => (amount && side === its ? `${amount} ${currency}` : currency);
    return `${textOf("sell", sold)} → ${textOf("buy", bought)}`;
  }
  return controls
    .map(({ name }) => chosenText(node, name))
    .find((text) => text !== undefined && text.length <= maxChosenLength);
}

const isFixed = ({ type }) => type === "str" || type === "num";

function nodeLabel(node) {
  const named = node.name || node.operation;
  if (named) return named;
  const chosen = chosenValueOf(node);
  const title = titleOf(node._def);
  return chosen ? `${title} · ${chosen}` : title;
}
const labelStyle = (node) => (node.name ? "node_label_italic" : "");

guardDeploys();
shapeTriggers();
RED.nodes.registry.getNodeTypes().forEach(completePaletteNode);
RED.events.on("registry:node-type-added", completePaletteNode);

window.fxdesk = {
  connectNewNode,
  addExampleConnection,
  connectionLabel,
  inputProblem,
  label: nodeLabel,
  labelStyle,
  open: openNode,
  openConnection,
  openControls,
  fieldsProblem,
  optionProblem,
  save: saveNode,
  saveControls,
  shapeProblem,
};
