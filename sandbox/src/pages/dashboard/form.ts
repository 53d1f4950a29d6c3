/** Forms of controls, and what they send. */
import { type Declaration, type Field, fieldsOf, fromText, type Values } from "@fxdesk/toolkit/operations";
import { metaOf } from "@fxdesk/toolkit/schema";
import type { FastifyRequest } from "fastify";
import { methodOf } from "../../control/in-process";
import { Refusal } from "../../refusal";
import { hidden, type Html, html } from "../html";

/** What can be chosen: the value, and what a person reads. */
export type Choice = readonly [value: string, text: string];

/** What a form is given beforehand: its other fields are asked for. */
export interface Preset {
  readonly given?: Readonly<Record<string, string>>;
  /** Fields that this form leaves out. */
  readonly without?: readonly string[];
  /** Fields whose values are known from what the sandbox holds. */
  readonly choices?: Readonly<Record<string, readonly Choice[]>>;
  /** The enumeration that has a button for each of its values, in the place of one button for the form. */
  readonly decision?: string;
  /** A file that holds all fields as JSON, in their place: what a person reads of it. */
  readonly file?: string;
  /** On the button; by default the control's title. */
  readonly label?: string;
  /** The button's name for who does not see what stands beside it. */
  readonly name?: string;
  readonly look?: "quiet" | "bad";
}

const select = ({ name, default: value }: Field, choices: readonly Choice[]): Html =>
  html`<select name="${name}">
    ${choices.map(
      ([choice, description]) =>
        html`<option value="${choice}" ${choice === value ? html`selected` : undefined}>
          ${description}
        </option>`,
    )}
  </select>`;

/** The values of an enumeration; none of them, where none is needed. */
const optionsOf = ({ required, options }: Field): readonly Choice[] | undefined =>
  options && [
    ...(required ? [] : [["", ""] as const]),
    ...options.map((option) => [option, option] as const),
  ];

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

function labelled(field: Field, choices: Preset["choices"]): Html {
  const named = choices?.[field.name];
  const known = named ?? optionsOf(field);
  const title = named ? field.title.replace(/ ID$/, "") : field.title;
  return html`<label><span>${title}</span>${known ? select(field, known) : input(field)}</label>`;
}

const lookOfDecision: Readonly<Record<string, string>> = { refuse: "bad", reject: "bad", fail: "bad" };

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

function buttons(control: Declaration, { decision, label = control.title, name, look }: Preset): Html {
  if (decision === undefined)
    return html`<button class="${look}" title="${control.summary}" ${name && html`aria-label="${name}"`}>
      ${label}
    </button>`;
  const { options = [] } = fieldsOf(control).find((field) => field.name === decision)!;
  const each = options.map(
    (option) =>
      html`<button class="${lookOfDecision[option]}" name="${decision}" value="${option}">
        ${capitalised(option)}
      </button>`,
  );
  return html`<span class="row">${each}</span>`;
}

/** By which a form is found again when the page is read anew: what it does, and which of those it is. */
const nameOf = (control: Declaration, { given = {}, name, label }: Preset): string =>
  [methodOf(control), name ?? label ?? Object.values(given).join(" ")].filter(Boolean).join(" ");

const fileField = "file";

const fileInput = (title: string): Html =>
  html`<label
    ><span>${title}</span><input name="${fileField}" type="file" accept=".json,application/json" required
  /></label>`;

/** What a form asks for, as labelled inputs. */
function inputs(control: Declaration, { given = {}, without = [], choices, decision, file }: Preset): Html[] {
  if (file !== undefined) return [fileInput(file)];
  const settled = new Set([...Object.keys(given), ...without, decision]);
  const asked = fieldsOf(control).filter(({ name }) => !settled.has(name));
  return asked.map((field) => labelled(field, choices));
}

export function form(control: Declaration, preset: Preset = {}): Html {
  const { given = {}, file } = preset;
  const asked = inputs(control, preset);
  const presets = Object.entries({ control: methodOf(control), ...given });
  return html`<form
    name="${nameOf(control, preset)}"
    method="post"
    action="/"
    ${file === undefined ? undefined : html`enctype="multipart/form-data"`}
    class="${asked.length > 0 ? "asks" : "button"}"
  >
    ${presets.map(([name, value]) => hidden(name, value))}${asked}${buttons(control, preset)}
  </form>`;
}

/** What a form sent. Throws a Refusal when it cannot be read. */
export async function sentIn({ body, headers }: Pick<FastifyRequest, "body" | "headers">): Promise<Sent> {
  const type = headers["content-type"] ?? "";
  if (!type.startsWith("multipart/form-data")) return new URLSearchParams(String(body));
  try {
    return await new Response(body as Buffer<ArrayBuffer>, { headers: { "content-type": type } }).formData();
  } catch {
    throw unfit("The form cannot be read.");
  }
}

/** By the names of the inputs. */
type Sent = Pick<URLSearchParams, "get"> | Pick<FormData, "get">;

const unfit = (message: string) => new Refusal(400, "validation_error", message);

/** The fields that a file holds. Throws a Refusal when it holds none. */
async function valuesIn(file: File): Promise<Values> {
  if (file.size === 0) throw unfit("Choose a file that Save made: this one is empty.");
  let value: unknown;
  try {
    value = JSON.parse(await file.text());
  } catch {
    // What the parser says of it names the place, and nobody looks for one in a saved file.
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw unfit(`Choose a file that Save made: ${JSON.stringify(file.name)} holds no saved sandbox.`);
  return value as Values;
}

/** The values a form sent; what was left empty is not given. Throws a Refusal when they cannot be read. */
export async function valuesFrom(control: Declaration, sent: Sent): Promise<Values> {
  const file = sent.get(fileField);
  if (file instanceof File) return valuesIn(file);
  const filled = fieldsOf(control).flatMap(({ name, schema }) => {
    const given = sent.get(name);
    const text = typeof given === "string" ? given.trim() : "";
    return text ? [[name, fromText(schema, text)] as const] : [];
  });
  return Object.fromEntries(filled);
}
