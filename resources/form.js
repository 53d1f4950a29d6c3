/**
 * The forms of the fxdesk nodes in the Node-RED editor. What a form shows comes from the definition of its node
 * (`fxdesk.controls`), its words from the locale of the node set and from what declarations say. The editor loads this file
 * as a module.
 */
import { connectionLabel, openConnection, shapeProblem } from "./connection.js";
import "./help.js";
import { momentPicker } from "./moments.js";
import { picker } from "./picker.js";
import { makeSearchable, summaryOf } from "./palette.js";
import { placesOf, wayOf } from "./places.js";
import { guardDeploys } from "./production.js";
import { addRows } from "./rows.js";
import { check, listFor, messageOf, tryRead } from "./through.js";
import { fieldWords, isWordsKnown, readWords, titleOf, withWords, words } from "./words.js";

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
  text: () => ({ value: "str", icon: `${images}/az.svg`, validate: () => true }),
  number: () => ({ value: "num", icon: `${images}/09.svg`, validate: isNumber }),
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
    icon: "fa fa-list-ul",
    options: [{ value: "", label: empty }, ...options.map((value) => ({ value, label: value }))],
    validate: () => true,
  }),
  choices: ({ options }, empty) => ({
    value: "str",
    icon: "fa fa-check-square-o",
    multiple: true,
    options: options.map((value) => ({ value, label: value })),
    valueLabel: (container, chosen) => container.text(chosen.map(({ value }) => value).join(", ") || empty),
    validate: () => true,
  }),
};

/** One that is called in the words of the locale, unless it has a label for all languages. */
const fixedTypeOf = (node, kind, ...given) => ({
  label: words(node, `form.kinds.${kind}`),
  ...fixedTypes[kind](...given),
});

/** What an empty control says. */
function emptyWords(node, { required, hint }) {
  if (required) return words(node, "form.choose");
  return hint === undefined ? words(node, "form.unset") : words(node, "form.usually", { value: hint });
}

function fixedType(node, control) {
  const type = fixedTypeOf(node, control.control, control, emptyWords(node, control));
  const { validate } = type;
  return control.required ? { ...type, validate: (value) => notEmpty(value) && validate(value) } : type;
}

const templateType = (node) => ({
  value: "template",
  label: words(node, "form.template"),
  icon: '<span class="fxdesk-braces">{{ }}</span>',
});

function typedInput(node, input, fixed, given) {
  const { trigger } = node._def.fxdesk;
  const types = trigger
    ? [fixed, "flow", "global", "env"]
    : [fixed, templateType(node), "msg", "flow", "global", "jsonata", "env"];
  input.typedInput({ default: fixed.value, types });
  nameParts(input);
  if (given) {
    input.typedInput("type", given.type);
    input.typedInput("value", given.value);
  }
  return types;
}

/** The line of text that a typed input shows. */
const innerOf = (input) => input.parent().find(".red-ui-typedInput-input");

/** Gives the parts of a typed input, which have no names of their own, that of its row. */
function nameParts(input) {
  const line = input.closest(".form-row");
  const caption = line.find("label").first();
  const id = `${input.attr("id")}-text`;
  innerOf(input).attr("id", id);
  caption.attr("for", id);
  line.find("button[class*=red-ui-typedInput-option]").attr("aria-label", caption.text());
}

/** Makes a picker of a field while it holds a fixed value. */
function pickerOf(input, options) {
  const inner = innerOf(input);
  const line = inner.closest(".form-row");
  const isActive = () => input.typedInput("type") === "str";
  const choice = picker(inner, { isActive, label: line.find("label").first().text(), ...options });
  line.after(choice.list);
  return choice;
}

