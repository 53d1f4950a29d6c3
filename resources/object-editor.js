/**
 * Editor for objects and lists, built from their declaration (`part`). Unedited values stay unchanged, including properties
 * that the declaration does not know.
 */
import { timePicker } from "./time-picker.js";
import { nameAsLabel, optionText } from "./form-texts.js";

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** True if the editor of a part can show a value. Nested values that it cannot show are edited as JSON. */
const isEditable = ({ kind }, value) =>
  value === undefined || (kind === "list" ? Array.isArray(value) : isObject(value));

const scalarFits = ({ kind }, value) =>
  value === undefined ||
  (kind === "number"
    ? typeof value === "number"
    : kind === "boolean"
      ? typeof value === "boolean"
      : typeof value === "string");

/** Parses a number or null. Returns other text unchanged, so that validation reports it. */
function numberFrom(text) {
  if (text === "null") return null;
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

const fromText = {
  text: (text) => text,
  choice: (text) => text,
  number: numberFrom,
  boolean: (text) => text === "true",
};

function jsonFrom(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const button = (text, label, onClick) =>
  $('<button type="button" class="red-ui-button red-ui-button-small">')
    .text(text)
    .attr({ "aria-label": label, title: label })
    .on("click", onClick);

let count = 0;

/** Returns a control with its label. */
function withLabel(label, control, description) {
  const id = `fxdesk-part-${(count += 1)}`;
  const caption = $("<label>").attr("for", id).text(label);
  if (description) caption.attr("title", description);
  return $('<div class="fxdesk-part">').append(caption, control.attr("id", id));
}

function choiceOf(options, text) {
  const all = options.includes(text) || text === "" ? options : [...options, text];
  return $("<select>").append([
    $("<option>").val(""),
    ...all.map((each) => $("<option>").val(each).text(optionText(each)).attr("title", each)),
  ]);
}

/** Editor of a value without parts. `read` returns undefined if it is empty. */
function scalar(part, value, { name, label, description, offer, translate, changed }) {
  const isKnown = part.kind !== "json" && scalarFits(part, value);
  let current = value;
  const text = value === undefined ? "" : isKnown ? String(value) : JSON.stringify(value);
  const options = part.kind === "boolean" ? ["true", "false"] : part.options;
  const input = isKnown && options ? choiceOf(options, text) : $('<input type="text">');
  const parse = isKnown ? fromText[part.kind] : jsonFrom;
  input.val(text).on("input change", (event) => {
    event.stopPropagation();
    const written = input.val() === "" ? undefined : parse(input.val());
    if (written === current) return;
    current = written;
    picker?.show(String(current ?? ""));
    changed();
  });
  const picker =
    part.moment &&
    timePicker(part.moment, { label, translate, put: (picked) => input.val(picked).trigger("change") });
  picker?.show(text);
  const element = withLabel(label, input, description).append(picker?.line);
  if (isKnown && offer?.property === name) offer.attach(input, element, label);
  return { element, read: () => current };
}

/** Returns the original value until the first edit. */
function trackEdits(value, changed, read) {
  let isEdited = false;
  return {
    markEdited: () => {
      isEdited = true;
      changed();
    },
    read: () => (isEdited ? read() : value),
  };
}

/** Editor of an object: shows required and filled properties and offers the others in a select. */
function object(part, value, context) {
  const { label, texts, translate, changed } = context;
  const editors = new Map();
  const { markEdited, read } = trackEdits(value, changed, () => {
    const all = { ...value };
    for (const [name, editor] of editors) {
      const given = editor.read();
      if (given === undefined) delete all[name];
      else all[name] = given;
    }
    return all;
  });
  const group = $('<div role="group" class="fxdesk-parts">').attr("aria-label", label);
  const textsOf = (name) => texts.parts?.[name] ?? nameAsLabel(name);
  const labelOf = (name) => textsOf(name).label;
  const addFieldSelect = $("<select>").attr("aria-label", `${label}: ${translate("form.addField")}`);

  function show(name) {
    const editor = editorOf(part.parts[name], value?.[name], {
      ...context,
      name,
      isWhole: false,
      texts: textsOf(name),
      label: part.parts[name].required ? `${labelOf(name)} *` : labelOf(name),
      description: textsOf(name).description,
      changed: markEdited,
    });
    editors.set(name, editor);
    addFieldSelect.before(editor.element).find(`option[value="${name}"]`).remove();
    addFieldSelect.toggle(addFieldSelect.children().length > 1);
    return editor.element;
  }

  addFieldSelect.append($("<option>").val("").text(translate("form.addField")));
  group.append(addFieldSelect);
  const names = Object.keys(part.parts);
  for (const name of names) addFieldSelect.append($("<option>").val(name).text(labelOf(name)));
  const shown = names.filter((name) => part.parts[name].required || value?.[name] !== undefined);
  for (const name of shown.length > 0 ? shown : names.slice(0, 1)) show(name);
  addFieldSelect.on("input change", (event) => {
    event.stopPropagation();
    if (event.type !== "change" || addFieldSelect.val() === "") return;
    show(addFieldSelect.val()).find("input, select, button").first().trigger("focus");
    addFieldSelect.val("");
  });
  return { element: withCaption(context, group), read };
}

/** Puts a caption above a nested part. The outermost part is already labelled by its field. */
const withCaption = ({ label, isWhole }, content) =>
  !isWhole
    ? $('<div class="fxdesk-captioned">').append($('<div class="fxdesk-caption">').text(label), content)
    : content;

/** Editor of a list or map: entries can be added and removed. */
function entries(part, value, context) {
  const { label, translate, changed } = context;
  const isMap = part.kind === "map";
  const rows = [];
  let shown = 0;
  const { markEdited, read } = trackEdits(value, changed, () => {
    const given = rows.map(({ name, editor }) => [name?.val(), editor.read()]);
    return isMap
      ? Object.fromEntries(
          given.filter(([name]) => name).map(([name, each]) => [name, each === undefined ? "" : each]),
        )
      : given.map(([, each]) => (each === undefined ? emptyValueOf(part.of) : each));
  });
  const list = $('<ol class="fxdesk-entries">');
  const more = button(translate("form.addEntry"), `${label}: ${translate("form.addEntry")}`, () => {
    const { element } = show(undefined, "");
    markEdited();
    element.find("input, select").first().trigger("focus");
  });

  function show(given, key) {
    const named = translate("form.entry", { number: (shown += 1) });
    const editor = editorOf(part.of, given, {
      ...context,
      label: isMap ? translate("form.entryValue") : named,
      isWhole: false,
      changed: markEdited,
    });
    const name = isMap
      ? $('<input type="text">')
          .attr("aria-label", translate("form.entryName"))
          .val(key)
          .on("input change", (event) => {
            event.stopPropagation();
            markEdited();
          })
      : undefined;
    const row = { editor, name };
    const element = $("<li>").append(
      name,
      editor.element,
      button("×", translate("form.removeEntry", { entry: named }), () => {
        rows.splice(rows.indexOf(row), 1);
        element.remove();
        markEdited();
        more.trigger("focus");
      }),
    );
    rows.push(row);
    list.append(element);
    return { element };
  }

  for (const [key, each] of Object.entries(value ?? {})) show(each, key);
  const group = $('<div role="group" class="fxdesk-parts">').attr("aria-label", label).append(list, more);
  return { element: withCaption(context, group), read };
}

/** Returns the value of a new, empty entry. */
const emptyValueOf = ({ kind }) => ({ object: {}, map: {}, list: [] })[kind] ?? "";

const editors = { object, list: entries, map: entries };

/** Creates the editor of a part. Values that do not match the declaration are edited as JSON. */
function editorOf(part, value, context) {
  const editor = editors[part.kind];
  if (!editor) return scalar(part, value, context);
  return isEditable(part, value) ? editor(part, value, context) : scalar({ kind: "json" }, value, context);
}

/** True if JSON text contains numbers that would lose digits when parsed. Numbers in strings are safe. */
const hasLongNumbers = (text) =>
  text
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, "")
    .split(/[^\d.]+/)
    .some((number) => number.replace(".", "").length > 15);

/** Parses the text of a field. Returns an array with the value, or an empty array if it cannot be edited in rows. */
function parseEditable(part, text) {
  if (text.trim() === "") return [undefined];
  if (hasLongNumbers(text)) return [];
  try {
    return [JSON.parse(text)].filter((value) => isEditable(part, value));
  } catch {
    return [];
  }
}

const isEmpty = (value) => value === undefined || Object.keys(value).length === 0;

/**
 * Shows the JSON of a typed input as rows of fields, with a button to edit it as text. `type` is the JSON type among
 * `types`, `translate` returns the text of a key, and `texts` holds the label and the texts of the parts. `offer` attaches a
 * picker to the inputs of one property.
 */
export function addObjectEditor(input, { type, types, part, texts, offer, translate }) {
  const { label } = texts;
  const line = input.closest(".form-row");
  const container = $('<div class="fxdesk-rows">');
  const toggle = button("", "", () => {
    prefersJson = !prefersJson;
    refresh();
  });
  let prefersJson = false;
  let isShown;
  let shownText;
  line.children(".red-ui-typedInput-container").after(toggle.addClass("fxdesk-toggle"), container);

  function draw(value) {
    const changed = () => {
      const given = read();
      shownText = isEmpty(given) ? "" : JSON.stringify(given);
      input.typedInput("value", shownText);
    };
    const { element, read } = editorOf(part, value, {
      texts,
      label,
      offer,
      translate,
      changed,
      isWhole: true,
    });
    container.empty().append(element);
  }

  function refresh() {
    const text = input.typedInput("value");
    const isJson = input.typedInput("type") === "json";
    const found = isJson ? parseEditable(part, text) : [];
    const showsEditor = found.length > 0 && !prefersJson;
    const next = translate(showsEditor ? "form.asJson" : "form.asFields");
    toggle
      .toggle(isJson)
      .prop("disabled", prefersJson && found.length === 0)
      .text(next);
    toggle.attr({ title: next, "aria-label": `${label}: ${next}` });
    container.toggle(showsEditor);
    if (showsEditor !== isShown) {
      isShown = showsEditor;
      if (showsEditor)
        type.valueLabel = (box) =>
          box.append($('<span class="fxdesk-in-rows">').text(translate("form.inRows")));
      else delete type.valueLabel;
      if (isJson) input.typedInput("types", types);
    }
    if (showsEditor && text !== shownText) {
      shownText = text;
      draw(found[0]);
    }
  }

  line.on("change", refresh);
  refresh();
}
