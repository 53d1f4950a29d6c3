/**
 * An object or a list in rows of fields, made from what its declaration says it holds (`part`). What nobody touches stays as
 * it was, that which the declaration does not know included.
 */
import { momentPicker } from "./moments.js";
import { byName } from "./words.js";

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value can be shown in the rows of a part; what lies in it and cannot is shown as JSON. */
const fits = ({ kind }, value) =>
  value === undefined || (kind === "list" ? Array.isArray(value) : isObject(value));

const scalarFits = ({ kind }, value) =>
  value === undefined ||
  (kind === "number"
    ? typeof value === "number"
    : kind === "boolean"
      ? typeof value === "boolean"
      : typeof value === "string");

/** What was written into a number, where it is one or none; else the text, which is then said to be wrong. */
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

const button = (text, label, pressed) =>
  $('<button type="button" class="red-ui-button red-ui-button-small">')
    .text(text)
    .attr({ "aria-label": label, title: label })
    .on("click", pressed);

let count = 0;

/** A control with its name before it. */
function labelled(label, control, description) {
  const id = `fxdesk-part-${(count += 1)}`;
  const caption = $("<label>").attr("for", id).text(label);
  if (description) caption.attr("title", description);
  return $('<div class="fxdesk-part">').append(caption, control.attr("id", id));
}

function choiceOf(options, text) {
  const all = options.includes(text) || text === "" ? options : [...options, text];
  return $("<select>").append([
    $("<option>").val(""),
    ...all.map((each) => $("<option>").val(each).text(each)),
  ]);
}

/** A value without parts: `read` gives undefined where it is empty. */
function scalar(part, value, { label, description, words, changed }) {
  const isKnown = part.kind !== "json" && scalarFits(part, value);
  let held = value;
  const text = value === undefined ? "" : isKnown ? String(value) : JSON.stringify(value);
  const options = part.kind === "boolean" ? ["true", "false"] : part.options;
  const input = isKnown && options ? choiceOf(options, text) : $('<input type="text">');
  const parse = isKnown ? fromText[part.kind] : jsonFrom;
  input.val(text).on("input change", (event) => {
    event.stopPropagation();
    const written = input.val() === "" ? undefined : parse(input.val());
    if (written === held) return;
    held = written;
    picker?.show(String(held ?? ""));
    changed();
  });
  const picker =
    part.moment &&
    momentPicker(part.moment, { label, words, put: (picked) => input.val(picked).trigger("change") });
  picker?.show(text);
  return { element: labelled(label, input, description).append(picker?.line), read: () => held };
}

/** Reads what was touched; what was not is as it was given. */
function untilTouched(value, changed, read) {
  let isTouched = false;
  return {
    touched: () => {
      isTouched = true;
      changed();
    },
    read: () => (isTouched ? read() : value),
  };
}

/** The properties of an object: those it needs and those it has, the others to be added. */
function object(part, value, context) {
  const { label, said, words, changed } = context;
  const editors = new Map();
  const { touched, read } = untilTouched(value, changed, () => {
    const all = { ...value };
    for (const [name, editor] of editors) {
      const given = editor.read();
      if (given === undefined) delete all[name];
      else all[name] = given;
    }
    return all;
  });
  const group = $('<div role="group" class="fxdesk-parts">').attr("aria-label", label);
  const wordsOf = (name) => said.parts?.[name] ?? byName(name);
  const labelOf = (name) => wordsOf(name).label;
  const others = $("<select>").attr("aria-label", `${label}: ${words("form.addField")}`);

  function show(name) {
    const editor = editorOf(part.parts[name], value?.[name], {
      ...context,
      isWhole: false,
      said: wordsOf(name),
      label: part.parts[name].required ? `${labelOf(name)} *` : labelOf(name),
      description: wordsOf(name).description,
      changed: touched,
    });
    editors.set(name, editor);
    others.before(editor.element).find(`option[value="${name}"]`).remove();
    others.toggle(others.children().length > 1);
    return editor.element;
  }

  others.append($("<option>").val("").text(words("form.addField")));
  group.append(others);
  const names = Object.keys(part.parts);
  for (const name of names) others.append($("<option>").val(name).text(labelOf(name)));
  const shown = names.filter((name) => part.parts[name].required || value?.[name] !== undefined);
  for (const name of shown.length > 0 ? shown : names.slice(0, 1)) show(name);
  others.on("input change", (event) => {
    event.stopPropagation();
    if (event.type !== "change" || others.val() === "") return;
    show(others.val()).find("input, select, button").first().trigger("focus");
    others.val("");
  });
  return { element: framed(context, group), read };
}

/** A part that holds others, below its name; that of the whole is the name of the field. */
const framed = ({ label, isWhole }, content) =>
  !isWhole
    ? $('<div class="fxdesk-framed">').append($('<div class="fxdesk-caption">').text(label), content)
    : content;

