/** From the fields of a form and a message to the input of an operation. */
import { isDate } from "node:util/types";
import type { NodeMessage } from "node-red";
import type { z } from "zod";
import { invalidInput } from "../../core/client/prepare";
import type { Problem, Values } from "../../core/operations/check";
import type { Declaration } from "../../core/operations/declaration";
import { callerFields } from "../../core/operations/fields";
import { fromText } from "../../core/operations/wire";
import { kindOf } from "../../core/schema/kind";
import { type Host, type Source, sourceOf, type TypedValue } from "./sources";

export interface InputDef {
  /** The whole input, by a node whose form does not know the fields. */
  readonly input?: TypedValue;
  /** The fields that were filled, by the contract's names. */
  readonly fields?: Readonly<Record<string, TypedValue>>;
  /** Whether a field left empty takes its value from the property of msg.payload with its name. */
  readonly fromPayload?: boolean;
}

/** A point in time as text, at the precision the field takes: a day, a minute, or the instant. */
function textOfDate(schema: z.ZodType, date: Date): string {
  const instant = date.toISOString();
  const shorter = [instant.slice(0, 10), instant.slice(0, 16)];
  return shorter.find((text) => schema.safeParse(text).success) ?? instant;
}

/** A value in the kind the field takes. Nothing, null and empty text leave an optional field out. */
function fitted(schema: z.ZodType, value: unknown): unknown {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return fromText(schema, value);
  if (isDate(value)) return textOfDate(schema, value);
  if (kindOf(schema) === "string" && typeof value !== "object") return String(value);
  return value;
}

interface Reader {
  readonly field: string;
  readonly read: (msg: NodeMessage) => unknown;
}

const payloadProperty =
  (name: string): Source =>
  ({ payload }) =>
    typeof payload === "object" && payload !== null ? (payload as Record<string, unknown>)[name] : undefined;

function readersOf(operation: Declaration, { fields = {}, fromPayload }: InputDef, host: Host): Reader[] {
  const known = new Map(callerFields(operation).map(({ name, schema }) => [name, schema]));
  const reader = (field: string, source: Source): Reader => {
    const schema = known.get(field);
    // The check of the operation names a field that it does not know.
    return {
      field,
      read: schema ? async (msg) => fitted(schema, await source(msg)) : source,
    };
  };
  const filled = Object.entries(fields).map(([field, given]) => reader(field, sourceOf(given, host)));
  if (!fromPayload) return filled;
  const empty = [...known.keys()].filter((name) => !(name in fields));
  return [...filled, ...empty.map((name) => reader(name, payloadProperty(name)))];
}

type ReadInput = (msg: NodeMessage) => Promise<Values>;

function readerOfFields(operation: Declaration, form: InputDef, host: Host): ReadInput {
  const readers = readersOf(operation, form, host);
  return async (msg) => {
    const input: Record<string, unknown> = {};
    const problems: Problem[] = [];
    for (const { field, read } of readers) {
      try {
        const value = await read(msg);
        if (value !== undefined) input[field] = value;
      } catch (error) {
        problems.push({ field, says: (error as Error).message });
      }
    }
    if (problems.length > 0) throw invalidInput(operation, problems);
    return input;
  };
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

function readerOfWhole(operation: Declaration, given: TypedValue, host: Host): ReadInput {
  const read = sourceOf(given, host);
  const schemas = new Map(callerFields(operation).map(({ name, schema }) => [name, schema]));
  const fit = ([name, value]: [string, unknown]): [string, unknown] => {
    const schema = schemas.get(name);
    return [name, schema ? fitted(schema, value) : value];
  };
  return async (msg) => {
    try {
      return Object.fromEntries(
        Object.entries(objectFrom(await read(msg)))
          .map(fit)
          .filter(([, value]) => value !== undefined),
      );
    } catch (error) {
      throw invalidInput(operation, [{ field: "input", says: (error as Error).message }]);
    }
  };
}

/**
 * Prepares the form of a node: answers the input of the operation for a message. Throws InvalidInput that names every
 * field whose value cannot be had.
 */
export const inputReader = (operation: Declaration, form: InputDef, host: Host): ReadInput =>
  form.input ? readerOfWhole(operation, form.input, host) : readerOfFields(operation, form, host);
