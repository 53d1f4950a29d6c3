/** Forms of controls, and what they send. */
import { type Declaration, type Field, fieldsOf, fromText, type Values } from "@fxdesk/toolkit/operations";
import { metaOf } from "@fxdesk/toolkit/schema";
import { methodOf } from "../../control/in-process";
import { hidden, type Html, html } from "../html";

const select = ({ name, required, options = [] }: Field): Html =>
  html`<select name="${name}">
    ${required ? undefined : html`<option value=""></option>`}${options.map((option) => html`<option>${option}</option>`)}
  </select>`;

const inputTypes: Readonly<Record<string, string>> = { integer: "number", number: "number" };

function input({ name, kind, schema, required, description, default: value }: Field): Html {
  const [example] = metaOf(schema).examples ?? [];
  const type = inputTypes[kind] ?? "text";
  const step = kind === "number" ? html` step="any"` : undefined;
  const needed = required ? html` required` : undefined;
  return html`<input
    name="${name}"
    type="${type}"
    value="${String(value ?? "")}"
    title="${description}"
    placeholder="${String(example ?? "")}"
    autocomplete="off"
    ${step}${needed}
  />`;
}

const labelled = (field: Field): Html =>
  html`<label><span>${field.title}</span>${field.options ? select(field) : input(field)}</label>`;

/** What a form is given beforehand: its other fields are asked for. */
export interface Preset {
  readonly given?: Readonly<Record<string, string>>;
  /** Fields that this form leaves out. */
  readonly without?: readonly string[];
  /** On the button; by default the control's title. */
  readonly label?: string;
  readonly look?: "quiet" | "bad";
}

export function form(control: Declaration, { given = {}, without = [], label, look }: Preset = {}): Html {
  const asked = fieldsOf(control).filter(({ name }) => !(name in given) && !without.includes(name));
  const fields = asked.map(labelled);
  const presets = Object.entries({ control: methodOf(control), ...given });
  return html`<form method="post" action="/" class="${asked.length > 0 ? "asks" : "button"}">
    ${presets.map(([name, value]) => hidden(name, value))}${fields}<button
      class="${look ?? ""}"
      title="${control.summary}"
    >
      ${label ?? control.title}
    </button>
  </form>`;
}

/** The values a form sent; what was left empty is not given. */
export function valuesFrom(control: Declaration, sent: URLSearchParams): Values {
  const filled = fieldsOf(control).flatMap(({ name, schema }) => {
    const text = sent.get(name)?.trim();
    return text ? [[name, fromText(schema, text)] as const] : [];
  });
  return Object.fromEntries(filled);
}
