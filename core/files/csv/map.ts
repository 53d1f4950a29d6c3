/** Column maps: which column of a bank's CSV holds which field, and how it writes amounts and dates. */
import { z } from "zod";
import { isDay } from "../../values/values";
import { expandYear } from "../dates";
import { FormatError } from "../format-error";
import { delimiters } from "./cells";
import { columnPosition, columns as ownColumns } from "./columns";

const separatorOf = (format: string) => /[^YMD]/.exec(format)?.[0] ?? "";

export const dateFormats = [
  "YYYY-MM-DD",
  "YYYY/MM/DD",
  "YYYYMMDD",
  "DD.MM.YYYY",
  "DD.MM.YY",
  "DD-MM-YYYY",
  "DD-MM-YY",
  "YY-MM-DD",
  "DD/MM/YYYY",
  "DD/MM/YY",
  "YY/MM/DD",
  "MM/DD/YYYY",
  "MM/DD/YY",
  "MM-DD-YYYY",
  "MM-DD-YY",
] as const;
export type DateFormat = (typeof dateFormats)[number];

/** A time may follow a date. */
const timePattern = "(?:[ T]\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?)?";

const datePatterns = new Map(
  dateFormats.map((format) => {
    const digits = separatorOf(format) === "" ? "\\d{2}" : "\\d{1,2}";
    const pattern = format
      .replaceAll(".", "\\.")
      .replace(/Y+/, (years) => `(?<year>\\d{${years.length}})`)
      .replace("MM", `(?<month>${digits})`)
      .replace("DD", `(?<day>${digits})`);
    return [format, new RegExp(`^${pattern}${timePattern}$`)];
  }),
);

