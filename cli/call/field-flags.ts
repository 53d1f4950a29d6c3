/** Between the fields of an operation and flags. */
import type { z } from "zod";
import { invalidInputError } from "../../core/client/call-errors";
import { findLostDigits } from "../../core/client/lost-digits";
import { InvalidInput } from "../../core/errors";
import type { Callable } from "../../core/declaration/operation";
import { type FieldDoc, callerFieldDocs, describeOperation } from "../../core/declaration/describe-operation";
import { callerFields, type Field } from "../../core/declaration/fields";
import { fromText } from "../../core/wire/request";
import { elementOf, isRequired, kindOf, shapeOf } from "../../core/schema/kind";
import type { Flag, ParsedArguments } from "../arguments";
import { flagName } from "../flag-names";
import type { ReadSource } from "./sources";
import { describeViolations, type Violation } from "../../core/declaration/violation";

const isJsonKind = (kind: Field["kind"]) => kind === "object" || kind === "unknown";

/** What stands for the value in the help: what it is, where the kind alone does not say. */
function placeholder({ kind, schema, format, options }: FieldDoc): string {
  if (isJsonKind(kind)) return "<json>";
  const element = elementOf(schema);
  if (kind === "array") return element && isJsonKind(kindOf(element)) ? "<json>" : "<a,b,…>";
  if (options && options.join("|").length <= 40) return `<${options.join("|")}>`;
  return `<${format ?? (kind === "string" ? "text" : kind)}>`;
}

function optionsHelp(field: FieldDoc): string {
  const { kind, options } = field;
  if (!options || placeholder(field) === `<${options.join("|")}>`) return "";
  return `${kind === "array" ? "Any" : "One"} of ${options.join(", ")}.`;
}

/** What an object has inside, or each entry of a list. */
function nestedFieldsHelp({ kind, schema }: FieldDoc): string {
  const shape = shapeOf(elementOf(schema) ?? schema);
  const names = Object.keys(shape);
  if (names.length === 0) return "";
  const needed = names.filter((name) => isRequired(shape[name]!));
  const others = names.filter((name) => !needed.includes(name));
  const parts = [
    needed.length > 0 && `has ${needed.join(", ")}`,
    others.length > 0 && `may have ${others.join(", ")}`,
  ];
  return `${kind === "array" ? "Each" : "It"} ${parts.filter(Boolean).join("; ")}.`;
}

function descriptionOf(field: FieldDoc): string {
  const { requirement, description, default: fallback } = field;
  const words = [
    requirement === "required" && "Required.",
    description,
    optionsHelp(field),
    nestedFieldsHelp(field),
    fallback !== undefined && `Default: ${String(fallback)}.`,
  ];
  return words.filter(Boolean).join(" ");
}

/** The flags of an operation, one for each field the caller fills. */
export const fieldFlags = (operation: Callable): Flag[] =>
  callerFieldDocs(describeOperation(operation)).map((field) => ({
    name: flagName(field.name),
    description: descriptionOf(field),
    ...(field.kind === "boolean" ? { negatable: true } : { value: placeholder(field) }),
    ...(field.kind === "array" && { repeats: true }),
  }));

const isList = (text: string) => text.trim().startsWith("[");

/** One flag may hold several items: with commas between them, or as JSON. Objects are a list in JSON. */
function toListText({ kind, schema }: Field, text: string): string {
  const element = kind === "array" ? elementOf(schema) : undefined;
  return element && isJsonKind(kindOf(element)) && !isList(text) ? `[${text}]` : text;
}

/** What is wrong with the numbers of a text that is read as JSON or as numbers: the digits that would be lost. */
function lostDigitsIn(schema: z.ZodType, text: string): Violation[] {
  const kind = kindOf(schema);
  const element = kind === "array" && !isList(text) ? elementOf(schema) : undefined;
  if (element) return text.split(",").flatMap((item) => lostDigitsIn(element, item));
  // What is left as it came is no JSON, and for the check to name.
  return kind === "string" || fromText(schema, text) === text ? [] : findLostDigits(text);
}

/** Whether the value may be long: free text, a list or an object. */
const mayBeLong = ({ kind, options }: Field) =>
  !options && (kind === "string" || kind === "array" || isJsonKind(kind));

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

interface GivenField {
  readonly field: Field;
  /** Undefined where its flag is not given, and for a switch. */
  readonly texts: readonly string[] | undefined;
}

async function readGivenField(field: Field, parsed: ParsedArguments, read: ReadSource): Promise<GivenField> {
  const texts = parsed
    .strings(flagName(field.name))
    ?.map(async (text) => toListText(field, await readText(field, text, read)));
  return { field, texts: texts && (await Promise.all(texts)) };
}

function valueOf({ field, texts }: GivenField, parsed: ParsedArguments): unknown {
  const { name, kind, schema } = field;
  if (kind === "boolean") return parsed.boolean(flagName(name));
  if (kind === "array") return texts?.flatMap((text) => fromText(schema, text));
  return texts && fromText(schema, texts[0]!);
}

const lostDigitsOf = ({ field: { name, schema }, texts = [] }: GivenField): Violation[] =>
  texts
    .flatMap((text) => lostDigitsIn(schema, text))
    .map(({ field: inside, message }) => ({ field: [name, inside].filter(Boolean).join("."), message }));

/** `trade_type.0` is said of --trade-type, `items.1.amount` of --items (1.amount). */
function toFlagViolation(violation: Violation, flags: ReadonlyMap<string, string>): Violation {
  const [name = "", ...inside] = violation.field.split(".");
  const flag = flags.get(name);
  if (violation.rule || flag === undefined) return violation;
  const nestedPath = inside.some((part) => !/^\d+$/.test(part)) ? inside.join(".") : "";
  return { ...violation, field: [`--${flag}`, nestedPath && `(${nestedPath})`].filter(Boolean).join(" ") };
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
  const words = describeViolations(violations.map((violation) => toFlagViolation(violation, flags)));
  return new InvalidInput(`${operation.name}: ${words}`, {
    operation: operation.name,
    code,
    outcome,
    violations,
  });
}

/**
 * The values that flags give. What does not fit its kind is left as it came, for the check to name. Throws InvalidInput where
 * a number has more digits than would be sent.
 */
export async function readFieldFlags(
  operation: Callable,
  parsed: ParsedArguments,
  read: ReadSource,
): Promise<Record<string, unknown>> {
  const all = await Promise.all(callerFields(operation).map((field) => readGivenField(field, parsed, read)));
  const lostDigitViolations = all.flatMap(lostDigitsOf);
  if (lostDigitViolations.length > 0) throw invalidInputError(operation, lostDigitViolations);
  const entries = all.map((each) => [each.field.name, valueOf(each, parsed)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