/** Lets a fixed value be picked from what there is; what was picked is remembered by what people call it. */
function addPicker(node, input, { list, several }) {
  const inner = innerOf(input);
  const choice = pickerOf(input, {
    several: several === true,
    chosen: ({ label }) => input.data("fxdeskLabel", label),
  });
  inner.on("input", () => input.removeData("fxdeskLabel"));
  const entryOf = ({ value, title, label }) => ({
    value,
    label,
    main: title || value,
    aside: title ? value : "",
    search: `${value} ${title}`.toLowerCase(),
  });
  const load = () =>
    listFor($("#node-input-connection").val(), list)?.done(({ entries }) =>
      choice.fill(entries.map(entryOf)),
    );
  inner.one("focus", load);
  $("#node-input-connection").on("change", () => inner.off("focus", load).one("focus", load));
}

/** Offers the ways to say a period that come to mind first. */
function addPeriods(input, { periods }) {
  pickerOf(input, {}).fill(periods.map((value) => ({ value, main: value, aside: "", search: value })));
}

/** Offers the browser's own pickers for a time while it is a fixed value. */
function addMoment(node, input, { moment }) {
  const line = input.closest(".form-row");
  const pickers = momentPicker(moment, {
    label: line.find("label").first().text(),
    words: (key) => words(node, key),
    put: (text) => input.typedInput("value", text),
  });
  line.children(".red-ui-typedInput-container").after(pickers.line);
  const follow = () => {
    pickers.line.toggle(input.typedInput("type") === "str");
    pickers.show(input.typedInput("value"));
  };
  line.on("change input", follow);
  follow();
}

const readTypedInput = (input) => ({ type: input.typedInput("type"), value: input.typedInput("value") });

// ---- Rows

function row(id, label, control) {
  const caption = $("<label>").attr("for", id).text(label);
  return $('<div class="form-row">').append(caption, control);
}

function fieldRow(node, control) {
  const id = inputId(control.name);
  const { label, description } = fieldWords(node, control.name);
  const input = $('<input type="text">')
    .css("width", "calc(100% - 155px)")
    .attr({ id, placeholder: control.hint });
  const line = row(id, label, input);
  const caption = line.find("label").toggleClass("fxdesk-required", control.required === true);
  line.append($('<p class="fxdesk-reason" aria-live="polite">').attr("id", `${id}-reason`));
  if (description) RED.popover.tooltip(caption, description);
  return line;
}

function group(title, open) {
  return $("<details>").prop("open", open).append($("<summary>").text(title));
}

// ---- The fields of an operation

const fieldInput = (name) => $(`#${CSS.escape(inputId(name))}`);

/** More than this many empty optional fields are folded away. */
const shownOptional = 5;

/** A choice between the ways to give something, of which one counts; the others are emptied. */
function addWays(node, form, ways, place) {
  const { controls, rules = [] } = node._def.fxdesk;
  for (const [index, rule] of rules.entries()) {
    if (
      rule.kind !== "exactly-one" ||
      !rule.fields.every((name) => controls.some((each) => each.name === name))
    )
      continue;
    const id = `${inputId(rule.fields.join("-"))}-way`;
    const select = $("<select>").attr("id", id);
    for (const name of rule.fields) select.append($("<option>").val(name).text(fieldWords(node, name).label));
    ways[index] = wayOf(rule, filledIn);
    select.val(ways[index]).on("change", () => {
      ways[index] = select.val();
      for (const name of rule.fields) if (name !== ways[index]) fieldInput(name).typedInput("value", "");
      place();
    });
    form.append(row(id, words(node, "form.way"), select));
  }
}

/** What a field holds, wherever its value comes from. */
const filledIn = (name) => fieldInput(name).typedInput("value") || undefined;

/** Puts each field where the rules want it, whenever a value changes. */
function keepPlaced(node, top, folded, ways) {
  const { controls, rules = [] } = node._def.fxdesk;
  const place = () => {
    const places = placesOf({ controls, rules }, filledIn, ways);
    for (const { name } of controls) {
      const isNeeded = places.get(name) === "needed";
      const line = fieldInput(name).closest(".form-row");
      const lines = line.add(line.next(".fxdesk-list"));
      line
        .toggle(places.get(name) !== "hidden")
        .children("label")
        .toggleClass("fxdesk-required", isNeeded);
      const home = isNeeded || places.get(name) === "first" ? top : folded;
      // A row that is moved would lose the focus of who types in it.
      if (!home[0].contains(line[0]) && !line.is(":focus-within")) home.append(lines);
    }
    folded.toggle(folded.children(".form-row").length > 0);
  };
  return place;
}

