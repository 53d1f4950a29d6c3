/** Validation of node properties, on the canvas and at a deploy. */
import { areTextsLoaded, fieldTexts, loadTexts, translate, violationText } from "./form-texts.js";
import { checkFields } from "./runtime-requests.js";

/** Validates the input of a node. Returns true or an error message. */
export const inputProblem = (node, given, option) =>
  !given ||
  RED.utils.validateTypedProperty(given.value, given.type, {
    ...option,
    label: translate("form.input"),
  });

/** Returns the fields that a choice excludes. They are not shown, not saved, and ignored by the runtime. */
export function excludedFields(rules = [], choiceOf) {
  const excluded = new Set();
  for (const { kind, fields, other, values } of rules)
    if (kind === "excluded-by" && !excluded.has(other) && values.includes(choiceOf(other)))
      for (const name of fields) excluded.add(name);
  return excluded;
}

const isFixedText = ({ type }) => type === "str";

/** Returns the fields that the form shows. */
function shownFields({ _def }, fields) {
  const choiceOf = (name) => fields[name] && isFixedText(fields[name]) && fields[name].value;
  const excluded = excludedFields(_def.fxdesk.rules, choiceOf);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !excluded.has(name)));
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

/** Validates the fields of a node, as a call does. Returns true or a list of error messages. */
export function fieldsProblem(node, saved, option) {
  if (!saved) return true;
  const fields = shownFields(node, saved);
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
export function optionProblem({ _def }, name, given) {
  const text = String(given ?? "");
  if (text === "" || isVariable(text) || optionChecks[name](text, _def.fxdesk)) return true;
  const format = name === "from" && !_def.fxdesk.startsAtDay ? "fromNow" : name;
  return `${translate(`form.${name}`)} ${translate(`form.formats.${format}`)}`;
}
