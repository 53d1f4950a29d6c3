/** Between the fields of an operation and flags. */
import type { Declaration } from "../../core/operations/declaration";
import { callerFields, type Field } from "../../core/operations/fields";
import { fromText } from "../../core/operations/wire";
import { elementOf, kindOf, metaOf } from "../../core/schema/kind";
import type { Flag, Given } from "../arguments";
import { flagName } from "../names";

const isObject = (kind: Field["kind"]) => kind === "object" || kind === "unknown";

/** What stands for the value in the help: what it is, where the kind alone does not say. */
function placeholder({ kind, schema, options }: Field): string {
  if (options && options.join("|").length <= 40) return `<${options.join("|")}>`;
  if (isObject(kind)) return "<json>";
  const element = elementOf(schema);
  if (kind !== "array") return `<${metaOf(schema).format ?? (kind === "string" ? "text" : kind)}>`;
  return element && isObject(kindOf(element)) ? "<json>" : "<a,b,…>";
}

function says(field: Field): string {
  const { required, description, options, default: fallback } = field;
  const words = [
    required && "Required.",
    description,
    options && placeholder(field) === "<text>" && `One of ${options.join(", ")}.`,
    fallback !== undefined && `Default: ${String(fallback)}.`,
  ];
  return words.filter(Boolean).join(" ");
}

/** The flags of an operation, one for each field the caller fills. */
export const fieldFlags = (operation: Declaration): Flag[] =>
  callerFields(operation).map((field) => ({
    name: flagName(field.name),
    says: says(field),
    ...(field.kind === "boolean" ? { negatable: true } : { value: placeholder(field) }),
    ...(field.kind === "array" && { repeats: true }),
  }));

/** One flag may hold several items: with commas between them, or as JSON. */
function items({ schema }: Field, text: string): unknown {
  const element = elementOf(schema);
  const inJson = element !== undefined && isObject(kindOf(element));
  return fromText(schema, inJson && !text.trim().startsWith("[") ? `[${text}]` : text);
}

function valueOf(field: Field, given: Given): unknown {
  const flag = flagName(field.name);
  if (field.kind === "boolean") return given.switched(flag);
  if (field.kind === "array") return given.texts(flag)?.flatMap((text) => items(field, text));
  const text = given.text(flag);
  return text === undefined ? undefined : fromText(field.schema, text);
}

/** The values that flags give. What does not fit its kind is left as it came, for the check to name. */
export function inputFrom(operation: Declaration, given: Given): Record<string, unknown> {
  const entries = callerFields(operation).map((field) => [field.name, valueOf(field, given)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
