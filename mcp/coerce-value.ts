/** Converts values as models write them, if only one meaning is possible; otherwise rejects them with a correction. */
import { Big } from "big.js";
import type { z } from "zod";
import { type Kind, kindOf, metaOf, optionsOf, type MinuteOfDay } from "../core/values/kind";
import { isDay, minuteForDay } from "../core/values/values";
import { amountProblem, isAmbiguousAmount } from "../core/values/amount-text";
import { suggestions } from "../core/values/suggestions";
import { spellingKey } from "./render/names";
import { decimalString, schemaPartsOf } from "./render/values";

/** The value to send, or a message about the given one. */
export type CoercionResult = { readonly value: unknown } | { readonly message: string };

const accept = (value: unknown): CoercionResult => ({ value });
const reject = (message: string): CoercionResult => ({ message });

const isValid = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

const decimalPattern = /^-?\d+(\.\d+)?$/;

/** True if a JavaScript number represents the text exactly. */
const isExactNumber = (text: string): boolean => {
  const number = Number(text);
  return Number.isFinite(number) && new Big(text).eq(decimalString(number));
};

function coerceNumber(text: string, schema: z.ZodType): CoercionResult {
  const trimmed = text.trim();
  if (metaOf(schema).amount && isAmbiguousAmount(trimmed)) return reject(amountProblem(trimmed)!);
  if (!decimalPattern.test(trimmed))
    return reject(
      `must be a number with a decimal point and no grouping, for example 1234.5, not ${JSON.stringify(text)}`,
    );
  return isExactNumber(trimmed)
    ? accept(Number(trimmed))
    : reject(`has more digits than a number can hold exactly: ${text}`);
}

function coerceBoolean(text: string): CoercionResult {
  const word = text.trim().toLowerCase();
  return word === "true" || word === "false"
    ? accept(word === "true")
    : reject(`must be true or false, not ${JSON.stringify(text)}`);
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Converts text or a single value to a list. */
function toList(schema: z.ZodType, value: unknown): unknown {
  if (typeof value !== "string") return [value];
  const list = value.trim().startsWith("[") ? tryParseJson(value) : undefined;
  if (Array.isArray(list)) return list;
  const { element } = schemaPartsOf(schema);
  const parts = element && (optionsOf(element) || kindOf(element) === "integer");
  return parts ? value.split(",").map((part) => part.trim()) : [value];
}

/** Parses an object that was sent as JSON text. */
const toObject = (value: unknown): unknown =>
  typeof value === "string" && value.trim().startsWith("{") ? (tryParseJson(value) ?? value) : value;

const knownOptions = (schema: z.ZodType): readonly string[] | undefined =>
  optionsOf(schema) ?? metaOf(schema)["x-extensible-enum"];

function coerceOption(schema: z.ZodType, text: string): CoercionResult | undefined {
  const options = knownOptions(schema);
  if (!options || options.includes(text) || metaOf(schema).alsoSpelled?.has(text)) return undefined;
  const same = options.find((option) => spellingKey(option) === spellingKey(text));
  if (same !== undefined) return accept(same);
  if (!optionsOf(schema)) return undefined;
  const near = suggestions(text, options).slice(0, 2);
  const hint = near.length > 0 ? `; nearest: ${near.join(", ")}` : "";
  return reject(`must be one of ${options.join(", ")}, not ${JSON.stringify(text)}${hint}`);
}

const dayPattern = /^(\d{4})[-/.]?(\d\d)[-/.]?(\d\d)$/;

/** Parses a day in year-month-day order with any separator. */
function parseDay(text: string): string | undefined {
  const parts = dayPattern.exec(text.replace(/T[\d:.]+Z?$/, ""));
  const day = parts?.slice(1).join("-");
  return day !== undefined && isDay(day) ? day : undefined;
}

const toMinuteText = (time: number) => new Date(time).toISOString().slice(0, 16);

const timePattern = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

/** Parses a day or time to a minute in UTC; undefined if it is neither. */
function parseMinute(text: string, ofDay: MinuteOfDay): CoercionResult | undefined {
  const day = parseDay(text);
  if (day !== undefined && !text.includes("T")) return accept(minuteForDay(day, ofDay));
  if (!timePattern.test(text) || !isDay(text.slice(0, 10))) return undefined;
  const zoned = /(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`;
  const time = Date.parse(zoned.replace(" ", "T"));
  if (Number.isNaN(time)) return undefined;
  if (time % 60_000 === 0) return accept(toMinuteText(time));
  return reject(`must not have seconds: send ${toMinuteText(time)}`);
}

/** Other spellings to try: codes in capitals and without spaces, days in other formats. */
const alternativeSpellings = (text: string): readonly (string | undefined)[] => {
  const withoutSpaces = text.replace(/\s/g, "");
  return [
    text.trim(),
    withoutSpaces,
    text.trim().toUpperCase(),
    withoutSpaces.toUpperCase(),
    text.toLowerCase(),
    parseDay(text.trim()),
  ];
};

const todayHint = () => `; today is ${new Date().toISOString().slice(0, 10)} (UTC)`;

function coerceText(schema: z.ZodType, text: string): CoercionResult {
  const option = coerceOption(schema, text);
  if (option) return option;
  if (isValid(schema, text)) return accept(text);
  const { ofDay, format } = metaOf(schema);
  const minute = ofDay === undefined ? undefined : parseMinute(text.trim(), ofDay);
  if (minute) return minute;
  const alternative = alternativeSpellings(text).find(
    (spelling) => spelling !== undefined && isValid(schema, spelling),
  );
  if (alternative !== undefined) return accept(alternative);
  if (format === "date-time" && isDay(text)) return reject(`must have a time: send ${text}T00:00:00Z`);
  const message = schema.safeParse(text).error?.issues[0]?.message;
  const isWord = (ofDay !== undefined || format === "date") && /^[a-z]/i.test(text);
  return isWord && message !== undefined
    ? reject(`${message}, not ${JSON.stringify(text)}${todayHint()}`)
    : accept(text);
}

/** Joins a list where the field takes comma-separated codes. Free text would accept any join, so it is excluded. */
function coerceCodeList(schema: z.ZodType, list: readonly unknown[]): CoercionResult {
  const text = list.join(",");
  const isScalar = list.every((item) => typeof item === "string");
  return isScalar && list.length > 0 && !isValid(schema, " ") ? coerceText(schema, text) : accept(list);
}

const coerceByKind: Readonly<Partial<Record<Kind, (text: string, schema: z.ZodType) => CoercionResult>>> = {
  number: coerceNumber,
  integer: coerceNumber,
  boolean: coerceBoolean,
  string: (text, schema) => coerceText(schema, text),
};

/** Converts a value to the type of its field. Does not look inside objects and lists. */
export function coerceValue(schema: z.ZodType, value: unknown): CoercionResult {
  const kind = kindOf(schema);
  if (kind === "array") return accept(Array.isArray(value) ? value : toList(schema, value));
  if (kind === "object") return accept(toObject(value));
  if (typeof value === "string") return coerceByKind[kind]?.(value, schema) ?? accept(value);
  if (kind === "string" && Number.isFinite(value)) return coerceText(schema, decimalString(value as number));
  if (kind === "string" && Array.isArray(value)) return coerceCodeList(schema, value);
  return accept(value);
}
