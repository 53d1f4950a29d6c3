/** How a field appears on a form: the control for a fixed value, and what the editor needs to draw and check it. */
import { type FieldDoc, type OperationDoc, callerFieldDocs } from "../../core/declaration/describe-operation";
import { elementOf, kindOf, metaOf } from "../../core/schema/kind";
import type { FieldList } from "../field-lists";
import { type Moment, momentOf } from "./moment";
import { type Part, partOf } from "./object-parts";

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
  /** What it tells where it is a time. */
  readonly moment?: Moment;
  /** Of a period: what is offered first. */
  readonly periods?: readonly string[];
  /** What JSON is made of, where it can be shown in rows. */
  readonly part?: Part;
  /** The list that its values are picked from. */
  readonly list?: FieldList;
  /** Whether it takes several of them, with commas between. */
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

/** The controls of a form: what is required first. */
export function controlsOf(page: OperationDoc, listFor: FindList = () => undefined): readonly Control[] {
  const controls = callerFieldDocs(page).map((field) => controlOf(field, listFor));
  return [...controls.filter(({ required }) => required), ...controls.filter(({ required }) => !required)];
}
