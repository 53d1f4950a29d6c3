/** Shared schemas of values: identifiers, dates, currencies, amounts. */
import { z } from "zod";
import { amountText } from "./amount-text";
import { isLoopback } from "./host";
import type { MinuteOfDay } from "./kind";

/** Declares a field with an identifier, which is any text. */
export const id = (title: string, description: string) => z.string().min(1).meta({ title, description });

export const ClientId = id("Client ID", "ID of the corporate client whose accounts and trades are used.");
export const ContactId = id("Contact ID", "ID of the contact on whose behalf the call is made.");

/** Declares a UUID. The contract requires exactly 36 characters. */
export const uuid = (title: string, description: string) =>
  z
    .string()
    .regex(/^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/, "must be a UUID of 36 characters")
    .meta({ title, description, format: "uuid" });

/** Account ID in filters: any 36 characters. Contract: Limits. */
export const AccountFilter = z
  .string()
  .length(36)
  .meta({ title: "Account ID", description: "Account UUID from accounts.list." });

export const AccountId = uuid("Account ID", "Account UUID from accounts.list.");

export const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/, "must be three capital letters, such as EUR")
  .meta({ title: "Currency", description: "ISO 4217 code." });

export const Currencies = z
  .string()
  .regex(/^([A-Z]{3},?)+$/, "must be codes of three capital letters with commas between, such as EUR,GBP")
  .meta({
    title: "Currencies",
    description: "ISO 4217 codes, such as EUR,GBP.",
    separator: ",",
  });

export const Country = z
  .string()
  .regex(/^[A-Z]{2}$/, "must be two capital letters, such as DE")
  .meta({ title: "Country", description: "ISO 3166 code, such as DE." });

/** True for an existing calendar day, YYYY-MM-DD. */
export const isDay = (value: string): boolean => z.core.regexes.date.test(value);

/** Declares a calendar day, YYYY-MM-DD. JSON Schema gets `format: date`, which is much shorter than a pattern. */
export const day = (title: string, description: string) =>
  z
    .string()
    .refine(isDay, "must be an existing day as YYYY-MM-DD")
    .meta({ title, description, format: "date" });

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * True for an existing date and time, with or without a zone. Date.parse alone would accept other formats and 30
 * February.
 */
export const isDateTime = (value: string): boolean =>
  dateTime.test(value) && isDay(value.slice(0, 10)) && !Number.isNaN(Date.parse(value));

/** A date and time in ISO 8601. JSON Schema gets `format` instead of the check. */
export const DateTime = z
  .string()
  .refine(isDateTime, "must be a date and time, such as 2026-01-31T09:30:00Z")
  .meta({ format: "date-time" });

const isMonth = (value: string) => /^\d{4}-\d{2}$/.test(value) && isDay(`${value}-01`);

/** Declares a calendar month, YYYY-MM, or day, YYYY-MM-DD. */
export const dayOrMonth = (title: string, description: string) =>
  z
    .string()
    .regex(/^\d{4}-\d{2}(-\d{2})?$/, "must be a month as YYYY-MM or a day as YYYY-MM-DD")
    .refine((value) => isMonth(value) || isDay(value), "must be an existing month or day")
    .meta({ title, description, precision: "day", examples: ["2026-01", "2026-01-31"] });

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** Offsets from the start of the day. */
const dayOffsetsMs: Readonly<Record<MinuteOfDay, number>> = {
  "before it": -minuteMs,
  "its first": 0,
  "its last": dayMs - minuteMs,
  "after it": dayMs,
};

/** Converts a day, YYYY-MM-DD, to one of its minutes, YYYY-MM-DDThh:mm. */
export const minuteForDay = (onDay: string, which: MinuteOfDay): string =>
  new Date(Date.parse(onDay) + dayOffsetsMs[which]).toISOString().slice(0, "YYYY-MM-DDThh:mm".length);

/** Declares a minute in UTC, YYYY-MM-DDThh:mm. */
export const minute = (title: string, description: string, ofDay: MinuteOfDay = "its first") =>
  z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d$/, "must be a UTC time as YYYY-MM-DDThh:mm")
    .refine((value) => isDay(value.slice(0, 10)), "must be on an existing day")
    .meta({ title, description, precision: "minute", ofDay, examples: ["2026-01-31T09:30"] });

/**
 * True for an address that is safe for redirects, notifications and links to open: https, or http on this machine, without
 * credentials.
 */
export function isWebAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, hostname, username, password } = new URL(value);
  const isPrivate = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  return isPrivate && !username && !password;
}

export const webAddress = (title: string, description: string) =>
  z
    .string()
    .refine(isWebAddress, "must be an https address, such as https://example.com/done")
    .meta({ title, description, format: "uri" });

export const page = z.int().min(1).meta({ title: "Page", description: "Page number, starting at 1." });
export const pageSize = z.int().min(1).meta({ title: "Page size", description: "Entries per page." });

/** A decimal amount as text, as in the service and the open-banking standard. */
export const DecimalText = z
  .string()
  .regex(/^-?\d{1,14}(\.\d{1,3})?$/, "must be a decimal amount with a dot, such as 1234.50")
  .meta({ title: "Amount", description: "Decimal amount with a dot, such as 1234.50." });

/** An amount that a person writes. Text that can mean two amounts is refused. */
export const AmountText = amountText(
  /^\d{1,14}(\.\d{1,4})?$/,
  "must be a decimal amount with a dot, such as 1234.50",
).meta({ title: "Amount", description: "Decimal amount with a dot, such as 1234.50." });

/** The type of an open enumeration: known values, or any other text. */
export interface OpenEnum<V extends string> extends z.ZodType<V | (string & {}), V | (string & {})> {}

/** Declares an enumeration in a response. Undocumented values are accepted, because the service may add some. */
export function openEnum<const V extends readonly [string, ...string[]]>(values: V): OpenEnum<V[number]> {
  const schema: unknown = z.string().meta({ "x-extensible-enum": values });
  return schema as OpenEnum<V[number]>;
}

/** Currencies whose number of decimals is not 2, by that number. */
const currenciesByDecimals: readonly (readonly [decimals: number, codes: string])[] = [
  [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"],
  [3, "BHD IQD JOD KWD LYD OMR TND"],
  [4, "CLF UYW"],
];

const decimalsByCurrency: ReadonlyMap<string, number> = new Map(
  currenciesByDecimals.flatMap(([decimals, codes]) =>
    codes.split(" ").map((code) => [code, decimals] as const),
  ),
);

/** Returns the number of decimals of a currency. Unknown currencies have 2. */
export const minorUnits = (currency: string): number => decimalsByCurrency.get(currency) ?? 2;
