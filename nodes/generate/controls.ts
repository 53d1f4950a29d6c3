/** Form controls of fields: type, options, hints and pickers, and the structure of values that are edited in rows. */
import type { z } from "zod";
import { type FieldDoc, type OperationDoc, callerFieldDocs } from "../../core/spec/describe-operation";
import { titleOf } from "../../core/spec/fields";
import {
  elementOf,
  isRequired,
  kindOf,
  type Meta,
  metaOf,
  optionsOf,
  shapeOf,
  valueOf,
} from "../../core/values/kind";
import type { FieldList } from "../editor/field-lists";
import { type Precision, precisionOf } from "../shared/coerce";

/** Precision of a time (UTC), or a period from a first to a last day. */
export type Moment = Precision | "period";

/** Returns the picker type of a field. Undefined if it is not a time. */
export const momentOf = (schema: z.ZodType): Moment | undefined =>
  precisionOf(schema) ?? (metaOf(schema).suggestions && "period");

/** Structure of a value. */
export type Part =
  | { readonly kind: "text" | "number" | "boolean"; readonly moment?: Moment }
  | { readonly kind: "choice"; readonly options: readonly string[] }
  | { readonly kind: "object"; readonly parts: Readonly<Record<string, Part & { readonly required?: true }>> }
  | { readonly kind: "list" | "map"; readonly of: Part };

const partKinds = { string: "text", integer: "number", number: "number", boolean: "boolean" } as const;

/** Returns the structure of a value. Undefined if any part has no fixed type; such values are edited as JSON. */
export function partOf(schema: z.ZodType): Part | undefined {
  const options = optionsOf(schema);
  if (options) return { kind: "choice", options };
  const kind = kindOf(schema);
  const moment = momentOf(schema);
  if (kind in partKinds)
    return { kind: partKinds[kind as keyof typeof partKinds], ...(moment && { moment }) };
  const entry = elementOf(schema) ?? valueOf(schema);
  if (entry) {
    const of = partOf(entry);
    return of && { kind: kind === "array" ? "list" : "map", of };
  }
  const parts = Object.entries(shapeOf(schema)).map(
    ([name, each]) => [name, partOf(each), isRequired(each)] as const,
  );
  if (parts.length === 0 || parts.some(([, part]) => !part)) return undefined;
  const named = parts.map(([name, part, required]) => [name, { ...part, ...(required && { required }) }]);
  return { kind: "object", parts: Object.fromEntries(named) };
}

/** Label and description of a part. */
export interface PartTexts {
  readonly label: string;
  readonly description?: string;
  readonly parts?: Readonly<Record<string, PartTexts>>;
}

/** Returns the texts of the parts by name. Undefined if there are none. */
export function partTexts(schema: z.ZodType): PartTexts["parts"] {
  const entry = elementOf(schema) ?? valueOf(schema);
  if (entry) return partTexts(entry);
  const texts = Object.entries(shapeOf(schema)).map(([name, each]) => {
    const { description } = metaOf(each);
    const parts = partTexts(each);
    return [
      name,
      { label: titleOf(name, each), ...(description && { description }), ...(parts && { parts }) },
    ];
  });
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

/** Control for a fixed value: text, number, one option, several options, comma-separated items, or JSON. */
export type ControlKind = "text" | "number" | "choice" | "choices" | "list" | "json";

/** Field of a form. Its texts come from the locale files. */
export interface Control {
  readonly name: string;
  readonly control: ControlKind;
  readonly required?: true;
  readonly options?: readonly string[];
  /** Placeholder: the default, an example or the format of the value. */
  readonly hint?: string;
  /** Precision of a time field. */
  readonly moment?: Moment;
  /** Suggested times or periods, in words. */
  readonly suggestions?: readonly string[];
  /** Fields from which a currency pair follows, and the field of its rate. */
  readonly pairOf?: Meta["pairOf"];
  /** Structure of a JSON value that can be edited in rows. */
  readonly part?: Part;
  /** List that offers values. */
  readonly list?: FieldList;
  /** Set if the form shows how the headings of a table are understood: the field whose parts name the columns; "" for a column map. */
  readonly headings?: string;
  /** True if the field takes several comma-separated values of the list. */
  readonly several?: true;
}

const scalars = new Set(["string", "integer", "number", "boolean"]);

const controlOptions = ({ kind, options }: FieldDoc): readonly string[] | undefined =>
  kind === "boolean" ? ["true", "false"] : options;

function controlKind({ kind, schema }: FieldDoc, options: readonly string[] | undefined): ControlKind {
  if (kind === "array") {
    const element = elementOf(schema);
    if (options) return "choices";
    return element && scalars.has(kindOf(element)) ? "list" : "json";
  }
  if (options) return "choice";
  if (kind === "string") return "text";
  return kind === "integer" || kind === "number" ? "number" : "json";
}

const hintByFormat: Readonly<Record<string, string>> = {
  date: "YYYY-MM-DD",
  uuid: "00000000-0000-0000-0000-000000000000",
};

function hintOf({ default: fallback, example, format }: FieldDoc): string | undefined {
  if (fallback !== undefined) return String(fallback);
  return typeof example === "string" ? example : hintByFormat[format ?? ""];
}

type FindList = (field: FieldDoc) => FieldList | undefined;

function controlOf(field: FieldDoc, listFor: FindList): Control {
  const options = controlOptions(field);
  const hint = hintOf(field);
  const list = listFor(field);
  const control = controlKind(field, options);
  const moment = momentOf(field.schema);
  const { suggestions, pairOf, separator, matchHeadings, columnsOf = "" } = metaOf(field.schema);
  const part = control === "json" ? partOf(field.schema) : undefined;
  const isSeveral = field.kind === "array" || separator !== undefined;
  return {
    name: field.name,
    control,
    ...(field.requirement === "required" && { required: true as const }),
    ...(options && { options }),
    ...(hint !== undefined && { hint }),
    ...(moment && { moment }),
    ...(suggestions && { suggestions }),
    ...(pairOf && { pairOf }),
    ...(part && { part }),
    ...(matchHeadings && { headings: columnsOf }),
    ...(list && { list, ...(isSeveral && { several: true as const }) }),
  };
}

/** Returns the controls of a form, required fields first. */
export function controlsOf(page: OperationDoc, listFor: FindList = () => undefined): readonly Control[] {
  const controls = callerFieldDocs(page).map((field) => controlOf(field, listFor));
  return [...controls.filter(({ required }) => required), ...controls.filter(({ required }) => !required)];
}