/** Makes the control of a field, and what helps to fill it. */
function addValue(node, control, given) {
  const input = fieldInput(control.name);
  const type = fixedType(node, control);
  const types = typedInput(node, input, type, given);
  innerOf(input).attr("aria-describedby", `${inputId(control.name)}-reason`);
  if (given?.label) input.data("fxdeskLabel", given.label);
  if (control.list) addPicker(node, input, control);
  if (control.periods) addPeriods(input, control);
  if (control.moment) addMoment(node, input, control);
  const { label, parts } = fieldWords(node, control.name);
  if (control.part)
    addRows(input, {
      type,
      types,
      part: control.part,
      said: { label, parts },
      words: (each, values) => words(node, each, values),
    });
}

function addFields(node, form) {
  const { controls } = node._def.fxdesk;
  const fields = node.fields || {};
  const optional = controls.filter(({ required }) => !required);
  const filled = optional.some(({ name }) => fields[name]);
  const folded = group(words(node, "form.optional"), filled || optional.length <= shownOptional);
  const choices = $("<div>");
  const top = $("<div>");
  form.append(choices, top);
  for (const control of controls) (control.required ? top : folded).append(fieldRow(node, control));
  if (optional.length > 0) form.append(folded);
  for (const control of controls) addValue(node, control, fields[control.name]);
  if (controls.length === 0) return;
  const ways = [];
  const place = keepPlaced(node, top, folded, ways);
  addWays(node, choices, ways, place);
  place();
  form.on("change", place);
  addReasons(node, form);
}

function readFields(node) {
  const fields = {};
  for (const { name } of node._def.fxdesk.controls) {
    const given = readTypedInput(fieldInput(name));
    const label = fieldInput(name).data("fxdeskLabel");
    if (given.value !== "") fields[name] = label ? { ...given, label } : given;
  }
  return fields;
}

/** A pause in which a person types on. */
const typingMs = 250;

/** Says below each field what is wrong with its value, in the words with which a message would be refused. */
function addReasons(node, form) {
  const { operation, controls } = node._def.fxdesk;
  let due;
  const show = ({ violations }) => {
    for (const { name } of controls) {
      const own = violations.filter(({ field }) => field.split(".")[0] === name);
      const reason = own
        .map(({ field, message }) => (field === name ? message : `${field} ${message}`))
        .join("; ");
      $(`#${CSS.escape(inputId(name))}-reason`).text(reason);
      innerOf(fieldInput(name)).attr("aria-invalid", String(own.length > 0));
    }
  };
  const look = () => check(operation, readFields(node)).done(show);
  form.on("input change", () => {
    clearTimeout(due);
    due = setTimeout(look, typingMs);
  });
}

/** What the form holds that says what is read. */
function asked(node) {
  const { operation, input } = node._def.defaults;
  return {
    operation: operation ? $("#node-input-operation").val() : node._def.fxdesk.operation,
    fields: readFields(node),
    ...(input && { input: readTypedInput($("#node-input-fxdesk--input")) }),
    ...(node._def.fxdesk.trigger && { from: $("#node-input-from").val() }),
  };
}

