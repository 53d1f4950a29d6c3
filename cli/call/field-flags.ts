/** Maps the fields of an operation to command-line flags and back. */
import { readFile } from "node:fs/promises";
import { text as readStream } from "node:stream/consumers";
import type { z } from "zod";
import { invalidInputError } from "../../core/call/call-errors";
import { findLostDigits } from "../../core/call/lost-digits";
import { InvalidInput, describeViolations, type Violation } from "../../core/spec/errors";
import type { Callable } from "../../core/spec/operation";
import { type FieldDoc, callerFieldDocs, describeOperation } from "../../core/spec/describe-operation";
import { callerFields, type Field } from "../../core/spec/fields";
import { fromText } from "../../core/call/encode-request";
import { elementOf, isRequired, kindOf, shapeOf } from "../../core/values/kind";
import { type Flag, type ParsedArguments, UsageError, flagName } from "../command-line/arguments";
import type { Terminal } from "../terminal/terminal";

const isJsonKind = (kind: Field["kind"]) => kind === "object" || kind === "unknown";

/** Returns the placeholder for a value in the help. */
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

/** Describes the fields of an object, or of each entry of a list. */
function nestedFieldsHelp({ kind, schema }: FieldDoc): string {
  const shape = shapeOf(elementOf(schema) ?? schema);
  const names = Object.keys(shape);
  if (names.length === 0) return "";
  const required = names.filter((name) => isRequired(shape[name]!));
  const optional = names.filter((name) => !required.includes(name));
  const parts = [
    required.length > 0 && `requires ${required.join(", ")}`,
    optional.length > 0 && `may include ${optional.join(", ")}`,
  ];
  return `${kind === "array" ? "Each entry" : "The object"} ${parts.filter(Boolean).join("; ")}.`;
}

function descriptionOf(field: FieldDoc): string {
  const { requirement, description, default: fallback } = field;
  const sentences = [
    requirement === "required" && "Required.",
    description,
    optionsHelp(field),
    nestedFieldsHelp(field),
    fallback !== undefined && `Default: ${String(fallback)}.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

/** Returns one flag per field that the caller fills. */
export const fieldFlags = (operation: Callable): Flag[] =>
  callerFieldDocs(describeOperation(operation)).map((field) => ({
    name: flagName(field.name),
    description: descriptionOf(field),
    ...(field.kind === "boolean" ? { negatable: true } : { value: placeholder(field) }),
    ...(field.kind === "array" && { repeats: true }),
  }));

const isList = (text: string) => text.trim().startsWith("[");

/** Wraps objects without brackets in a JSON list; other items may be separated by commas. */
function toListText({ kind, schema }: Field, text: string): string {
  const element = kind === "array" ? elementOf(schema) : undefined;
  return element && isJsonKind(kindOf(element)) && !isList(text) ? `[${text}]` : text;
}

/** Finds numbers with more digits than a JavaScript number can hold. */
function lostDigitsIn(schema: z.ZodType, text: string): Violation[] {
  const kind = kindOf(schema);
  const element = kind === "array" && !isList(text) ? elementOf(schema) : undefined;
  if (element) return text.split(",").flatMap((item) => lostDigitsIn(element, item));
  // Text that fromText returns unchanged is not JSON; validation reports it.
  return kind === "string" || fromText(schema, text) === text ? [] : findLostDigits(text);
}

/** True if the value may be long: free text, a list or an object. */
const mayBeLong = ({ kind, options }: Field) =>
  !options && (kind === "string" || kind === "array" || isJsonKind(kind));

/** Explains `@<file>` if the operation has a field that may be long. */
export const longValuesHelp = (operation: Callable): string | undefined =>
  callerFields(operation).some(mayBeLong)
    ? "For texts, lists and objects, @<file> reads the value from a file and @- from stdin; @@ stands for a leading @."
    : undefined;

/** Reads a file, or stdin for "-", as text. Throws a UsageError that names the flag. */
export type ReadSource = (flag: string, path: string) => Promise<string>;

export const nameOfSource = (path: string): string => (path === "-" ? "stdin" : path);

/** Returns a reader that reads stdin for one flag only. */
export function createSourceReader({ stdin }: Terminal): ReadSource {
  let stdinFlag: string | undefined;
  const fromStdin = (flag: string) => {
    if (stdinFlag !== undefined) throw new UsageError(`--${flag}: stdin is already used by --${stdinFlag}.`);
    stdinFlag = flag;
    return readStream(stdin);
  };
  return (flag, path) =>
    (path === "-" ? fromStdin(flag) : readFile(path, "utf8")).catch((error: Error) => {
      throw new UsageError(`--${flag}: ${nameOfSource(path)} cannot be read (${error.message}).`);
    });
}

/** Returns the text of a value. `@path` and `@-` are read, without the line break at their end. */
async function readText(field: Field, text: string, read: ReadSource): Promise<string> {
  if (!mayBeLong(field) || !text.startsWith("@")) return text;
  if (text.startsWith("@@")) return text.slice(1);
  return (await read(flagName(field.name), text.slice(1))).replace(/\r?\n$/, "");
}

interface GivenField {
  readonly field: Field;
  /** Undefined for a switch, and if the flag was not given. */
  readonly texts: readonly string[] | undefined;
}

async function readGivenField(field: Field, parsed: ParsedArguments, read: ReadSource): Promise<GivenField> {
  const texts = parsed
    .strings(flagName(field.name))
    ?.map(async (text) => toListText(field, await readText(field, text, read)));
  return { field, texts: texts && (await Promise.all(texts)) };
}

/** Returns a code in capitals and without spaces, as in `eur, gbp`, if the field takes only that. */
function toCode(schema: z.ZodType, value: unknown): unknown {
  if (typeof value !== "string" || !/^[a-z]/i.test(value) || schema.safeParse(value).success) return value;
  const code = value.replace(/\s/g, "").toUpperCase();
  return schema.safeParse(code).success ? code : value;
}

function valueOf({ field, texts }: GivenField, parsed: ParsedArguments): unknown {
  const { name, kind, schema } = field;
  if (kind === "boolean") return parsed.boolean(flagName(name));
  if (kind === "array") return texts?.flatMap((text) => fromText(schema, text));
  return texts && toCode(schema, fromText(schema, texts[0]!));
}

const lostDigitsOf = ({ field: { name, schema }, texts = [] }: GivenField): Violation[] =>
  texts
    .flatMap((text) => lostDigitsIn(schema, text))
    .map(({ field: inside, message }) => ({ field: [name, inside].filter(Boolean).join("."), message }));

/** Converts a field path to its flag: `trade_type.0` to --trade-type, `items.1.amount` to --items (1.amount). */
function toFlagViolation(violation: Violation, flags: ReadonlyMap<string, string>): Violation {
  const [name = "", ...inside] = violation.field.split(".");
  const flag = flags.get(name);
  if (violation.rule || flag === undefined) return violation;
  const nestedPath = inside.some((part) => !/^\d+$/.test(part)) ? inside.join(".") : "";
  return { ...violation, field: [`--${flag}`, nestedPath && `(${nestedPath})`].filter(Boolean).join(" ") };
}

/**
 * Returns the error with fields named by their flags, if nothing was sent. `others` maps names that are not fields of the
 * operation to their flags.
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
  const description = describeViolations(violations.map((violation) => toFlagViolation(violation, flags)));
  return new InvalidInput(`${operation.name}: ${description}`, {
    operation: operation.name,
    code,
    outcome,
    violations,
  });
}

/**
 * Reads field values from flags. A value of the wrong kind stays text, so that validation reports it. Throws InvalidInput if
 * a number would lose digits.
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
