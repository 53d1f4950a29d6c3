/** Reads the input of an operation from form fields and a message. */
import type { NodeMessage } from "node-red";
import { invalidInputError } from "../../core/call/call-errors";
import type { Callable } from "../../core/spec/operation";
import { callerFields, type Values } from "../../core/spec/fields";
import { type EvaluationContext, type ValueSource, createSource, type TypedValue } from "./typed-values";
import { coerce, ValueError, isBase64 } from "./coerce";
import type { Violation } from "../../core/spec/errors";

export interface InputDef {
  /** Source of the whole input, for nodes whose form does not know the fields. */
  readonly input?: TypedValue;
  /** Sources of the filled fields, by the contract's names. */
  readonly fields?: Readonly<Record<string, TypedValue>>;
  /** True if empty fields take the property of msg.payload with their name. */
  readonly fromPayload?: boolean;
}

interface FieldReader {
  readonly field: string;
  readonly read: (msg: NodeMessage) => unknown;
}

const payloadProperty =
  (name: string): ValueSource =>
  ({ payload }) =>
    typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>)[name] : undefined;

/** Returns functions that coerce values to the type of a field, by name. */
function coercersOf(operation: Callable): ReadonlyMap<string, (value: unknown) => unknown> {
  const fields = callerFields(operation);
  const bytesField = fields.find(({ schema }) => isBase64(schema))?.name;
  return new Map(
    fields.map(({ name, schema }) => [name, (value: unknown) => coerce(schema, value, bytesField)]),
  );
}

/** Returns the fields without those that a fixed choice excludes: the form does not show them. */
function shownFields({ rules = [] }: Callable, fields: NonNullable<InputDef["fields"]>): typeof fields {
  const excluded = new Set<string>();
  for (const rule of rules) {
    if (rule.kind !== "excluded-by" || excluded.has(rule.other)) continue;
    const { type, value } = fields[rule.other] ?? {};
    if (type === "str" && rule.values.includes(value!)) for (const name of rule.fields) excluded.add(name);
  }
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !excluded.has(name)));
}

function createFieldReaders(
  operation: Callable,
  { fields: saved = {}, fromPayload }: InputDef,
  host: EvaluationContext,
): FieldReader[] {
  const fields = shownFields(operation, saved);
  const coercers = coercersOf(operation);
  const createReader = (field: string, source: ValueSource): FieldReader => {
    const coercer = coercers.get(field);
    // Unknown fields are passed on; validation reports them.
    return { field, read: coercer ? async (msg) => coercer(await source(msg)) : source };
  };
  const filledReaders = Object.entries(fields).map(([field, typedValue]) =>
    createReader(field, createSource(typedValue, host)),
  );
  if (!fromPayload) return filledReaders;
  const emptyNames = [...coercers.keys()].filter((name) => !(name in fields));
  return [...filledReaders, ...emptyNames.map((name) => createReader(name, payloadProperty(name)))];
}

type ReadInput = (msg: NodeMessage) => Promise<Values>;

/** Returns the values of all fields that have one. Throws InvalidInput with every field whose value cannot be read. */
async function readValues(
  operation: Callable,
  readers: readonly FieldReader[],
  msg: NodeMessage,
): Promise<Values> {
  const input: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const { field, read } of readers) {
    try {
      const value = await read(msg);
      if (value !== undefined) input[field] = value;
    } catch (error) {
      const path = error instanceof ValueError ? error.path : [];
      violations.push({ field: [field, ...path].join("."), message: (error as Error).message });
    }
  }
  if (violations.length > 0) throw invalidInputError(operation, violations);
  return input;
}

function createFieldsReader(operation: Callable, form: InputDef, host: EvaluationContext): ReadInput {
  const readers = createFieldReaders(operation, form, host);
  return (msg) => readValues(operation, readers, msg);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** Converts an object or JSON text to an input. Undefined, null and empty text become an input without fields. */
function toInputObject(value: unknown): Values {
  const parsed = typeof value === "string" && value.trim() !== "" ? parseJson(value) : value;
  if (parsed === undefined || parsed === null || parsed === "") return {};
  if (typeof parsed !== "object" || Array.isArray(parsed) || Buffer.isBuffer(parsed))
    throw new Error("must be an object with the fields of the operation");
  return parsed as Values;
}

function createObjectReader(operation: Callable, typedValue: TypedValue, host: EvaluationContext): ReadInput {
  const source = createSource(typedValue, host);
  const coercers = coercersOf(operation);
  const readObject = async (msg: NodeMessage): Promise<Values> => {
    try {
      return toInputObject(await source(msg));
    } catch (error) {
      throw invalidInputError(operation, [{ field: "input", message: (error as Error).message }]);
    }
  };
  return async (msg) => {
    const readers = Object.entries(await readObject(msg)).map(([field, value]) => {
      const coercer = coercers.get(field);
      return { field, read: () => (coercer ? coercer(value) : value) };
    });
    return readValues(operation, readers, msg);
  };
}

/**
 * Creates a function that reads the input of the operation for a message. It throws InvalidInput with every field whose
 * value cannot be read.
 */
export const createInputReader = (operation: Callable, form: InputDef, host: EvaluationContext): ReadInput =>
  form.input ? createObjectReader(operation, form.input, host) : createFieldsReader(operation, form, host);
