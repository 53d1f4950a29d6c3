/** Forms of the controls and their submissions. */
import { type Declaration, type Field, fieldsOf, fromText, type Values } from "@fxdesk/toolkit/operations";
import { metaOf } from "@fxdesk/toolkit/schema";
import type { FastifyRequest } from "fastify";
import { methodOf } from "../control/control-plane";
import { HttpError } from "../http/http-error";
import { hiddenInput, type Html, html } from "../pages/page";

/** Choice: the value and its label. */
export type Choice = readonly [value: string, text: string];

/** Options of a form. */
interface FormOptions {
  readonly fixedValues?: Readonly<Record<string, string>>;
  /** Fields to omit from the form. */
  readonly omitted?: readonly string[];
  /** Choices for fields whose values the sandbox knows. */
  readonly choices?: Readonly<Record<string, readonly Choice[]>>;
  /** Enumeration field with one button per value, instead of a single submit button. */
  readonly decision?: string;
  /** Label of a file input that replaces all fields. The file holds them as JSON. */
  readonly file?: string;
  /** Button label. Defaults to the control's title. */
  readonly label?: string;
  /** Accessible name of the button, for buttons whose label needs context. */
  readonly name?: string;
  readonly cssClass?: "quiet" | "bad";
}

const selectInput = ({ name, default: value }: Field, choices: readonly Choice[]): Html =>
  html`<select name="${name}">
    ${choices.map(
      ([choice, description]) =>
        html`<option value="${choice}" ${choice === value ? html`selected` : undefined}>
          ${description}
        </option>`,
    )}
  </select>`;

/** Returns the values of an enumeration, with an empty choice if the field is optional. */
const enumChoices = ({ required, options }: Field): readonly Choice[] | undefined =>
  options && [
    ...(required ? [] : [["", ""] as const]),
    ...options.map((option) => [option, option] as const),
  ];

const inputTypes: Readonly<Record<string, string>> = { integer: "number", number: "number" };

function textInput({ name, kind, schema, required, description, default: value }: Field): Html {
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

function labelledInput(field: Field, choices: FormOptions["choices"]): Html {
  const ownChoices = choices?.[field.name];
  const allChoices = ownChoices ?? enumChoices(field);
  const title = ownChoices ? field.title.replace(/ ID$/, "") : field.title;
  return html`<label
    ><span>${title}</span>${allChoices ? selectInput(field, allChoices) : textInput(field)}</label
  >`;
}

const decisionClasses: Readonly<Record<string, string>> = { refuse: "bad", reject: "bad", fail: "bad" };

const capitalise = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

function submitButtons(
  control: Declaration,
  { decision, label = control.title, name, cssClass }: FormOptions,
): Html {
  if (decision === undefined)
    return html`<button class="${cssClass}" title="${control.summary}" ${name && html`aria-label="${name}"`}>
      ${label}
    </button>`;
  const { options = [] } = fieldsOf(control).find((field) => field.name === decision)!;
  const each = options.map(
    (option) =>
      html`<button class="${decisionClasses[option]}" name="${decision}" value="${option}">
        ${capitalise(option)}
      </button>`,
  );
  return html`<span class="row">${each}</span>`;
}

/** Unique name of a form, by which the script finds it after a refresh. */
const formName = (control: Declaration, { fixedValues = {}, name, label }: FormOptions): string =>
  [methodOf(control), name ?? label ?? Object.values(fixedValues).join(" ")].filter(Boolean).join(" ");

const fileField = "file";

const fileInput = (title: string): Html =>
  html`<label
    ><span>${title}</span><input name="${fileField}" type="file" accept=".json,application/json" required
  /></label>`;

/** Returns the labelled inputs of a form. */
function formInputs(
  control: Declaration,
  { fixedValues = {}, omitted = [], choices, decision, file }: FormOptions,
): Html[] {
  if (file !== undefined) return [fileInput(file)];
  const hiddenNames = new Set([...Object.keys(fixedValues), ...omitted, decision]);
  const visibleFields = fieldsOf(control).filter(({ name }) => !hiddenNames.has(name));
  return visibleFields.map((field) => labelledInput(field, choices));
}

export function controlForm(control: Declaration, formOptions: FormOptions = {}): Html {
  const { fixedValues = {}, file } = formOptions;
  const visibleInputs = formInputs(control, formOptions);
  const presets = Object.entries({ control: methodOf(control), ...fixedValues });
  return html`<form
    name="${formName(control, formOptions)}"
    method="post"
    action="/"
    ${file === undefined ? undefined : html`enctype="multipart/form-data"`}
    class="${visibleInputs.length > 0 ? "inputs" : "button"}"
  >
    ${presets.map(([name, value]) => hiddenInput(name, value))}${visibleInputs}${submitButtons(control, formOptions)}
  </form>`;
}

/** Parses a form submission. Throws an HttpError if it cannot be read. */
export async function parseSubmission({
  body,
  headers,
}: Pick<FastifyRequest, "body" | "headers">): Promise<FormData> {
  const type = headers["content-type"] ?? "";
  try {
    return await new Response(body as Buffer<ArrayBuffer>, { headers: { "content-type": type } }).formData();
  } catch {
    throw toFormError("The form data is malformed.");
  }
}

const toFormError = (message: string) => new HttpError(400, "validation_error", message);

/** Reads the fields from an uploaded file. Throws an HttpError if it is not a saved sandbox. */
async function valuesFromFile(file: File): Promise<Values> {
  if (file.size === 0) throw toFormError("The file is empty. Choose a file created by Save.");
  let value: unknown;
  try {
    value = JSON.parse(await file.text());
  } catch {
    // A parser error with a position would not help the person.
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw toFormError(`${JSON.stringify(file.name)} is not a saved sandbox. Choose a file created by Save.`);
  return value as Values;
}

/** Returns the submitted values without empty ones. Throws an HttpError if they cannot be read. */
export async function valuesFromSubmission(control: Declaration, submission: FormData): Promise<Values> {
  const file = submission.get(fileField);
  if (file instanceof File) return valuesFromFile(file);
  const entries = fieldsOf(control).flatMap(({ name, schema }) => {
    const given = submission.get(name);
    const text = typeof given === "string" ? given.trim() : "";
    return text ? [[name, fromText(schema, text)] as const] : [];
  });
  return Object.fromEntries(entries);
}
