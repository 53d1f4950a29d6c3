/** Form controls of fields: type, options, hints and pickers. */
import { type FieldDoc, type OperationDoc, callerFieldDocs } from "../../core/spec/describe-operation";
import { elementOf, kindOf, metaOf } from "../../core/values/kind";
import type { FieldList } from "../editor/field-lists";
import { type Moment, momentOf, type Part, partOf } from "./object-parts";

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
  /** Suggested periods. */
  readonly periods?: readonly string[];
  /** Structure of a JSON value that can be edited in rows. */
  readonly part?: Part;
  /** List that offers values. */
  readonly list?: FieldList;
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
  const { periods, separator } = metaOf(field.schema);
  const part = control === "json" ? partOf(field.schema) : undefined;
  const isSeveral = field.kind === "array" || separator !== undefined;
  return {
    name: field.name,
    control,
    ...(field.requirement === "required" && { required: true as const }),
    ...(options && { options }),
    ...(hint !== undefined && { hint }),
    ...(moment && { moment }),
    ...(periods && { periods }),
    ...(part && { part }),
    ...(list && { list, ...(isSeveral && { several: true as const }) }),
  };
}

/** Returns the controls of a form, required fields first. */
export function controlsOf(page: OperationDoc, listFor: FindList = () => undefined): readonly Control[] {
  const controls = callerFieldDocs(page).map((field) => controlOf(field, listFor));
  return [...controls.filter(({ required }) => required), ...controls.filter(({ required }) => !required)];
}