/** Makes a read with what the form holds, and shows the response; of a watch, what it would tell. */
function addTry(node, form) {
  const told = node._def.fxdesk.trigger ? ["form.told", "form.toldCut"] : ["form.tried", "form.triedCut"];
  const button = $('<button type="button" class="red-ui-button" id="fxdesk-try">').text(
    words(node, "form.try"),
  );
  const state = $('<p class="fxdesk-hint" aria-live="polite" id="fxdesk-try-state">');
  const response = $('<pre class="fxdesk-response" tabindex="0">').attr(
    "aria-label",
    words(node, "form.response"),
  );
  form.append($('<div class="form-row">').append(button), state, response.hide());
  const shown = ({ status, text, isCut, entries }) => {
    state.text(words(node, told[Number(isCut)], { status, count: entries }));
    response.text(text).show();
  };
  button.on("click", () => {
    response.hide();
    state.text(words(node, "form.trying"));
    const body = { ...asked(node), node: node.id };
    const reading = tryRead($("#node-input-connection").val(), body);
    if (reading) reading.done(shown).fail((failed) => state.text(messageOf(failed)));
    else state.text(words(node, "form.tryUnconnected"));
  });
}

// ---- The choice of an operation, where the type of the node does not say it

/** What is said of an operation: what it does, and its fields, the required ones with a star. */
function describe(node, { summary, effect, fields }) {
  const names = fields.map(({ name, required }) => (required ? `${name}*` : name)).join(", ");
  const takes = names && words(node, "form.takes", { fields: names });
  return [summary, words(node, `form.effect.${effect}`), takes].filter(Boolean).join(" ");
}

/** An operation with the title and the summary of its node, which are in the editor's language, where it has one. */
function inOwnWords(operation) {
  const types = RED.nodes.registry.getNodeTypes();
  const type = types.find((each) => RED.nodes.getType(each).fxdesk?.operation === operation.name);
  const { title, summary } = operation;
  const said = type && { title: titleOf(RED.nodes.getType(type)), summary: summaryOf(type) };
  return { ...operation, ...said, declared: `${title} ${summary}` };
}

const entryOf = ({ name, title, summary, declared }) => ({
  value: name,
  main: name,
  aside: title,
  hint: summary,
  search: `${name} ${title} ${summary} ${declared}`.toLowerCase(),
});

function addOperation(node, form) {
  const id = "node-input-operation";
  const input = $('<input type="text">').attr({ id, placeholder: words(node, "form.operationHint") });
  const about = $('<p class="fxdesk-hint fxdesk-about" aria-live="polite">').attr("id", `${id}-about`);
  input.val(node.operation).attr("aria-describedby", `${id}-about`);
  const caption = words(node, node._def.fxdesk.trigger ? "form.watch" : "form.operation");
  const choice = picker(input, {
    found: (count) => about.text(words(node, "form.matches", { count })),
    label: input.attr("placeholder"),
  });
  form.append(row(id, caption, input), choice.list, about);
  // The editor's own request carries its token.
  $.getJSON(node._def.fxdesk.trigger ? "fxdesk/watches" : "fxdesk/operations", (all) => {
    const operations = all.map(inOwnWords);
    const chosen = () => operations.find(({ name }) => name === input.val());
    const tell = () => about.text(chosen() ? describe(node, chosen()) : "");
    // Told as soon as it is written out: what stands below must not move when it is clicked.
    input.on("change blur", tell).on("input", () => chosen() && tell());
    choice.fill(operations.map(entryOf));
    tell();
  });
}

const inputTypes = (node) =>
  node._def.fxdesk.trigger
    ? ["json", "flow", "global", "env"]
    : ["msg", "json", "jsonata", templateType(node), "flow", "global", "env"];

function addInput(node, form) {
  const input = $('<input type="text" id="node-input-fxdesk--input">').css("width", "calc(100% - 155px)");
  form.append(row("node-input-fxdesk--input", words(node, "form.input"), input));
  const types = inputTypes(node);
  input.typedInput({ default: types[0], types });
  nameParts(input);
  const given = node.input || node._def.defaults.input.value;
  input.typedInput("type", given.type);
  input.typedInput("value", given.value);
}

/** True, or what is wrong with the input of a node. */
const inputProblem = (node, given, option) =>
  !given ||
  RED.utils.validateTypedProperty(given.value, given.type, { ...option, label: words(node, "form.input") });

