/** From the fields of a form and a message to the input of an operation. */
import type { NodeMessage } from "node-red";
import { invalidInput } from "../../core/client/call-errors";
import type { Callable } from "../../core/declaration/operation";
import { callerFields, type Values } from "../../core/declaration/fields";
import { type Host, type Source, sourceOf, type TypedValue } from "./sources";
import { fitter, InnerMisfit, isBase64 } from "./values";
import type { Violation } from "../../core/declaration/violation";

export interface InputDef {
  /** The whole input, by a node whose form does not know the fields. */
  readonly input?: TypedValue;
  /** The fields that were filled, by the contract's names. */
  readonly fields?: Readonly<Record<string, TypedValue>>;
  /** Whether a field left empty takes its value from the property of msg.payload with its name. */
  readonly fromPayload?: boolean;
}

interface Reader {
  readonly field: string;
  readonly read: (msg: NodeMessage) => unknown;
}

const payloadProperty =
  (name: string): Source =>
  ({ payload }) =>
    typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>)[name] : undefined;

function fittersOf(operation: Callable) {
  const fields = callerFields(operation);
  const ofBytes = fields.find(({ schema }) => isBase64(schema))?.name;
  return new Map(fields.map(({ name, schema }) => [name, fitter(schema, ofBytes)]));
}

function readersOf(operation: Callable, { fields = {}, fromPayload }: InputDef, host: Host): Reader[] {
  const known = fittersOf(operation);
  const reader = (field: string, source: Source): Reader => {
    const fit = known.get(field);
    // The check of the operation names a field that it does not know.
    return { field, read: fit ? async (msg) => fit(await source(msg)) : source };
  };
  const filled = Object.entries(fields).map(([field, given]) => reader(field, sourceOf(given, host)));
  if (!fromPayload) return filled;
  const empty = [...known.keys()].filter((name) => !(name in fields));
  return [...filled, ...empty.map((name) => reader(name, payloadProperty(name)))];
}

type ReadInput = (msg: NodeMessage) => Promise<Values>;

/** The values of the fields that have one. Throws InvalidInput that names every field whose value cannot be had. */
async function valuesOf(operation: Callable, readers: readonly Reader[], msg: NodeMessage): Promise<Values> {
  const input: Record<string, unknown> = {};
  const violations: Violation[] = [];
  for (const { field, read } of readers) {
    try {
      const value = await read(msg);
      if (value !== undefined) input[field] = value;
    } catch (error) {
      const path = error instanceof InnerMisfit ? error.path : [];
      violations.push({ field: [field, ...path].join("."), message: (error as Error).message });
    }
  }
  if (violations.length > 0) throw invalidInput(operation, violations);
  return input;
}

function readerOfFields(operation: Callable, form: InputDef, host: Host): ReadInput {
  const readers = readersOf(operation, form, host);
  return (msg) => valuesOf(operation, readers, msg);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** An object as it is or as JSON text; nothing at all is an input without fields. */
function objectFrom(value: unknown): Values {
  const given = typeof value === "string" && value.trim() !== "" ? parsed(value) : value;
  if (given === undefined || given === null || given === "") return {};
  if (typeof given !== "object" || Array.isArray(given) || Buffer.isBuffer(given))
    throw new Error("must be an object with the fields of the operation");
  return given as Values;
}

function readerOfWhole(operation: Callable, given: TypedValue, host: Host): ReadInput {
  const source = sourceOf(given, host);
  const fitters = fittersOf(operation);
  const whole = async (msg: NodeMessage): Promise<Values> => {
    try {
      return objectFrom(await source(msg));
    } catch (error) {
      throw invalidInput(operation, [{ field: "input", message: (error as Error).message }]);
    }
  };
  return async (msg) => {
    const readers = Object.entries(await whole(msg)).map(([field, value]) => {
      const fit = fitters.get(field);
      return { field, read: () => (fit ? fit(value) : value) };
    });
    return valuesOf(operation, readers, msg);
  };
}

/**
 * Prepares the form of a node: returns the input of the operation for a message. Throws InvalidInput that names every
 * field whose value cannot be had.
 */
export const inputReader = (operation: Callable, form: InputDef, host: Host): ReadInput =>
  form.input ? readerOfWhole(operation, form.input, host) : readerOfFields(operation, form, host);
