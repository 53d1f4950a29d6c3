/** Between the fields of an operation and flags. */
import { InvalidInput } from "../../core/errors";
import type { Callable } from "../../core/declaration/operation";
import { type DescribedField, inputFields, pageOf } from "../../core/declaration/described-page";
import { callerFields, type Field } from "../../core/declaration/fields";
import { fromText } from "../../core/wire/request";
import { elementOf, kindOf } from "../../core/schema/kind";
import type { Flag, ParsedArguments } from "../arguments";
import { flagName } from "../names";
import type { ReadSource } from "./sources";
import { describeViolations, type Violation } from "../../core/declaration/violation";

const isObject = (kind: Field["kind"]) => kind === "object" || kind === "unknown";

/** What stands for the value in the help: what it is, where the kind alone does not say. */
function placeholder({ kind, schema, format, options }: DescribedField): string {
  if (isObject(kind)) return "<json>";
  const element = elementOf(schema);
  if (kind === "array") return element && isObject(kindOf(element)) ? "<json>" : "<a,b,…>";
  if (options && options.join("|").length <= 40) return `<${options.join("|")}>`;
  return `<${format ?? (kind === "string" ? "text" : kind)}>`;
}

function optionsHelp(field: DescribedField): string {
  const { kind, options } = field;
  if (!options || placeholder(field) === `<${options.join("|")}>`) return "";
  return `${kind === "array" ? "Any" : "One"} of ${options.join(", ")}.`;
}

function descriptionOf(field: DescribedField): string {
  const { need, description, default: fallback } = field;
  const words = [
    need === "required" && "Required.",
    description,
    optionsHelp(field),
    fallback !== undefined && `Default: ${String(fallback)}.`,
  ];
  return words.filter(Boolean).join(" ");
}

/** The flags of an operation, one for each field the caller fills. */
export const fieldFlags = (operation: Callable): Flag[] =>
  inputFields(pageOf(operation)).map((field) => ({
    name: flagName(field.name),
    description: descriptionOf(field),
    ...(field.kind === "boolean" ? { negatable: true } : { value: placeholder(field) }),
    ...(field.kind === "array" && { repeats: true }),
  }));

/** One flag may hold several items: with commas between them, or as JSON. */
function items({ schema }: Field, text: string): unknown {
  const element = elementOf(schema);
  const inJson = element !== undefined && isObject(kindOf(element));
  return fromText(schema, inJson && !text.trim().startsWith("[") ? `[${text}]` : text);
}

/** Whether the value may be long: free text, a list or an object. */
const mayBeLong = ({ kind, options }: Field) =>
  !options && (kind === "string" || kind === "array" || isObject(kind));

/** How a long value is given, where the operation has a field that may be long. */
export const longValuesHelp = (operation: Callable): string | undefined =>
  callerFields(operation).some(mayBeLong)
    ? "Texts, lists and objects: @<file> is what the file holds, @- what stdin holds; @@ begins a value with @."
    : undefined;

/** The text that is meant: of a file or of stdin, without the line break at its end, where a text refers to one. */
async function readText(field: Field, text: string, read: ReadSource): Promise<string> {
  if (!mayBeLong(field) || !text.startsWith("@")) return text;
  if (text.startsWith("@@")) return text.slice(1);
  return (await read(flagName(field.name), text.slice(1))).replace(/\r?\n$/, "");
}

async function valueOf(field: Field, parsed: ParsedArguments, read: ReadSource): Promise<unknown> {
  const flag = flagName(field.name);
  if (field.kind === "boolean") return parsed.switched(flag);
  const texts = parsed.texts(flag);
  if (!texts) return undefined;
  const all = await Promise.all(texts.map((text) => readText(field, text, read)));
  return field.kind === "array" ? all.flatMap((text) => items(field, text)) : fromText(field.schema, all[0]!);
}

/** `trade_type.0` is said of --trade-type. */
function flagIn(violation: Violation, flags: ReadonlyMap<string, string>): Violation {
  const [name = "", ...inside] = violation.field.split(".");
  const flag = flags.get(name);
  if (violation.rule || flag === undefined) return violation;
  const at = inside.filter((part) => !/^\d+$/.test(part)).join(".");
  return { ...violation, field: [`--${flag}`, at && `(${at})`].filter(Boolean).join(" ") };
}

/**
 * The same error; what is wrong with a value is said of its flag, where nothing was sent. `others` are the flags of what is
 * no field of the operation.
 */
export function withFlagNames(
  operation: Callable,
  error: unknown,
  others: Readonly<Record<string, string>> = {},
): unknown {
  if (!(error instanceof InvalidInput) || error.outcome !== "not-sent") return error;
  const fields = callerFields(operation).map(({ name }) => [name, flagName(name)] as const);
  const flags = new Map([...Object.entries(others), ...fields]);
  const { code, outcome, violations } = error;
  const words = describeViolations(violations.map((violation) => flagIn(violation, flags)));
  return new InvalidInput(`${operation.name}: ${words}`, {
    operation: operation.name,
    code,
    outcome,
    violations,
  });
}

/** The values that flags give. What does not fit its kind is left as it came, for the check to name. */
export async function inputFrom(
  operation: Callable,
  parsed: ParsedArguments,
  read: ReadSource,
): Promise<Record<string, unknown>> {
  const entries = await Promise.all(
    callerFields(operation).map(async (field) => [field.name, await valueOf(field, parsed, read)] as const),
  );
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
