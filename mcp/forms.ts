/** Values as models write them: taken where only one thing can be meant, else refused with what to write. */
import { Big } from "big.js";
import type { z } from "zod";
import { type Kind, kindOf, metaOf, optionsOf, type MinuteOfDay } from "../core/schema/kind";
import { isDay, minuteOf } from "../core/schema/values";
import { nearest } from "../core/nearest";
import { likeness, partsOf } from "./names";
import { decimalString } from "./decimal-strings";

/** Either the value to send, or what is wrong with the one that was given. */
export type Taken = { readonly value: unknown } | { readonly description: string };

const taken = (value: unknown): Taken => ({ value });
const refused = (description: string): Taken => ({ description });

const fits = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

const isDecimal = /^-?\d+(\.\d+)?$/;

const holds = (text: string): boolean => {
  const number = Number(text);
  return Number.isFinite(number) && new Big(text).eq(decimalString(number));
};

/** What a number with signs between its digits may stand for. */
function decimalsIn(text: string): string[] {
  const digits = text.replace(/[\s'_]/g, "");
  if (!/^-?\d[\d.,]*$/.test(digits)) return [];
  const point = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  const whole = digits.replace(/[.,]/g, "");
  const parted =
    point < 0 ? whole : `${digits.slice(0, point).replace(/[.,]/g, "")}.${digits.slice(point + 1)}`;
  const mayGroup = /^-?\d{1,3}([.,]\d{3})+$/.test(digits);
  return mayGroup ? [whole, parted] : [parted];
}

function asNumber(text: string): Taken {
  const trimmed = text.trim();
  if (!isDecimal.test(trimmed)) {
    const meant = decimalsIn(trimmed).filter((candidate) => isDecimal.test(candidate));
    const form = meant.length > 0 ? `send ${meant.join(" or ")}` : "such as 1234.5";
    return refused(`must be a number with a dot and without grouping (${form}), not ${JSON.stringify(text)}`);
  }
  return holds(trimmed)
    ? taken(Number(trimmed))
    : refused(`has more digits than can be sent exactly: ${text}`);
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

const asBoolean = (text: string): Taken =>
  booleans.has(text.trim().toLowerCase())
    ? taken(booleans.get(text.trim().toLowerCase()))
    : refused(`must be true or false, not ${JSON.stringify(text)}`);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A list written as text, or one value where a list is wanted. */
function asList(schema: z.ZodType, value: unknown): unknown {
  if (typeof value !== "string") return [value];
  const list = value.trim().startsWith("[") ? parsed(value) : undefined;
  if (Array.isArray(list)) return list;
  const { element } = partsOf(schema);
  const parts = element && (optionsOf(element) || kindOf(element) === "integer");
  return parts ? value.split(",").map((part) => part.trim()) : [value];
}

const asObject = (value: unknown): unknown =>
  typeof value === "string" && value.trim().startsWith("{") ? (parsed(value) ?? value) : value;

const known = (schema: z.ZodType): readonly string[] | undefined =>
  optionsOf(schema) ?? metaOf(schema)["x-extensible-enum"];

/** The options with a word in common, where none is spelled alike. */
const akin = (text: string, options: readonly string[]) =>
  options.filter((option) => {
    const words = text.toLowerCase().split(/[^a-z0-9]+/);
    return words.some((word) => word.length > 3 && option.toLowerCase().includes(word));
  });

function asOption(schema: z.ZodType, text: string): Taken | undefined {
  const options = known(schema);
  if (!options || options.includes(text) || metaOf(schema).alsoSpelled?.has(text)) return undefined;
  const same = options.find((option) => likeness(option) === likeness(text));
  if (same !== undefined) return taken(same);
  if (!optionsOf(schema)) return undefined;
  const near = [...nearest(text, options), ...akin(text, options)].slice(0, 2);
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
function minuteIn(text: string, ofDay: MinuteOfDay): Taken | undefined {
  const day = dayIn(text);
  if (day !== undefined && !text.includes("T")) return taken(minuteOf(day, ofDay));
  if (!timeForm.test(text) || !isDay(text.slice(0, 10))) return undefined;
  const zoned = /(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`;
  const time = Date.parse(zoned.replace(" ", "T"));
  if (Number.isNaN(time)) return undefined;
  if (time % 60_000 === 0) return taken(minutesOf(time));
  return refused(`has seconds, which are not taken: send ${minutesOf(time)}`);
}

/** What else a text may be meant as: codes in capitals and without spaces, days in other forms. */
const forms = (text: string): readonly (string | undefined)[] => {
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

function asText(schema: z.ZodType, text: string): Taken {
  const option = asOption(schema, text);
  if (option) return option;
  if (fits(schema, text)) return taken(text);
  const { ofDay, format } = metaOf(schema);
  const minute = ofDay === undefined ? undefined : minuteIn(text.trim(), ofDay);
  if (minute) return minute;
  const meant = forms(text).find((form) => form !== undefined && fits(schema, form));
  if (meant !== undefined) return taken(meant);
  if (format === "date-time" && isDay(text)) return refused(`must have a time: send ${text}T00:00:00Z`);
  const description = schema.safeParse(text).error?.issues[0]?.message;
  const isWord = (ofDay !== undefined || format === "date") && /^[a-z]/i.test(text);
  return isWord && description !== undefined
    ? refused(`${description}, not ${JSON.stringify(text)}${todayIs()}`)
    : taken(text);
}

/** Codes as a list, where they are written with commas between. Free text has no form to tell by. */
function asJoined(schema: z.ZodType, list: readonly unknown[]): Taken {
  const text = list.join(",");
  const isScalar = list.every((item) => typeof item === "string");
  return isScalar && list.length > 0 && !fits(schema, " ") ? asText(schema, text) : taken(list);
}

const fromText: Readonly<Partial<Record<Kind, (text: string, schema: z.ZodType) => Taken>>> = {
  number: asNumber,
  integer: asNumber,
  boolean: asBoolean,
  string: (text, schema) => asText(schema, text),
};

/** A value of a field, but for what is inside objects and lists. */
export function valueFor(schema: z.ZodType, value: unknown): Taken {
  const kind = kindOf(schema);
  if (kind === "array") return taken(Array.isArray(value) ? value : asList(schema, value));
  if (kind === "object") return taken(asObject(value));
  if (typeof value === "string") return fromText[kind]?.(value, schema) ?? taken(value);
  if (kind === "string" && Number.isFinite(value)) return asText(schema, decimalString(value as number));
  if (kind === "string" && Array.isArray(value)) return asJoined(schema, value);
  return taken(value);
}