// ---- The options of a node

/** A choice of how the property of that name is sent on; the first mode is in force where nothing is said. */
function addModes(node, options, name, modes) {
  const id = `node-input-${name}`;
  const select = $("<select>").attr("id", id);
  for (const [mode, key] of Object.entries(modes))
    select.append($("<option>").val(mode).text(words(node, key)));
  const [usual] = Object.keys(modes);
  options.append(row(id, words(node, `form.${name}`), select.val(node[name] || usual)));
}

const pageModes = {
  all: "form.pagesAll",
  one: "form.pagesOne",
  each: "form.pagesEach",
  items: "form.pagesItems",
};
const rowModes = { whole: "form.rowsWhole", each: "form.rowsEach" };

function addSaveTo(node, options) {
  const input = $('<input type="text" id="node-input-fxdesk--save-to">').css("width", "calc(100% - 155px)");
  input.attr("placeholder", words(node, "form.saveToHint"));
  options.append(row("node-input-fxdesk--save-to", words(node, "form.saveTo"), input));
  typedInput(node, input, fixedTypeOf(node, "text"), node.saveTo);
}

function addRequestKey(node, options) {
  const id = "node-input-fxdesk--request-key";
  const input = $('<input type="text">').css("width", "calc(100% - 155px)").attr("id", id);
  const line = row(id, words(node, "form.requestKey"), input);
  RED.popover.tooltip(line.find("label"), words(node, "form.requestKeyDescription"));
  options.append(line);
  typedInput(node, input, fixedTypeOf(node, "text"), node.requestKey || node._def.defaults.requestKey.value);
}

function addBox(options, id, checked, text) {
  const box = $('<input type="checkbox">').attr("id", id).prop("checked", checked);
  const label = $('<label class="fxdesk-wide">').append(box, " ", $("<span>").text(text));
  options.append($('<div class="form-row">').append(label));
}

function addResultTo(node, options) {
  const id = "node-input-fxdesk--result-to";
  const input = $('<input type="text">').css("width", "calc(100% - 155px)").attr("id", id);
  options.append(row(id, words(node, "form.resultTo"), input));
  input.typedInput({ types: ["msg"] });
  nameParts(input);
  input.typedInput("value", node.resultTo || node._def.defaults.resultTo.value);
}

/** The editor removes the wires of an output that is gone by the number of those before. */
function saveOutputs(node) {
  node.__outputs = node.outputs;
  node.outputs = $("#fxdesk-error-output").prop("checked") ? 2 : 1;
}

/** A line of text that the editor keeps by itself, under the name of the property. */
function addText(node, options, name, placeholder) {
  const id = `node-input-${name}`;
  const input = $('<input type="text">').attr({ id, placeholder }).val(node[name]);
  options.append(row(id, words(node, `form.${name}`), input));
}

function addOptions(node, form) {
  const { defaults, fxdesk } = node._def;
  const options = group(words(node, "form.options"), true).appendTo(form);
  if (defaults.requestKey) addRequestKey(node, options);
  if (defaults.pages) addModes(node, options, "pages", pageModes);
  if (defaults.rows) addModes(node, options, "rows", rowModes);
  if (defaults.saveTo) addSaveTo(node, options);
  if (defaults.resultTo) addResultTo(node, options);
  if (defaults.fromPayload)
    addBox(options, "node-input-fromPayload", node.fromPayload, words(node, "form.fromPayload"));
  if (defaults.outputs)
    addBox(options, "fxdesk-error-output", node.outputs === 2, words(node, "form.errorOutput"));
  if (defaults.timeoutMs) addText(node, options, "timeoutMs", words(node, "form.timeoutHint"));
  for (const [name, hint] of Object.entries(fxdesk.trigger || {})) addText(node, options, name, hint);
}

// ---- What the definitions of the nodes call

