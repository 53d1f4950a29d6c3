/**
 * Forms of the fxdesk nodes in the Node-RED editor. The controls come from the node definition (`fxdesk.controls`), the
 * texts from the locale catalogue and the declarations. The editor loads this file as a module.
 */
import { connectionLabel, openConnection, shapeProblem } from "./connection.js";
import "./help.js";
import { timePicker } from "./time-picker.js";
import { createPicker } from "./picker.js";
import { completePaletteNode, shapeTriggers, summaryOf } from "./palette.js";
import { placeFields, activeAlternative } from "./field-placement.js";
import { guardDeploys } from "./production-guard.js";
import { addObjectEditor } from "./object-editor.js";
import { checkFields, fetchList, errorMessageOf, tryRead } from "./runtime-requests.js";
import { openControls, saveControls } from "./written-controls.js";
import { fieldTexts, areTextsLoaded, loadTexts, titleOf, whenTextsLoaded, translate } from "./form-texts.js";

const inputId = (name) => `node-input-fxdesk-${name}`;

// ---- Typed-input types for fixed values

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

/** Returns a typed-input type with a translated label, unless its label is the same in all languages. */
const fixedTypeOf = (node, kind, ...given) => ({
  label: translate(`form.kinds.${kind}`),
  ...fixedTypes[kind](...given),
});

/** Returns the text of an empty control. */
function placeholderText(node, { required, hint }) {
  if (required) return translate("form.choose");
  return hint === undefined ? translate("form.unset") : translate("form.unsetWithHint", { value: hint });
}

const kindOf = ({ control, options }) => control ?? (options ? "choice" : "text");

function fixedType(node, control) {
  const type = fixedTypeOf(node, kindOf(control), control, placeholderText(node, control));
  const { validate } = type;
  return control.required ? { ...type, validate: (value) => notEmpty(value) && validate(value) } : type;
}

const templateType = () => ({
  value: "template",
  label: translate("form.template"),
  icon: '<span class="fxdesk-braces">{{ }}</span>',
});

function typedInput(node, input, fixed, given) {
  const { trigger } = node._def.fxdesk;
  const types = trigger
    ? [fixed, "flow", "global", "env"]
    : [fixed, templateType(), "msg", "flow", "global", "jsonata", "env"];
  input.typedInput({ default: fixed.value, types });
  labelTypedInput(input);
  if (given) {
    input.typedInput("type", given.type);
    input.typedInput("value", given.value);
  }
  return types;
}

/** Returns the text input inside a typed input. */
const textInputOf = (input) => input.parent().find(".red-ui-typedInput-input");

/** Labels the parts of a typed input with the caption of its row, for screen readers. */
function labelTypedInput(input) {
  const line = input.closest(".form-row");
  const caption = line.find("label").first();
  const id = `${input.attr("id")}-text`;
  textInputOf(input).attr("id", id);
  caption.attr("for", id);
  line.find("button[class*=red-ui-typedInput-option]").attr("aria-label", caption.text());
}

/** Attaches a picker to a field. It is active only while the field holds a fixed value. */
function attachPicker(input, options) {
  const inner = textInputOf(input);
  const line = inner.closest(".form-row");
  const isActive = () => input.typedInput("type") === "str";
  const choice = createPicker(inner, { isActive, label: line.find("label").first().text(), ...options });
  line.after(choice.list);
  return choice;
}

