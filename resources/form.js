/**
 * The forms of the fxdesk nodes in the Node-RED editor. What a form shows comes from the definition of its node
 * (`fxdesk.controls`), its words from the locale of the node set. The editor loads this file as a module.
 */
import { picker } from "./picker.js";

const words = (node, key, values) => node._def._(key, values);
const fieldWords = (node, name) => `operations.${node._def.fxdesk.slug}.fields.${name}`;
const inputId = (name) => `node-input-fxdesk-${name}`;

// ---- The control for a fixed value, as a type of the editor's typed input

const notEmpty = (value) => value !== "";
const isNumber = RED.validators.number(true);

function isJson(value) {
  return value === "" || RED.utils.validateTypedProperty(value, "json") === true;
}

function editJson() {
  RED.editor.editJSON({
    value: this.value(),
    focus: true,
    complete: (value) => this.value(value),
  });
}

const images = "red/images/typedInput";

const fixedTypes = {
  text: () => ({ value: "str", label: "text", icon: `${images}/az.svg`, validate: () => true }),
  number: () => ({ value: "num", label: "number", icon: `${images}/09.svg`, validate: isNumber }),
  list: () => ({ value: "str", label: "a, b, …", icon: "fa fa-ellipsis-h", validate: () => true }),
  json: () => ({
    value: "json",
    label: "JSON",
    icon: `${images}/json.svg`,
    validate: isJson,
    expand: editJson,
  }),
  choice: ({ options }, empty) => ({
    value: "str",
    label: "choice",
    icon: "fa fa-list-ul",
    options: [{ value: "", label: empty }, ...options.map((value) => ({ value, label: value }))],
    validate: () => true,
  }),
  choices: ({ options }, empty) => ({
    value: "str",
    label: "choices",
    icon: "fa fa-check-square-o",
    multiple: true,
    options: options.map((value) => ({ value, label: value })),
    valueLabel: (container, chosen) => container.text(chosen.map(({ value }) => value).join(", ") || empty),
    validate: () => true,
  }),
};

/** What an empty control says. */
function emptyWords(node, { required, hint }) {
  if (required) return words(node, "form.choose");
  return hint === undefined ? words(node, "form.unset") : words(node, "form.usually", { value: hint });
}

function fixedType(node, control) {
  const type = fixedTypes[control.control](control, emptyWords(node, control));
  const { validate } = type;
  return control.required ? { ...type, validate: (value) => notEmpty(value) && validate(value) } : type;
}

const templateType = (node) => ({
  value: "template",
  label: words(node, "form.template"),
  icon: '<span class="fxdesk-braces">{{ }}</span>',
});

function typedInput(node, input, fixed, given) {
  input.typedInput({
    default: fixed.value,
    types: [fixed, templateType(node), "msg", "flow", "global", "jsonata", "env"],
  });
  if (!given) return;
  input.typedInput("type", given.type);
  input.typedInput("value", given.value);
}

const readTypedInput = (input) => ({ type: input.typedInput("type"), value: input.typedInput("value") });

// ---- Rows

function row(id, label, control) {
  const caption = $("<label>").attr("for", id).text(label);
  return $('<div class="form-row">').append(caption, control);
}

function fieldRow(node, control) {
  const id = inputId(control.name);
  const key = fieldWords(node, control.name);
  const input = $('<input type="text">')
    .css("width", "calc(100% - 155px)")
    .attr({ id, placeholder: control.hint });
  const line = row(id, words(node, `${key}.label`), input);
  const caption = line.find("label").toggleClass("fxdesk-required", control.required === true);
  const says = words(node, `${key}.description`);
  if (says) RED.popover.tooltip(caption, says);
  return line;
}

function group(title, open) {
  return $("<details>").prop("open", open).append($("<summary>").text(title));
}

// ---- The fields of an operation

/** More than this many empty optional fields are folded away. */
const shownOptional = 5;

function addFields(node, form) {
  const { controls } = node._def.fxdesk;
  const fields = node.fields || {};
  const optional = controls.filter(({ required }) => !required);
  const filled = optional.some(({ name }) => fields[name]);
  const folded = group(words(node, "form.optional"), filled || optional.length <= shownOptional);
  for (const control of controls) (control.required ? form : folded).append(fieldRow(node, control));
  if (optional.length > 0) form.append(folded);
  for (const control of controls)
    typedInput(
      node,
      $(`#${CSS.escape(inputId(control.name))}`),
      fixedType(node, control),
      fields[control.name],
    );
}

function readFields(node) {
  const fields = {};
  for (const { name } of node._def.fxdesk.controls) {
    const given = readTypedInput($(`#${CSS.escape(inputId(name))}`));
    if (given.value !== "") fields[name] = given;
  }
  return fields;
}

// ---- The choice of an operation, where the type of the node does not say it

/** What is said of an operation: what it does, and its fields, the required ones with a star. */
function describe(node, { summary, effect, fields }) {
  const names = fields.map(({ name, required }) => (required ? `${name}*` : name)).join(", ");
  const takes = names && words(node, "form.takes", { fields: names });
  return [summary, words(node, `form.effect.${effect}`), takes].filter(Boolean).join(" ");
}

const entryOf = ({ name, title, summary }) => ({
  value: name,
  title,
  hint: summary,
  search: `${name} ${title} ${summary}`.toLowerCase(),
});