/** The entries of a list, or those of a map with their names, each of which can be removed, and one more added. */
function entries(part, value, context) {
  const { label, words, changed } = context;
  const isMap = part.kind === "map";
  const rows = [];
  let shown = 0;
  const { touched, read } = untilTouched(value, changed, () => {
    const given = rows.map(({ name, editor }) => [name?.val(), editor.read()]);
    return isMap
      ? Object.fromEntries(
          given.filter(([name]) => name).map(([name, each]) => [name, each === undefined ? "" : each]),
        )
      : given.map(([, each]) => (each === undefined ? emptyOf(part.of) : each));
  });
  const list = $('<ol class="fxdesk-entries">');
  const more = button(words("form.addEntry"), `${label}: ${words("form.addEntry")}`, () => {
    const { element } = show(undefined, "");
    touched();
    element.find("input, select").first().trigger("focus");
  });

  function show(given, key) {
    const named = words("form.entry", { number: (shown += 1) });
    const editor = editorOf(part.of, given, {
      ...context,
      label: isMap ? words("form.entryValue") : named,
      isWhole: false,
      changed: touched,
    });
    const name = isMap
      ? $('<input type="text">')
          .attr("aria-label", words("form.entryName"))
          .val(key)
          .on("input change", (event) => {
            event.stopPropagation();
            touched();
          })
      : undefined;
    const row = { editor, name };
    const element = $("<li>").append(
      name,
      editor.element,
      button("×", words("form.removeEntry", { entry: named }), () => {
        rows.splice(rows.indexOf(row), 1);
        element.remove();
        touched();
        more.trigger("focus");
      }),
    );
    rows.push(row);
    list.append(element);
    return { element };
  }

  for (const [key, each] of Object.entries(value ?? {})) show(each, key);
  const group = $('<div role="group" class="fxdesk-parts">').attr("aria-label", label).append(list, more);
  return { element: framed(context, group), read };
}

/** What a new entry is in which nothing was written yet. */
const emptyOf = ({ kind }) => ({ object: {}, map: {}, list: [] })[kind] ?? "";

const editors = { object, list: entries, map: entries };

/** The editor of any part; what does not fit its declaration is written as JSON. */
function editorOf(part, value, context) {
  const editor = editors[part.kind];
  if (!editor) return scalar(part, value, context);
  return fits(part, value) ? editor(part, value, context) : scalar({ kind: "json" }, value, context);
}

/** Whether a text has numbers with more digits than a number of JavaScript keeps; those in texts are safe. */
const hasLongNumbers = (text) =>
  text
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, "")
    .split(/[^\d.]+/)
    .some((number) => number.replace(".", "").length > 15);

/** What the text of a field holds, where it can be shown in rows: an array with the value, or nothing. */
function shownIn(part, text) {
  if (text.trim() === "") return [undefined];
  if (hasLongNumbers(text)) return [];
  try {
    return [JSON.parse(text)].filter((value) => fits(part, value));
  } catch {
    return [];
  }
}

const isEmpty = (value) => value === undefined || Object.keys(value).length === 0;

/**
 * Shows the JSON of a typed input in rows of fields, unless the person prefers the text. `type` is the one of `types` that
 * holds JSON; `words` gives the text of a key, and `said` holds the label and the words of the parts.
 */
export function addRows(input, { type, types, part, said, words }) {
  const { label } = said;
  const line = input.closest(".form-row");
  const home = $('<div class="fxdesk-rows">');
  const toggle = button("", "", () => {
    wantsText = !wantsText;
    refresh();
  });
  let wantsText = false;
  let isShown;
  let shownText;
  line.children(".red-ui-typedInput-container").after(toggle.addClass("fxdesk-toggle"), home);

  function draw(value) {
    const changed = () => {
      const given = read();
      shownText = isEmpty(given) ? "" : JSON.stringify(given);
      input.typedInput("value", shownText);
    };
    const { element, read } = editorOf(part, value, { said, label, words, changed, isWhole: true });
    home.empty().append(element);
  }

  function refresh() {
    const text = input.typedInput("value");
    const isJson = input.typedInput("type") === "json";
    const found = isJson ? shownIn(part, text) : [];
    const isNow = found.length > 0 && !wantsText;
    const next = words(isNow ? "form.asJson" : "form.asFields");
    toggle
      .toggle(isJson)
      .prop("disabled", wantsText && found.length === 0)
      .text(next);
    toggle.attr({ title: next, "aria-label": `${label}: ${next}` });
    home.toggle(isNow);
    if (isNow !== isShown) {
      isShown = isNow;
      if (isNow)
        type.valueLabel = (container) =>
          container.append($('<span class="fxdesk-in-rows">').text(words("form.inRows")));
      else delete type.valueLabel;
      if (isJson) input.typedInput("types", types);
    }
    if (isNow && text !== shownText) {
      shownText = text;
      draw(found[0]);
    }
  }

  line.on("change", refresh);
  refresh();
}