function fillForm(node, form) {
  const { operation, input } = node._def.defaults;
  if (operation) addOperation(node, form);
  if (input) addInput(node, form);
  addFields(node, form);
  addOptions(node, form);
  // What is called by its name may be a read; the runtime makes no other.
  if ((node._def.fxdesk.effect ?? "read") === "read") addTry(node, form);
}

const formFields = () => $("#dialog-form .fxdesk-fields");

function openNode(node) {
  const form = formFields();
  if (isWordsKnown()) return fillForm(node, form);
  const state = $('<p class="fxdesk-hint" role="status">').appendTo(form);
  const fill = () => {
    state.filter(":empty").remove();
    fillForm(node, form);
    // The editor has checked the form before it was filled; it checks all of it at a change.
    $("#node-input-name").trigger("change");
  };
  withWords(node, { form, state, fill });
}

function save(node) {
  const { defaults } = node._def;
  // Nobody has written into a form that still waits for its words.
  if (formFields().attr("aria-busy") === "true") return;
  if (defaults.fields) node.fields = readFields(node);
  if (defaults.input) node.input = readTypedInput($("#node-input-fxdesk--input"));
  if (defaults.requestKey) node.requestKey = readTypedInput($("#node-input-fxdesk--request-key"));
  if (defaults.resultTo) node.resultTo = readTypedInput($("#node-input-fxdesk--result-to")).value;
  if (defaults.outputs) saveOutputs(node);
  if (defaults.saveTo) node.saveTo = readTypedInput($("#node-input-fxdesk--save-to"));
}

/** True, or what is wrong with the fields of a node. */
function fieldProblems(node, fields, option) {
  if (!fields) return true;
  const found = node._def.fxdesk.controls.flatMap(({ name, required }) => {
    const given = fields[name];
    const { label } = fieldWords(node, name);
    if (!given) return required && !node.fromPayload ? [words(node, "form.required", { field: label })] : [];
    const valid = RED.utils.validateTypedProperty(given.value, given.type, { ...option, label });
    return valid === true ? [] : [valid];
  });
  if (found.length === 0) return true;
  // What was said without the words of the fields is said again with them.
  if (!isWordsKnown()) readWords().done(() => RED.editor.validateNode(node));
  return found;
}

/** A new node takes the connection when there is only one. */
function added(node) {
  const connections = [];
  RED.nodes.eachConfig((config) => {
    if (config.type === "fxdesk-connection") connections.push(config.id);
  });
  if (!node.connection && connections.length === 1) node.connection = connections[0];
}

/** An example brings no connection: all of them name the same, which is made where there is none. */
function connect(node, connection) {
  if (node.connection !== connection.id || RED.nodes.node(connection.id)) return;
  RED.nodes.import([{ ...connection }], { markChanged: true });
  RED.nodes.updateConfigNodeUsers(node, { action: "add" });
}

/** Longer ones, and identifiers, tell nobody anything. */
const longestChosen = 24;

/** What was chosen in the form, as far as it says something: the first field that is fixed. */
function chosenIn(node) {
  const { controls } = node._def.fxdesk;
  const fixed = controls.map(({ name }) => node.fields?.[name]).filter((given) => given && isFixed(given));
  const shown = fixed.map((given) => given.label ?? given.value);
  return shown.find((text) => text.length <= longestChosen);
}

const isFixed = ({ type }) => type === "str" || type === "num";

function nodeLabel(node) {
  const named = node.name || node.operation;
  if (named) return named;
  const chosen = chosenIn(node);
  const title = titleOf(node._def);
  return chosen ? `${title} · ${chosen}` : title;
}
const labelStyle = (node) => (node.name ? "node_label_italic" : "");

guardDeploys();
RED.nodes.registry.getNodeTypes().forEach(makeSearchable);
RED.events.on("registry:node-type-added", makeSearchable);

window.fxdesk = {
  added,
  connect,
  connectionLabel,
  inputProblem,
  label: nodeLabel,
  labelStyle,
  open: openNode,
  openConnection,
  violations: fieldProblems,
  save,
  shapeProblem,
};
