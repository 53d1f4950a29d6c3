/** Controls of the fields of a node form: typed inputs with their pickers. */
import { addObjectEditor } from "./object-editor.js";
import { createPicker } from "./picker.js";
import { fieldTexts, optionText, translate } from "./form-texts.js";
import { errorMessageOf, fetchList, matchHeadings } from "./runtime-requests.js";
import { timePicker } from "./time-picker.js";

export const inputId = (name) => `node-input-fxdesk-${name}`;

export const fieldInput = (name) => $(`#${CSS.escape(inputId(name))}`);

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

/** Options with their words. The option itself, which a message has to bring, is the tooltip. */
const titledOptions = (options) =>
  options.map((value) => ({ value, label: optionText(value), title: value }));

/** Shows the words of the chosen options. */
function showChosen(container, options, empty) {
  container.text(options.map(optionText).join(", ") || empty).attr("title", options.join(", "));
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
    options: [{ value: "", label: empty }, ...titledOptions(options)],
    valueLabel: (container, chosen) => showChosen(container, chosen ? [chosen] : [], empty),
    validate: () => true,
  }),
  choices: ({ options }, empty) => ({
    value: "str",
    icon: "fa fa-check-square-o",
    multiple: true,
    options: titledOptions(options),
    valueLabel: (container, chosen) =>
      showChosen(
        container,
        chosen.map(({ value }) => value),
        empty,
      ),
    validate: () => true,
  }),
};

/** Returns a typed-input type with a translated label, unless its label is the same in all languages. */
export const fixedTypeOf = (node, kind, ...given) => ({
  label: translate(`form.kinds.${kind}`),
  ...fixedTypes[kind](...given),
});

const kindOf = ({ control, options }) => control ?? (options ? "choice" : "text");

/** True if the default is a list: too long for the control, so it is shown below. */
const hasListHint = (control) => kindOf(control) === "choices" && control.hint !== undefined;

/** Returns the text of an empty control. */
function placeholderText(control) {
  if (control.required) return translate("form.choose");
  return control.hint === undefined || hasListHint(control)
    ? translate("form.unset")
    : translate("form.unsetWithHint", { value: optionText(control.hint) });
}

function fixedType(node, control) {
  const type = fixedTypeOf(node, kindOf(control), control, placeholderText(control));
  const { validate } = type;
  return control.required ? { ...type, validate: (value) => notEmpty(value) && validate(value) } : type;
}

export const templateType = () => ({
  value: "template",
  label: translate("form.template"),
  icon: '<span class="fxdesk-braces">{{ }}</span>',
});

export function typedInput(node, input, fixed, given) {
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
export const textInputOf = (input) => input.parent().find(".red-ui-typedInput-input");

/** Labels the parts of a typed input with the caption of its row, for screen readers. */
export function labelTypedInput(input) {
  const line = input.closest(".form-row");
  const caption = line.find("label").first();
  const id = `${input.attr("id")}-text`;
  textInputOf(input).attr("id", id);
  caption.attr("for", id);
  line.find("button[class*=red-ui-typedInput-option]").attr("aria-label", caption.text());
}

/** Attaches a picker to a field. It is active only while the field holds a fixed value. */
export function attachPicker(input, options = {}) {
  const inner = textInputOf(input);
  const line = inner.closest(".form-row");
  const isActive = () => input.typedInput("type") === "str";
  const choice = createPicker(inner, { isActive, label: line.find("label").first().text(), ...options });
  line.after(choice.list);
  return choice;
}

/** Fills a picker with existing entries once its input has the focus. */
function fillOnFocus(inner, choice, list) {
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

/** Offers existing entries for a fixed value. Remembers the label of the chosen entry for the label of the node. */
function addPicker(input, { list, several }) {
  const inner = textInputOf(input);
  const choice = attachPicker(input, {
    several: several === true,
    onChosen: ({ label }) => input.data("fxdeskLabel", label),
  });
  inner.on("input", () => input.removeData("fxdeskLabel"));
  fillOnFocus(inner, choice, list);
}

/** Offers existing entries in the inputs of one property of an object. */
const offerInside = (list) => ({
  property: list.property,
  attach(inner, line, label) {
    const choice = createPicker(inner, { label });
    line.append(choice.list);
    fillOnFocus(inner, choice, list);
  },
});

/** Returns the entry of a picker for a text that needs no description. */
export const textEntry = (value) => ({ value, main: value, aside: "", search: value.toLowerCase() });

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

/** Delay after a key press before a request is sent. */
export const typingPauseMs = 250;

/** Adds a box for the header row of a table. Shows the column that each heading is taken for. The row is not saved. */
function addHeadings(node, input, { name, headings: columnsOf }) {
  const line = input.closest(".form-row");
  const caption = translate("form.headings");
  const shown = $('<p class="fxdesk-hint fxdesk-description" aria-live="polite">');
  const titles = fieldTexts(node, columnsOf).parts ?? {};
  const textOf = ({ heading, column }) => `${heading} → ${titles[column]?.label ?? column}`;
  const show = ({ headings }) => {
    const used = headings.filter(({ column }) => column).map(textOf);
    const unused = headings.filter(({ column }) => !column).map(({ heading }) => heading);
    const rest = unused.length > 0 && translate("form.headingsUnused", { headings: unused.join(", ") });
    shown.text([used.join("; "), rest].filter(Boolean).join(". "));
  };
  let latest;
  let timer;
  const match = (header) => {
    const request = matchHeadings({ operation: node._def.fxdesk.operation, field: name, header });
    latest = request;
    // Responses can arrive in another order than their requests.
    request
      .done((found) => request === latest && show(found))
      .fail((failed) => request === latest && shown.text(errorMessageOf(failed)));
  };
  const box = $('<input type="text" class="fxdesk-headings">')
    .attr({ "aria-label": `${line.find("label").first().text()}: ${caption}`, placeholder: caption })
    .on("input", (event) => {
      event.stopPropagation();
      shown.text("");
      latest = undefined;
      clearTimeout(timer);
      const header = box.val();
      if (header !== "") timer = setTimeout(match, typingPauseMs, header);
    });
  line.append(box, shown);
  if (columnsOf !== "") return;
  // A column map that is given is not guessed.
  const follow = () => box.add(shown).toggle(input.typedInput("value") === "");
  line.on("change input", follow);
  follow();
}

export const readTypedInput = (input) => ({
  type: input.typedInput("type"),
  value: input.typedInput("value"),
});

/** Creates the control of a field with its pickers. */
export function addValue(node, control, given) {
  const input = fieldInput(control.name);
  const type = fixedType(node, control);
  const types = typedInput(node, input, type, given);
  textInputOf(input).attr("aria-describedby", `${inputId(control.name)}-error`);
  if (given?.label) input.data("fxdeskLabel", given.label);
  if (control.list && !control.part) addPicker(input, control);
  if (control.suggestions) attachPicker(input).fill(control.suggestions.map(textEntry));
  if (control.moment) addTimePicker(node, input, control);
  if (hasListHint(control))
    input
      .closest(".form-row")
      .append(
        $('<p class="fxdesk-hint fxdesk-description">').text(
          translate("form.defaults", { values: control.hint.split(",").map(optionText).join(", ") }),
        ),
      );
  if (control.headings !== undefined) addHeadings(node, input, control);
  const { label, parts } = fieldTexts(node, control.name);
  if (control.part)
    addObjectEditor(input, {
      type,
      types,
      part: control.part,
      texts: { label, parts },
      ...(control.list && { offer: offerInside(control.list) }),
      translate,
    });
}
