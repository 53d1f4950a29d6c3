/** Values as models write them: accepted where only one meaning is possible, else refused with what to write. */
import { Big } from "big.js";
import type { z } from "zod";
import { type Kind, kindOf, metaOf, optionsOf, type MinuteOfDay } from "../core/schema/kind";
import { isDay, minuteOf } from "../core/schema/values";
import { nearest } from "../core/nearest";
import { spellingKey, partsOf } from "./names";
import { decimalString } from "./decimal-strings";

/** Either the value to send, or what is wrong with the one that was given. */
export type Coerced = { readonly value: unknown } | { readonly message: string };

const coerced = (value: unknown): Coerced => ({ value });
const refused = (message: string): Coerced => ({ message });

const fits = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

const isDecimal = /^-?\d+(\.\d+)?$/;

/** Whether a number holds every digit of the text. */
const isExact = (text: string): boolean => {
  const number = Number(text);
  return Number.isFinite(number) && new Big(text).eq(decimalString(number));
};

/** What a number with signs between its digits may stand for. */
function decimalsIn(text: string): string[] {
  const digits = text.replace(/[\s'_]/g, "");
  if (!/^-?\d[\d.,]*$/.test(digits)) return [];
  const point = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  const whole = digits.replace(/[.,]/g, "");
  const withPoint =
    point < 0 ? whole : `${digits.slice(0, point).replace(/[.,]/g, "")}.${digits.slice(point + 1)}`;
  const mayGroup = /^-?\d{1,3}([.,]\d{3})+$/.test(digits);
  return mayGroup ? [whole, withPoint] : [withPoint];
}

function coerceNumber(text: string): Coerced {
  const trimmed = text.trim();
  if (!isDecimal.test(trimmed)) {
    const meant = decimalsIn(trimmed).filter((candidate) => isDecimal.test(candidate));
    const form = meant.length > 0 ? `send ${meant.join(" or ")}` : "such as 1234.5";
    return refused(`must be a number with a dot and without grouping (${form}), not ${JSON.stringify(text)}`);
  }
  return isExact(trimmed)
    ? coerced(Number(trimmed))
    : refused(`has more digits than can be sent exactly: ${text}`);
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

const coerceBoolean = (text: string): Coerced =>
  booleans.has(text.trim().toLowerCase())
    ? coerced(booleans.get(text.trim().toLowerCase()))
    : refused(`must be true or false, not ${JSON.stringify(text)}`);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A list written as text, or one value where a list is wanted. */
function listFrom(schema: z.ZodType, value: unknown): unknown {
  if (typeof value !== "string") return [value];
  const list = value.trim().startsWith("[") ? parsed(value) : undefined;
  if (Array.isArray(list)) return list;
  const { element } = partsOf(schema);
  const parts = element && (optionsOf(element) || kindOf(element) === "integer");
  return parts ? value.split(",").map((part) => part.trim()) : [value];
}

/** An object written as text. */
const objectFrom = (value: unknown): unknown =>
  typeof value === "string" && value.trim().startsWith("{") ? (parsed(value) ?? value) : value;

const knownOptions = (schema: z.ZodType): readonly string[] | undefined =>
  optionsOf(schema) ?? metaOf(schema)["x-extensible-enum"];

/** The options with a word in common, where none is spelled alike. */
const optionsSharingWord = (text: string, options: readonly string[]) =>
  options.filter((option) => {
    const words = text.toLowerCase().split(/[^a-z0-9]+/);
    return words.some((word) => word.length > 3 && option.toLowerCase().includes(word));
  });

function coerceOption(schema: z.ZodType, text: string): Coerced | undefined {
  const options = knownOptions(schema);
  if (!options || options.includes(text) || metaOf(schema).alsoSpelled?.has(text)) return undefined;
  const same = options.find((option) => spellingKey(option) === spellingKey(text));
  if (same !== undefined) return coerced(same);
  if (!optionsOf(schema)) return undefined;
  const near = [...nearest(text, options), ...optionsSharingWord(text, options)].slice(0, 2);
  const hint = near.length > 0 ? `; nearest: ${near.join(", ")}` : "";
  return refused(`must be one of ${options.join(", ")}, not ${JSON.stringify(text)}${hint}`);
}

const dayForms = /^(\d{4})[-/.]?(\d\d)[-/.]?(\d\d)$/;

/** A day in another form than YYYY-MM-DD, where it has only one meaning. */
function dayIn(text: string): string | undefined {
  const parts = dayForms.exec(text.replace(/T[\d:.]+Z?$/, ""));
  const day = parts?.slice(1).join("-");
  return day !== undefined && isDay(day) ? day : undefined;
}

const minutesOf = (time: number) => new Date(time).toISOString().slice(0, 16);

const timeForm = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

/** A minute in UTC, from a day or from a time in another form. */
function minuteIn(text: string, ofDay: MinuteOfDay): Coerced | undefined {
  const day = dayIn(text);
  if (day !== undefined && !text.includes("T")) return coerced(minuteOf(day, ofDay));
  if (!timeForm.test(text) || !isDay(text.slice(0, 10))) return undefined;
  const zoned = /(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`;
  const time = Date.parse(zoned.replace(" ", "T"));
  if (Number.isNaN(time)) return undefined;
  if (time % 60_000 === 0) return coerced(minutesOf(time));
  return refused(`has seconds, which are not taken: send ${minutesOf(time)}`);
}

/** What else a text may be meant as: codes in capitals and without spaces, days in other forms. */
const alternativeSpellings = (text: string): readonly (string | undefined)[] => {
  const bare = text.replace(/\s/g, "");
  return [
    text.trim(),
    bare,
    text.trim().toUpperCase(),
    bare.toUpperCase(),
    text.toLowerCase(),
    dayIn(text.trim()),
  ];
};

const todayIs = () => `; today is ${new Date().toISOString().slice(0, 10)} (UTC)`;

function coerceText(schema: z.ZodType, text: string): Coerced {
  const option = coerceOption(schema, text);
  if (option) return option;
  if (fits(schema, text)) return coerced(text);
  const { ofDay, format } = metaOf(schema);
  const minute = ofDay === undefined ? undefined : minuteIn(text.trim(), ofDay);
  if (minute) return minute;
  const meant = alternativeSpellings(text).find(
    (spelling) => spelling !== undefined && fits(schema, spelling),
  );
  if (meant !== undefined) return coerced(meant);
  if (format === "date-time" && isDay(text)) return refused(`must have a time: send ${text}T00:00:00Z`);
  const message = schema.safeParse(text).error?.issues[0]?.message;
  const isWord = (ofDay !== undefined || format === "date") && /^[a-z]/i.test(text);
  return isWord && message !== undefined
    ? refused(`${message}, not ${JSON.stringify(text)}${todayIs()}`)
    : coerced(text);
}

/** Codes as a list, where they are written with commas between. Free text has no form to tell by. */
function coerceCodeList(schema: z.ZodType, list: readonly unknown[]): Coerced {
  const text = list.join(",");
  const isScalar = list.every((item) => typeof item === "string");
  return isScalar && list.length > 0 && !fits(schema, " ") ? coerceText(schema, text) : coerced(list);
}

const coerceByKind: Readonly<Partial<Record<Kind, (text: string, schema: z.ZodType) => Coerced>>> = {
  number: coerceNumber,
  integer: coerceNumber,
  boolean: coerceBoolean,
  string: (text, schema) => coerceText(schema, text),
};

/** The value a model means for a field; what is inside objects and lists is left as it is. */
export function coerceValue(schema: z.ZodType, value: unknown): Coerced {
  const kind = kindOf(schema);
  if (kind === "array") return coerced(Array.isArray(value) ? value : listFrom(schema, value));
  if (kind === "object") return coerced(objectFrom(value));
  if (typeof value === "string") return coerceByKind[kind]?.(value, schema) ?? coerced(value);
  if (kind === "string" && Number.isFinite(value)) return coerceText(schema, decimalString(value as number));
  if (kind === "string" && Array.isArray(value)) return coerceCodeList(schema, value);
  return coerced(value);
}
