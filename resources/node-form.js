/** The form of a node: its fields, the choice of an operation, its options and "Try it". Loaded with the first form. */
import { activeAlternative, placeFields } from "./field-placement.js";
import {
  addValue,
  fieldInput,
  fixedTypeOf,
  inputId,
  labelTypedInput,
  readTypedInput,
  templateType,
  textInputOf,
  typedInput,
  typingPauseMs,
} from "./field-controls.js";
import { fieldTexts, listTexts, titleOf, translate, violationText } from "./form-texts.js";
import { summaryOf } from "./palette.js";
import { followCurrencies } from "./currency-pair.js";
import { createPicker } from "./picker.js";
import { checkFields, errorMessageOf, tryRead } from "./runtime-requests.js";
import { excludedFields, optionProblem } from "./validation.js";

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

/** Returns the text of a field that no message brings. */
const choiceOf = (name) => (fieldInput(name).typedInput("type") === "str" ? fieldText(name) : undefined);

/** Returns a function that moves each field to its position. Call it after every change. */
function createPlacement(node, top, optionalGroup, chosenAlternatives) {
  const { controls, rules = [] } = node._def.fxdesk;
  const placeAll = () => {
    const places = placeFields({ controls, rules }, { valueOf: fieldText, choiceOf, chosenAlternatives });
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
  for (const control of controls) if (control.pairOf) followCurrencies(form, control);
  const chosenAlternatives = [];
  const placeAll = createPlacement(node, top, optionalGroup, chosenAlternatives);
  addAlternativeChoice(node, choices, chosenAlternatives, placeAll);
  placeAll();
  form.on("change", placeAll);
  addValidationMessages(node, form);
}

function readFields(node) {
  const { controls, rules } = node._def.fxdesk;
  const excluded = excludedFields(rules, choiceOf);
  const fields = {};
  for (const { name } of controls) {
    if (excluded.has(name)) continue;
    const given = readTypedInput(fieldInput(name));
    const label = fieldInput(name).data("fxdeskLabel");
    if (given.value !== "") fields[name] = label ? { ...given, label } : given;
  }
  return fields;
}

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
  let latest;
  const validate = () => {
    const fromPayload = $("#node-input-fromPayload").prop("checked") === true;
    const check = checkFields({ operation, fields: readFields(node), fromPayload });
    latest = check;
    // Responses can arrive in another order than their requests.
    check.done((result) => check === latest && show(result));
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

/** Returns a message as the debug sidebar shows it, with the path of each property. */
const messageElement = (message) =>
  RED.utils.createObjectElement(message, {
    path: "",
    rootPath: "",
    sourceId: "fxdesk-try",
    expandPaths: ["payload"],
    expandLeafNodes: true,
  });

/** Returns why a read failed. Violations name fields as the form does. */
const failureText = (node, failed) =>
  failed.responseJSON?.violations?.map((each) => violationText(node, each)).join("; ") ??
  errorMessageOf(failed);

/** Adds the button "Try it": makes a read with the values of the form and shows the response, or the changes of a watch. */
function addTry(node, form) {
  const resultKeys = node._def.fxdesk.trigger
    ? ["form.changes", "form.changesCut"]
    : ["form.result", "form.resultCut"];
  const button = $('<button type="button" class="red-ui-button" id="fxdesk-try">').text(
    translate("form.try"),
  );
  const state = $('<p class="fxdesk-hint" aria-live="polite" id="fxdesk-try-state">');
  const response = $('<div class="fxdesk-response" tabindex="0">').attr(
    "aria-label",
    translate("form.response"),
  );
  form.append($('<div class="form-row">').append(button), state, response.hide());
  const showResult = ({ status, text, messages, entries }) => {
    state.text(translate(resultKeys[Number(!messages)], { status, count: entries }));
    response.empty().append(text === undefined ? messages.map(messageElement) : $("<pre>").text(text));
    response.show()[0].scrollIntoView({ block: "nearest" });
  };
  button.on("click", () => {
    response.hide();
    state.text(translate("form.trying"));
    const body = { ...readRequest(node), node: node.id };
    const request = tryRead($("#node-input-connection").val(), body);
    const showFailure = (failed) =>
      state.text(failureText(node, failed))[0].scrollIntoView({ block: "nearest" });
    if (request) request.done(showResult).fail(showFailure);
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

// ---- The options of a node

/** Adds a select for a property. The first choice is the default. */
function addSelect(node, options, name, choices) {
  const id = `node-input-${name}`;
  const select = $("<select>").attr("id", id);
  for (const [value, label] of choices) select.append($("<option>").val(value).text(label));
  const line = row(id, translate(`form.${name}`), select.val(node[name] || choices[0][0]));
  options.append(line);
  return line;
}

/** Adds the choice of how the result is sent, and of the list whose entries are sent if the result has several. */
function addResults(node, options) {
  const { lists, paged } = node._def.fxdesk;
  const forms = ["all", "list", "each", "csv", ...(paged ? ["pages", "one"] : [])];
  const choices = forms.map((form) => [form, translate(`form.resultForms.${form}`)]);
  const select = addSelect(node, options, "results", choices).find("select");
  if (!lists) return;
  const line = addSelect(
    node,
    options,
    "list",
    lists.map((name, index) => [index === 0 ? "" : name, listTexts(name).label]),
  );
  const showList = () => line.toggle(select.val() !== "all");
  select.on("change", showList);
  showList();
}

function addSaveTo(node, options) {
  const input = $('<input type="text" id="node-input-fxdesk--save-to">').css("width", "calc(100% - 155px)");
  input.attr("placeholder", translate(node._def.fxdesk.several ? "form.saveAllToHint" : "form.saveToHint"));
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
  const reason = $('<p class="fxdesk-error" aria-live="polite">').attr("id", `${id}-error`);
  input.attr("aria-describedby", `${id}-error`).on("input change", () => {
    const problem = optionProblem(node, name, input.val());
    input.attr("aria-invalid", String(problem !== true));
    reason.text(problem === true ? "" : problem);
  });
  options.append(row(id, translate(`form.${name}`), input).append(reason));
  input.trigger("change");
}

function addOptions(node, form) {
  const { defaults, fxdesk } = node._def;
  const options = group(translate("form.options"), true).appendTo(form);
  if (defaults.requestKey) addRequestKey(node, options);
  if (defaults.results) addResults(node, options);
  if (defaults.saveTo) addSaveTo(node, options);
  if (defaults.resultTo) addResultTo(node, options);
  if (defaults.fromPayload)
    addBox(options, "node-input-fromPayload", node.fromPayload, translate("form.fromPayload"));
  if (defaults.outputs)
    addBox(options, "fxdesk-error-output", node.outputs === 2, translate("form.errorOutput"));
  if (defaults.inOrder) addBox(options, "node-input-inOrder", node.inOrder, translate("form.inOrder"));
  if (defaults.timeoutMs) addText(node, options, "timeoutMs", translate("form.timeoutHint"));
  for (const [name, hint] of Object.entries(fxdesk.trigger || {})) addText(node, options, name, hint);
}

// ---- Filling and saving

/** Fills the form of a node. */
export function fillForm(node, form) {
  const { operation, input } = node._def.defaults;
  if (operation) addOperation(node, form);
  if (input) addInput(node, form);
  addFields(node, form);
  addOptions(node, form);
  // A node that calls by name may be set to a read; the runtime refuses to try anything else.
  if ((node._def.fxdesk.effect ?? "read") === "read") addTry(node, form);
}

/** Stores the values of the form in the node. */
export function saveForm(node) {
  const { defaults } = node._def;
  if (defaults.fields) node.fields = readFields(node);
  if (defaults.input) node.input = readTypedInput($("#node-input-fxdesk--input"));
  if (defaults.requestKey) node.requestKey = readTypedInput($("#node-input-fxdesk--request-key"));
  if (defaults.resultTo) node.resultTo = readTypedInput($("#node-input-fxdesk--result-to")).value;
  if (defaults.outputs) saveOutputs(node);
  if (defaults.saveTo) node.saveTo = readTypedInput($("#node-input-fxdesk--save-to"));
}