/** Parses a day to YYYY-MM-DD; undefined if it does not have the format or does not exist. */
export function parseDay(text: string, format: DateFormat): string | undefined {
  const groups = datePatterns.get(format)!.exec(text)?.groups;
  if (!groups) return undefined;
  const { year = "", month = "", day = "" } = groups;
  const date = `${expandYear(year)}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  return isDay(date) ? date : undefined;
}

/** Columns of amounts, of their direction and of the status; the others are text columns of fxdesk's own CSV. */
const specialFields = [
  "booking_date",
  "value_date",
  "amount",
  "debit",
  "credit",
  "mark",
  "balance",
  "status",
];
const textFields = ownColumns
  .filter(({ name, isText }) => isText && !name.endsWith("_currency"))
  .map(({ name }) => name);
export const bankFields: readonly string[] = [...specialFields, ...textFields];

const Column = z.union([z.string().min(1), z.int().min(1).max(1000)]);
const Words = z.array(z.string().min(1)).min(1).readonly();

/** A column map. Columns are named by their heading, or by their number from 1. */
export const CsvMap = z
  .strictObject({
    delimiter: z.enum(delimiters),
    encoding: z.enum(["utf-8", "windows-1252", "iso-8859-15", "utf-16le", "utf-16be"]).optional(),
    /** Rows before the first entry, for files whose columns are numbers. Otherwise the headings are looked for. */
    header_rows: z.int().min(0).max(100).optional(),
    decimal: z.enum([".", ","]),
    date: z.enum(dateFormats),
    columns: z.strictObject(
      Object.fromEntries(
        bankFields.map((field) => [
          field,
          (field === "remittance_information"
            ? z.union([Column, z.array(Column).min(1).readonly()])
            : Column
          ).optional(),
        ]),
      ) as Record<string, z.ZodOptional<z.ZodType<string | number | readonly (string | number)[]>>>,
    ),
    /** Words of the column `mark`, in addition to the usual ones. */
    marks: z.strictObject({ debit: Words, credit: Words }).optional(),
    account: z.string().min(1).optional(),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, "must be three capital letters")
      .optional(),
  })
  .refine(({ columns }) => columns["booking_date"] !== undefined, "columns must have booking_date")
  .refine(
    ({ columns: { amount, debit, credit } }) =>
      (amount === undefined) !== (debit === undefined && credit === undefined),
    "columns must have amount, or else debit or credit",
  )
  .refine(
    ({ columns: { amount, mark } }) => mark === undefined || amount !== undefined,
    "mark needs the column amount",
  )
  .readonly();
export type CsvMap = z.infer<typeof CsvMap>;

/** Columns of each field by their index. */
export type ColumnIndexes = Readonly<Record<string, readonly number[]>>;

/** Parses a column map in JSON. Throws a FormatError that names what is wrong. */
export function parseCsvMap(text: string): CsvMap {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FormatError("invalid", columnPosition("map"), "the column map is not JSON");
  }
  const { success, data, error } = CsvMap.safeParse(value);
  if (success) return data;
  const { path, message } = error.issues[0]!;
  throw new FormatError(
    "invalid",
    columnPosition(["map", ...path.map(String)].join(".")),
    message.charAt(0).toLowerCase() + message.slice(1),
  );
}

/** Column maps of common layouts, by name. */
export const csvLayouts: Readonly<Record<string, CsvMap>> = {
  "semicolon-german": {
    delimiter: ";",
    decimal: ",",
    date: "DD.MM.YYYY",
    columns: {
      account_number: "IBAN Auftragskonto",
      account_bic: "BIC Auftragskonto",
      booking_date: "Buchungstag",
      value_date: "Valutadatum",
      counterparty_name: "Name Zahlungsbeteiligter",
      counterparty_account: "IBAN Zahlungsbeteiligter",
      counterparty_bic: "BIC (SWIFT-Code) Zahlungsbeteiligter",
      additional_information: "Buchungstext",
      remittance_information: "Verwendungszweck",
      amount: "Betrag",
      currency: "Waehrung",
      balance: "Saldo nach Buchung",
      creditor_id: "Glaeubiger ID",
      mandate_id: "Mandatsreferenz",
    },
  },
  "german-status": {
    delimiter: ";",
    decimal: ",",
    date: "DD.MM.YY",
    columns: {
      account_number: "Auftragskonto",
      booking_date: "Buchungstag",
      value_date: "Valutadatum",
      additional_information: "Buchungstext",
      remittance_information: "Verwendungszweck",
      creditor_id: "Glaeubiger ID",
      mandate_id: "Mandatsreferenz",
      end_to_end_id: "Kundenreferenz (End-to-End)",
      counterparty_name: "Beguenstigter/Zahlungspflichtiger",
      counterparty_account: "Kontonummer/IBAN",
      counterparty_bic: "BIC (SWIFT-Code)",
      amount: "Betrag",
      currency: "Waehrung",
      status: "Info",
    },
  },
  "dutch-signed": {
    delimiter: ",",
    decimal: ",",
    date: "YYYY-MM-DD",
    columns: {
      account_number: "IBAN/BBAN",
      currency: "Munt",
      account_bic: "BIC",
      bank_reference: "Volgnr",
      booking_date: "Datum",
      value_date: "Rentedatum",
      amount: "Bedrag",
      balance: "Saldo na trn",
      counterparty_account: "Tegenrekening IBAN/BBAN",
      counterparty_name: "Naam tegenpartij",
      counterparty_bic: "BIC tegenpartij",
      mandate_id: "Machtigingskenmerk",
      creditor_id: "Incassant ID",
      remittance_information: ["Omschrijving-1", "Omschrijving-2", "Omschrijving-3"],
    },
  },
  "dutch-direction": {
    delimiter: ",",
    decimal: ",",
    date: "YYYYMMDD",
    currency: "EUR",
    columns: {
      booking_date: "Datum",
      counterparty_name: "Naam / Omschrijving",
      account_number: "Rekening",
      counterparty_account: "Tegenrekening",
      mark: "Af Bij",
      amount: "Bedrag (EUR)",
      additional_information: "Mutatiesoort",
      remittance_information: "Mededelingen",
    },
  },
};