/** Offers existing entries for a fixed value. Remembers the label of the chosen entry for the label of the node. */
function addPicker(node, input, { list, several }) {
  const inner = textInputOf(input);
  const choice = attachPicker(input, {
    several: several === true,
    onChosen: ({ label }) => input.data("fxdeskLabel", label),
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
    fetchList($("#node-input-connection").val(), list)?.done(({ entries }) =>
      choice.fill(entries.map(entryOf)),
    );
  inner.one("focus", load);
  $("#node-input-connection").on("change", () => inner.off("focus", load).one("focus", load));
}

/** Offers common periods such as "last month". */
function addPeriods(input, { periods }) {
  attachPicker(input, {}).fill(periods.map((value) => ({ value, main: value, aside: "", search: value })));
}

/** Adds the browser's date and time pickers to a field with a fixed value. */
function addTimePicker(node, input, { moment }) {
  const line = input.closest(".form-row");
  const pickers = timePicker(moment, {
    label: line.find("label").first().text(),
    translate,
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
  const { label, description } = fieldTexts(node, control.name);
  const input = $('<input type="text">')
    .css("width", "calc(100% - 155px)")
    .attr({ id, placeholder: control.hint });
  const line = row(id, label, input);
  const caption = line.find("label").toggleClass("fxdesk-required", control.required === true);
  line.append($('<p class="fxdesk-error" aria-live="polite">').attr("id", `${id}-error`));
  if (description) RED.popover.tooltip(caption, description);
  return line;
}

function group(title, open) {
  return $("<details>").prop("open", open).append($("<summary>").text(title));
}

// ---- The fields of an operation

const fieldInput = (name) => $(`#${CSS.escape(inputId(name))}`);

/** Maximum number of empty optional fields that are shown unfolded. */
const maxShownOptional = 5;

/** Adds a choice between alternative fields. Choosing one clears the others. */
function addAlternativeChoice(node, form, chosenAlternatives, placeAll) {
  const { controls, rules = [] } = node._def.fxdesk;
  for (const [index, rule] of rules.entries()) {
    if (
      rule.kind !== "exactly-one" ||
      !rule.fields.every((name) => controls.some((each) => each.name === name))
    )
      continue;
    const id = `${inputId(rule.fields.join("-"))}-alternative`;
    const select = $("<select>").attr("id", id);
    for (const name of rule.fields) select.append($("<option>").val(name).text(fieldTexts(node, name).label));
    chosenAlternatives[index] = activeAlternative(rule, fieldText);
    select.val(chosenAlternatives[index]).on("change", () => {
      chosenAlternatives[index] = select.val();
      for (const name of rule.fields)
        if (name !== chosenAlternatives[index]) fieldInput(name).typedInput("value", "");
      placeAll();
    });
    form.append(row(id, translate("form.alternative"), select));
  }
}

/** Returns the text of a field, whatever its source. */
const fieldText = (name) => fieldInput(name).typedInput("value") || undefined;

/** Returns a function that moves each field to its position. Call it after every change. */
function createPlacement(node, top, optionalGroup, chosenAlternatives) {
  const { controls, rules = [] } = node._def.fxdesk;
  const placeAll = () => {
    const places = placeFields({ controls, rules }, fieldText, chosenAlternatives);
    for (const { name } of controls) {
      const isNeeded = places.get(name) === "needed";
      const line = fieldInput(name).closest(".form-row");
      const lines = line.add(line.next(".fxdesk-list"));
      line
        .toggle(places.get(name) !== "hidden")
        .children("label")
        .toggleClass("fxdesk-required", isNeeded);
      const container = isNeeded || places.get(name) === "first" ? top : optionalGroup;
      // Moving a row would take the focus away while the user types in it.
      if (!container[0].contains(line[0]) && !line.is(":focus-within")) container.append(lines);
    }
    optionalGroup.toggle(optionalGroup.children(".form-row").length > 0);
  };
  return placeAll;
}

/** Creates the control of a field with its pickers. */
function addValue(node, control, given) {
  const input = fieldInput(control.name);
  const type = fixedType(node, control);
  const types = typedInput(node, input, type, given);
  textInputOf(input).attr("aria-describedby", `${inputId(control.name)}-error`);
  if (given?.label) input.data("fxdeskLabel", given.label);
  if (control.list) addPicker(node, input, control);
  if (control.periods) addPeriods(input, control);
  if (control.moment) addTimePicker(node, input, control);
  const { label, parts } = fieldTexts(node, control.name);
  if (control.part)
    addObjectEditor(input, {
      type,
      types,
      part: control.part,
      texts: { label, parts },
      translate,
    });
}

function addFields(node, form) {
  const { controls } = node._def.fxdesk;
  const fields = node.fields || {};
  const optional = controls.filter(({ required }) => !required);
  const filled = optional.some(({ name }) => fields[name]);
  const optionalGroup = group(translate("form.optional"), filled || optional.length <= maxShownOptional);
  const choices = $("<div>");
  const top = $("<div>");
  form.append(choices, top);
  for (const control of controls) (control.required ? top : optionalGroup).append(fieldRow(node, control));
  if (optional.length > 0) form.append(optionalGroup);
  for (const control of controls) addValue(node, control, fields[control.name]);
  if (controls.length === 0) return;
  const chosenAlternatives = [];
  const placeAll = createPlacement(node, top, optionalGroup, chosenAlternatives);
  addAlternativeChoice(node, choices, chosenAlternatives, placeAll);
  placeAll();
  form.on("change", placeAll);
  addValidationMessages(node, form);
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

/** Delay after a key press before the values are validated. */
const typingPauseMs = 250;

/** Shows the violations of each field below it, with the same texts as the errors of a call. */
function addValidationMessages(node, form) {
  const { operation, controls } = node._def.fxdesk;
  let timer;
  const show = ({ violations }) => {
    const isShown = (name) => fieldInput(name).closest(".form-row").css("display") !== "none";
    const namesOf = ({ field, rule }) =>
      rule ? [field.split(", ").find(isShown) ?? field] : [field.split(".")[0]];
    for (const { name } of controls) {
      const own = violations.filter((each) => namesOf(each).includes(name));
      const reason = own.map((each) => violationText(node, each)).join("; ");
      $(`#${CSS.escape(inputId(name))}-error`).text(reason);
      const input = textInputOf(fieldInput(name)).attr("aria-invalid", String(own.length > 0));
      input.closest(".red-ui-typedInput-container").toggleClass("input-error", own.length > 0);
    }
  };
  const validate = () => {
    const fromPayload = $("#node-input-fromPayload").prop("checked") === true;
    checkFields({ operation, fields: readFields(node), fromPayload }).done(show);
  };
  form.on("input change", () => {
    clearTimeout(timer);
    timer = setTimeout(validate, typingPauseMs);
  });
}

/** Returns the operation and input for "Try it" from the form. */
function readRequest(node) {
  const { operation, input } = node._def.defaults;
  return {
    operation: operation ? $("#node-input-operation").val() : node._def.fxdesk.operation,
    fields: readFields(node),
    ...(input && { input: readTypedInput($("#node-input-fxdesk--input")) }),
    ...(node._def.fxdesk.trigger && { from: $("#node-input-from").val() }),
  };
}

/** Adds the button "Try it": makes a read with the values of the form and shows the response, or the changes of a watch. */
function addTry(node, form) {
  const resultKeys = node._def.fxdesk.trigger
    ? ["form.changes", "form.changesCut"]
    : ["form.result", "form.resultCut"];
  const button = $('<button type="button" class="red-ui-button" id="fxdesk-try">').text(
    translate("form.try"),
  );
  const state = $('<p class="fxdesk-hint" aria-live="polite" id="fxdesk-try-state">');
  const response = $('<pre class="fxdesk-response" tabindex="0">').attr(
    "aria-label",
    translate("form.response"),
  );
  form.append($('<div class="form-row">').append(button), state, response.hide());
  const showResult = ({ status, text, isCut, entries }) => {
    state.text(translate(resultKeys[Number(isCut)], { status, count: entries }));
    response.text(text).show();
  };
  button.on("click", () => {
    response.hide();
    state.text(translate("form.trying"));
    const body = { ...readRequest(node), node: node.id };
    const request = tryRead($("#node-input-connection").val(), body);
    if (request) request.done(showResult).fail((failed) => state.text(errorMessageOf(failed)));
    else state.text(translate("form.tryUnconnected"));
  });
}

// ---- Choice of an operation or watch by name

/** Returns summary, effect and fields of an operation. Required fields are marked with a star. */
function describe(node, { summary, effect, fields }) {
  const names = fields.map(({ name, required }) => (required ? `${name}*` : name)).join(", ");
  const takes = names && translate("form.takes", { fields: names });
  return [summary, translate(`form.effect.${effect}`), takes].filter(Boolean).join(" ");
}

/** Replaces title and summary of an operation with the translated texts of its node, if it has one. */
function withNodeTitle(operation) {
  const types = RED.nodes.registry.getNodeTypes();
  const type = types.find((each) => RED.nodes.getType(each).fxdesk?.operation === operation.name);
  const { title, summary } = operation;
  const texts = type && { title: titleOf(RED.nodes.getType(type)), summary: summaryOf(type) };
  return { ...operation, ...texts, declared: `${title} ${summary}` };
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
  const input = $('<input type="text">').attr({ id, placeholder: translate("form.operationHint") });
  const description = $('<p class="fxdesk-hint fxdesk-description" aria-live="polite">').attr(
    "id",
    `${id}-description`,
  );
  input.val(node.operation).attr("aria-describedby", `${id}-description`);
  const caption = translate(node._def.fxdesk.trigger ? "form.watch" : "form.operation");
  const choice = createPicker(input, {
    onMatches: (count) => description.text(translate("form.matches", { count })),
    label: input.attr("placeholder"),
  });
  form.append(row(id, caption, input), choice.list, description);
  // The editor adds its access token to jQuery requests.
  $.getJSON(node._def.fxdesk.trigger ? "fxdesk/watches" : "fxdesk/operations", (all) => {
    const operations = all.map(withNodeTitle);
    const chosen = () => operations.find(({ name }) => name === input.val());
    const updateDescription = () => description.text(chosen() ? describe(node, chosen()) : "");
    // Updated while typing, not only on blur: the fields below must not move under a click.
    input.on("change blur", updateDescription).on("input", () => chosen() && updateDescription());
    choice.fill(operations.map(entryOf));
    updateDescription();
  });
}

const inputTypes = (node) =>
  node._def.fxdesk.trigger
    ? ["json", "flow", "global", "env"]
    : ["msg", "json", "jsonata", templateType(), "flow", "global", "env"];

function addInput(node, form) {
  const input = $('<input type="text" id="node-input-fxdesk--input">').css("width", "calc(100% - 155px)");
  form.append(row("node-input-fxdesk--input", translate("form.input"), input));
  const types = inputTypes(node);
  input.typedInput({ default: types[0], types });
  labelTypedInput(input);
  const given = node.input || node._def.defaults.input.value;
  input.typedInput("type", given.type);
  input.typedInput("value", given.value);
}

/** Validates the input of a node. Returns true or an error message. */
const inputProblem = (node, given, option) =>
  !given ||
  RED.utils.validateTypedProperty(given.value, given.type, {
    ...option,
    label: translate("form.input"),
  });

// ---- The options of a node

/** Adds a select for a property with several modes. The first mode is the default. */
function addModes(node, options, name, modes) {
  const id = `node-input-${name}`;
  const select = $("<select>").attr("id", id);
  for (const [mode, key] of Object.entries(modes))
    select.append($("<option>").val(mode).text(translate(key)));
  const [defaultMode] = Object.keys(modes);
  options.append(row(id, translate(`form.${name}`), select.val(node[name] || defaultMode)));
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
  input.attr("placeholder", translate("form.saveToHint"));
  options.append(row("node-input-fxdesk--save-to", translate("form.saveTo"), input));
  typedInput(node, input, fixedTypeOf(node, "text"), node.saveTo);
}

function addRequestKey(node, options) {
  const id = "node-input-fxdesk--request-key";
  const input = $('<input type="text">').css("width", "calc(100% - 155px)").attr("id", id);
  const line = row(id, translate("form.requestKey"), input);
  RED.popover.tooltip(line.find("label"), translate("form.requestKeyDescription"));
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
  options.append(row(id, translate("form.resultTo"), input));
  input.typedInput({ types: ["msg"] });
  labelTypedInput(input);
  input.typedInput("value", node.resultTo || node._def.defaults.resultTo.value);
}

/** Sets the number of outputs. The editor compares it with `__outputs` to remove the wires of a removed output. */
function saveOutputs(node) {
  node.__outputs = node.outputs;
  node.outputs = $("#fxdesk-error-output").prop("checked") ? 2 : 1;
}

/** Adds a text input. The editor saves it automatically because its ID is `node-input-` and the property name. */
function addText(node, options, name, placeholder) {
  const id = `node-input-${name}`;
  const input = $('<input type="text">').attr({ id, placeholder }).val(node[name]);
  options.append(row(id, translate(`form.${name}`), input));
}

function addOptions(node, form) {
  const { defaults, fxdesk } = node._def;
  const options = group(translate("form.options"), true).appendTo(form);
  if (defaults.requestKey) addRequestKey(node, options);
  if (defaults.pages) addModes(node, options, "pages", pageModes);
  if (defaults.rows) addModes(node, options, "rows", rowModes);
  if (defaults.saveTo) addSaveTo(node, options);
  if (defaults.resultTo) addResultTo(node, options);
  if (defaults.fromPayload)
    addBox(options, "node-input-fromPayload", node.fromPayload, translate("form.fromPayload"));
  if (defaults.outputs)
    addBox(options, "fxdesk-error-output", node.outputs === 2, translate("form.errorOutput"));
  if (defaults.timeoutMs) addText(node, options, "timeoutMs", translate("form.timeoutHint"));
  for (const [name, hint] of Object.entries(fxdesk.trigger || {})) addText(node, options, name, hint);
}

// ---- Functions for the node definitions

function fillForm(node, form) {
  const { operation, input } = node._def.defaults;
  if (operation) addOperation(node, form);
  if (input) addInput(node, form);
  addFields(node, form);
  addOptions(node, form);
  // A node that calls by name may be set to a read; the runtime refuses to try anything else.
  if ((node._def.fxdesk.effect ?? "read") === "read") addTry(node, form);
}

const formFields = () => $("#dialog-form .fxdesk-fields");

function openNode(node) {
  const form = formFields();
  if (areTextsLoaded()) return fillForm(node, form);
  const state = $('<p class="fxdesk-hint" role="status">').appendTo(form);
  const fill = () => {
    state.filter(":empty").remove();
    fillForm(node, form);
    // The editor validated the empty form; a change event makes it validate again.
    $("#node-input-name").trigger("change");
  };
  whenTextsLoaded(node, { form, state, fill });
}

function save(node) {
  const { defaults } = node._def;
  // The form is still empty while its texts load; saving it would erase the fields.
  if (formFields().attr("aria-busy") === "true") return;
  if (defaults.fields) node.fields = readFields(node);
  if (defaults.input) node.input = readTypedInput($("#node-input-fxdesk--input"));
  if (defaults.requestKey) node.requestKey = readTypedInput($("#node-input-fxdesk--request-key"));
  if (defaults.resultTo) node.resultTo = readTypedInput($("#node-input-fxdesk--result-to")).value;
  if (defaults.outputs) saveOutputs(node);
  if (defaults.saveTo) node.saveTo = readTypedInput($("#node-input-fxdesk--save-to"));
}

/** Violations of forms as the runtime reported them, by request. */
const reportedViolations = new Map();

/** Returns the violations that the runtime finds in the fields, or none until it has answered; then validates again. */
function runtimeViolations(node, fields) {
  const { operation } = node._def.fxdesk;
  const form = { operation, fields, fromPayload: node.fromPayload === true };
  const key = JSON.stringify(form);
  if (!reportedViolations.has(key)) {
    reportedViolations.set(key, []);
    checkFields(form)
      .done(({ violations }) => {
        if (violations.length === 0) return;
        reportedViolations.set(key, violations);
        RED.editor.validateNode(node);
        RED.view.redraw();
      })
      .fail(() => reportedViolations.delete(key));
  }
  return reportedViolations.get(key);
}

/** Replaces the names of fields in a text with their titles. */
const withFieldTitles = (node, text) =>
  node._def.fxdesk.controls.reduce(
    (result, { name }) =>
      result.replace(new RegExp(`\\b${name}\\b`, "g"), () => `“${fieldTexts(node, name).label}”`),
    text,
  );

/** Returns a violation as a sentence with the titles of the fields. */
function violationText(node, { field, message, rule }) {
  if (rule) return withFieldTitles(node, message);
  const [name, ...path] = field.split(".");
  return [fieldTexts(node, name).label, ...path, message].join(" ");
}

/** Validates the fields of a node, as a call does. Returns true or a list of error messages. */
function fieldsProblem(node, fields, option) {
  if (!fields) return true;
  const found = node._def.fxdesk.controls.flatMap(({ name, required }) => {
    const given = fields[name];
    const { label } = fieldTexts(node, name);
    if (!given) return required && !node.fromPayload ? [translate("form.required", { field: label })] : [];
    const valid = RED.utils.validateTypedProperty(given.value, given.type, { ...option, label });
    return valid === true ? [] : [valid];
  });
  const problems =
    found.length > 0 ? found : runtimeViolations(node, fields).map((each) => violationText(node, each));
  if (problems.length === 0) return true;
  // Without loaded texts, messages show field names. Validate again once the labels are known.
  if (!areTextsLoaded()) loadTexts().done(() => RED.editor.validateNode(node));
  return problems;
}

const isVariable = (text) => /^\$\{[^}]+\}$|^\$\([^)]+\)$/.test(text);

const isDay = (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(text).toJSON()?.startsWith(text);

/** Maximum of timers in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

const isWithin = (number, least, most) => number >= least && number <= most;

const optionChecks = {
  from: (text, { startsAtDay }) => text === "now" || text === "beginning" || (startsAtDay && isDay(text)),
  every: (text) => isWithin(Math.round(Number(text) * 1_000), 1, maxTimerMs),
  timeoutMs: (text) => Number.isInteger(Number(text)) && isWithin(Number(text), 1, maxTimerMs),
};

/** Validates an option of a node. Returns true or an error message. */
function optionProblem({ _def }, name, given) {
  const text = String(given ?? "");
  if (text === "" || isVariable(text) || optionChecks[name](text, _def.fxdesk)) return true;
  const format = name === "from" && !_def.fxdesk.startsAtDay ? "fromNow" : name;
  return `${translate(`form.${name}`)} ${translate(`form.formats.${format}`)}`;
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

/** Returns the first short fixed value of the form, for the node label. */
function chosenValueOf(node) {
  const { controls } = node._def.fxdesk;
  const fixed = controls.map(({ name }) => node.fields?.[name]).filter((given) => given && isFixed(given));
  const shown = fixed.map((given) => given.label ?? given.value);
  return shown.find((text) => text.length <= maxChosenLength);
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
  save,
  saveControls,
  shapeProblem,
};