function addOperation(node, form) {
  const id = "node-input-operation";
  const input = $('<input type="text">').attr({ id, placeholder: words(node, "form.operationHint") });
  const about = $('<p class="fxdesk-hint fxdesk-about" aria-live="polite">').attr("id", `${id}-about`);
  input.val(node.operation).attr("aria-describedby", `${id}-about`);
  const choice = picker(input, (count) => about.text(words(node, "form.matches", { count })));
  form.append(row(id, words(node, "form.operation"), input), choice.list, about);
  // The editor's own request carries its token.
  $.getJSON("fxdesk/operations", (operations) => {
    const tell = () => {
      const chosen = operations.find(({ name }) => name === input.val());
      about.text(chosen ? describe(node, chosen) : "");
    };
    input.on("change blur", tell);
    choice.fill(operations.map(entryOf));
    tell();
  });
}

const inputTypes = (node) => ["msg", "json", "jsonata", templateType(node), "flow", "global", "env"];

function addInput(node, form) {
  const input = $('<input type="text" id="node-input-fxdesk--input">').css("width", "calc(100% - 155px)");
  form.append(row("node-input-fxdesk--input", words(node, "form.input"), input));
  input.typedInput({ default: "msg", types: inputTypes(node) });
  input.typedInput("type", node.input.type);
  input.typedInput("value", node.input.value);
}

/** True, or what is wrong with the input of a node. */
const inputProblem = (node, given, option) =>
  RED.utils.validateTypedProperty(given.value, given.type, { ...option, label: words(node, "form.input") });

// ---- The options of a node

function addPages(node, options) {
  const modes = { all: "form.pagesAll", one: "form.pagesOne", each: "form.pagesEach" };
  const select = $('<select id="node-input-pages">');
  for (const [mode, key] of Object.entries(modes))
    select.append($("<option>").val(mode).text(words(node, key)));
  options.append(row("node-input-pages", words(node, "form.pages"), select.val(node.pages || "all")));
}

function addSaveTo(node, options) {
  const input = $('<input type="text" id="node-input-fxdesk--save-to">').css("width", "calc(100% - 155px)");
  input.attr("placeholder", words(node, "form.saveToHint"));
  options.append(row("node-input-fxdesk--save-to", words(node, "form.saveTo"), input));
  typedInput(node, input, fixedTypes.text(), node.saveTo);
}

function addFromPayload(node, options) {
  const box = $('<input type="checkbox" id="node-input-fromPayload">').prop("checked", node.fromPayload);
  const label = $('<label class="fxdesk-wide">').append(
    box,
    " ",
    $("<span>").text(words(node, "form.fromPayload")),
  );
  options.append($('<div class="form-row">').append(label));
}

function addTimeLimit(node, options) {
  const input = $('<input type="text" id="node-input-timeoutMs">').val(node.timeoutMs);
  input.attr("placeholder", words(node, "form.timeoutHint"));
  options.append(row("node-input-timeoutMs", words(node, "form.timeoutMs"), input));
}

function addOptions(node, form) {
  const { defaults } = node._def;
  const options = group(words(node, "form.options"), true).appendTo(form);
  if (defaults.pages) addPages(node, options);
  if (defaults.saveTo) addSaveTo(node, options);
  if (defaults.fromPayload) addFromPayload(node, options);
  addTimeLimit(node, options);
}

// ---- What the definitions of the nodes call

function openNode(node) {
  const form = $("#dialog-form .fxdesk-fields");
  const { operation, input } = node._def.defaults;
  if (operation) addOperation(node, form);
  if (input) addInput(node, form);
  addFields(node, form);
  addOptions(node, form);
}

function save(node) {
  const { defaults } = node._def;
  if (defaults.fields) node.fields = readFields(node);
  if (defaults.input) node.input = readTypedInput($("#node-input-fxdesk--input"));
  if (defaults.saveTo) node.saveTo = readTypedInput($("#node-input-fxdesk--save-to"));
}

/** True, or what is wrong with the fields of a node. */
function violations(node, fields, option) {
  if (!fields) return true;
  const found = node._def.fxdesk.controls.flatMap(({ name, required }) => {
    const given = fields[name];
    const label = words(node, `${fieldWords(node, name)}.label`);
    if (!given) return required && !node.fromPayload ? [words(node, "form.required", { field: label })] : [];
    const valid = RED.utils.validateTypedProperty(given.value, given.type, { ...option, label });
    return valid === true ? [] : [valid];
  });
  return found.length === 0 || found;
}

/** A new node takes the connection when there is only one. */
function added(node) {
  const connections = [];
  RED.nodes.eachConfig((config) => {
    if (config.type === "fxdesk-connection") connections.push(config.id);
  });
  if (!node.connection && connections.length === 1) node.connection = connections[0];
}

const label = (node) =>
  node.name || node.operation || words(node, `operations.${node._def.fxdesk.slug}.label`);
const labelStyle = (node) => (node.name ? "node_label_italic" : "");

// ---- The connection

const connectionLabel = (node) =>
  node.name ||
  (node.fromEnvironment ? words(node, "connection.environment") : node.baseUrl || node.domain) ||
  "fxdesk";

function openConnection(node) {
  const form = $(".fxdesk-settings");
  const variables = $(".fxdesk-variables");
  for (const name of node._def.fxdesk.settings) {
    const key = `connection.settings.${name}`;
    variables.find("ul").append($("<li>").append($("<code>").text(words(node, `${key}.variable`))));
    RED.popover.tooltip(
      form.find(`label[for="node-config-input-${name}"]`),
      words(node, `${key}.description`),
    );
  }
  // A connection from a flow written by hand may have nothing selected.
  form.find("select").each(function () {
    this.selectedIndex = Math.max(this.selectedIndex, 0);
  });
  $("#node-config-input-fromEnvironment")
    .on("change", function () {
      form.toggle(!this.checked);
      variables.toggle(this.checked);
    })
    .trigger("change");
}

window.fxdesk = {
  added,
  connectionLabel,
  inputProblem,
  label,
  labelStyle,
  open: openNode,
  openConnection,
  violations,
  save,
};
