/** Controls of the release and assistant nodes that the editor does not fill by itself: typed inputs, and the arguments of a tool. */

const inputOf = (name) => $(`#node-input-fxdesk-${name}`);

function openSource(node, name) {
  const input = inputOf(name).typedInput({ types: ["str", "msg", "flow", "global", "jsonata", "env"] });
  input
    .parent()
    .find(".red-ui-typedInput-input")
    .attr("aria-label", node._(`form.${name}`));
  const { type, value } = node[name] || node._def.defaults[name].value;
  input.typedInput("type", type);
  input.typedInput("value", value);
}

const saveSource = (input) => ({ type: input.typedInput("type"), value: input.typedInput("value") });

const argumentKinds = ["text", "number", "whole", "boolean", "date"];

/** Fills the row of one argument. */
function addArgument(node, row, field) {
  const named = (name) => ({
    "data-field": name,
    "aria-label": node._(`field.${name}`),
    placeholder: node._(`field.${name}`),
  });
  const line = $("<div>", { style: "display: flex; gap: 6px; align-items: center" }).appendTo(row);
  $("<input>", { type: "text", ...named("name") })
    .css({ width: "28%" })
    .val(field.name || "")
    .appendTo(line);
  const kind = $("<select>", { "data-field": "kind", "aria-label": "kind" })
    .css({ width: "22%" })
    .appendTo(line);
  for (const value of argumentKinds)
    $("<option>", { value })
      .text(node._(`kind.${value}`))
      .appendTo(kind);
  kind.val(field.kind || "text");
  $("<input>", { type: "text", ...named("description") })
    .css({ flex: 1 })
    .val(field.description || "")
    .appendTo(line);
  const needed = $("<label>").css({ width: "auto", margin: 0 }).appendTo(line);
  $("<input>", { type: "checkbox", "data-field": "required" })
    .css({ width: "auto", margin: "0 4px 0 0" })
    .prop("checked", field.required !== false)
    .appendTo(needed);
  needed.append(document.createTextNode(node._("field.required")));
}

function openArguments(node, name) {
  const list = inputOf(name).css("min-height", "120px");
  list.editableList({
    sortable: true,
    removable: true,
    addItem: (row, _index, field) => addArgument(node, row, field),
  });
  for (const field of node[name] || []) list.editableList("addItem", field);
}

function saveArguments(list) {
  return list
    .editableList("items")
    .toArray()
    .map((row) => {
      const of = (name) => row.find(`[data-field=${name}]`);
      return {
        name: of("name").val().trim(),
        kind: of("kind").val(),
        description: of("description").val().trim(),
        required: of("required").prop("checked"),
      };
    });
}

const openers = { source: openSource, arguments: openArguments };
const savers = { source: saveSource, arguments: saveArguments };

/** Fills the controls, each given by its name and kind. */
export function openControls(node, controls) {
  for (const [name, kind] of controls) openers[kind](node, name);
}

/** Stores the values of the controls. */
export function saveControls(node, controls) {
  for (const [name, kind] of controls) node[name] = savers[kind](inputOf(name));
}
