/** How a field appears on a form: the control for a fixed value, and what the editor needs to draw and check it. */
import type { Declaration } from "../../core/declaration/operation";
import { callerFields, type Field } from "../../core/declaration/fields";
import { elementOf, kindOf, metaOf, optionsOf } from "../../core/schema/kind";

/**
 * The control for a fixed value: a line of text, a number, one of some options, several of them, items with commas
 * between, or JSON.
 */
export type ControlKind = "text" | "number" | "choice" | "choices" | "list" | "json";

/** A field as the editor's form reads it. Its words come from the locale. */
export interface Control {
  readonly name: string;
  readonly control: ControlKind;
  readonly required?: true;
  readonly options?: readonly string[];
  /** Shown in the empty control: the default, an example or the form of the value. */
  readonly hint?: string;
}

const scalars = new Set(["string", "integer", "number", "boolean"]);

const optionsFor = ({ schema, kind, options }: Field): readonly string[] | undefined => {
  if (kind === "boolean") return ["true", "false"];
  const element = elementOf(schema);
  return options ?? (element && optionsOf(element));
};

function controlKind(field: Field, options: readonly string[] | undefined): ControlKind {
  const { kind, schema } = field;
  if (kind === "array") {
    const element = elementOf(schema);
    if (options) return "choices";
    return element && scalars.has(kindOf(element)) ? "list" : "json";
  }
  if (options) return "choice";
  if (kind === "string") return "text";
  return kind === "integer" || kind === "number" ? "number" : "json";
}

const formats: Readonly<Record<string, string>> = {
  date: "YYYY-MM-DD",
  uuid: "00000000-0000-0000-0000-000000000000",
};

function hintOf(field: Field): string | undefined {
  if (field.default !== undefined) return String(field.default);
  const { examples, format } = metaOf(field.schema);
  const example = examples?.[0];
  return typeof example === "string" ? example : formats[format ?? ""];
}

function controlOf(field: Field): Control {
  const options = optionsFor(field);
  const hint = hintOf(field);
  return {
    name: field.name,
    control: controlKind(field, options),
    ...(field.required && { required: true as const }),
    ...(options && { options }),
    ...(hint !== undefined && { hint }),
  };
}

/** The controls of an operation's form: what is required first. */
export function controlsOf(operation: Declaration): readonly Control[] {
  const controls = callerFields(operation).map(controlOf);
  return [...controls.filter(({ required }) => required), ...controls.filter(({ required }) => !required)];
}
