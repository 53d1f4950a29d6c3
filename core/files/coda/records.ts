/** The records of CODA 2, the Belgian coded statement: lines of 128 characters with fields at fixed positions. */
import { FormatError, type Position } from "../format-error";

const recordLength = 128;

/** First and last position, from 1. Text is padded with blanks on the right, digits with zeros on the left. */
type Field = readonly [from: number, to: number, kind?: "digits"];

/** Movements have a sequence number; their details and information records count within it. */
const sequenceFields = { sequence: [3, 6, "digits"], detail: [7, 10, "digits"] } as const;
const chainFields = { next: [126, 126, "digits"], link: [128, 128, "digits"] } as const;

/**
 * Fields of each record by its name in the standard. Readers check digits; links, levels, paper numbers and the bank data of
 * the header are only written.
 */
export const records = {
  /** Header. */
  "0": {
    // No meaning, but programs recognise CODA by these zeros.
    zeros: [2, 5, "digits"],
    created: [6, 11, "digits"],
    bank: [12, 14, "digits"],
    application: [15, 16],
    addressee: [35, 60],
    bic: [61, 71],
    company: [72, 82, "digits"],
    separateApplication: [84, 88, "digits"],
    reference: [89, 104],
    version: [128, 128],
  },
  /** Old balance. */
  "1": {
    structure: [2, 2],
    paperNumber: [3, 5, "digits"],
    account: [6, 42],
    sign: [43, 43],
    amount: [44, 58, "digits"],
    date: [59, 64, "digits"],
    holder: [65, 90],
    number: [126, 128, "digits"],
  },
  /** Movement: amount and the beginning of the communication. */
  "2.1": {
    ...sequenceFields,
    bankReference: [11, 31],
    sign: [32, 32],
    amount: [33, 47, "digits"],
    valueDate: [48, 53, "digits"],
    code: [54, 61],
    communicationType: [62, 62],
    communication: [63, 115],
    entryDate: [116, 121, "digits"],
    paperNumber: [122, 124, "digits"],
    globalisation: [125, 125, "digits"],
    ...chainFields,
  },
  /** Movement: references. */
  "2.2": {
    ...sequenceFields,
    communication: [11, 63],
    customerReference: [64, 98],
    counterpartyBic: [99, 109],
    returnType: [113, 113],
    returnReason: [114, 117],
    purpose: [122, 125],
    ...chainFields,
  },
  /** Movement: counterparty. */
  "2.3": {
    ...sequenceFields,
    counterpartyAccount: [11, 47],
    counterpartyName: [48, 82],
    communication: [83, 125],
    ...chainFields,
  },
  /** Information on a movement. */
  "3.1": {
    ...sequenceFields,
    bankReference: [11, 31],
    code: [32, 39],
    communicationType: [40, 40],
    communication: [41, 113],
    ...chainFields,
  },
  "3.2": { ...sequenceFields, communication: [11, 115], ...chainFields },
  "3.3": { ...sequenceFields, communication: [11, 100], ...chainFields },
  /** New balance. */
  "8": {
    paperNumber: [2, 4, "digits"],
    account: [5, 41],
    sign: [42, 42],
    amount: [43, 57, "digits"],
    date: [58, 63, "digits"],
    link: [128, 128, "digits"],
  },
  /** Free communication on the statement. */
  "4": { ...sequenceFields, text: [33, 112], link: [128, 128, "digits"] },
  /** Trailer. */
  "9": {
    count: [17, 22, "digits"],
    debits: [23, 37, "digits"],
    credits: [38, 52, "digits"],
    multipleFiles: [128, 128],
  },
} as const satisfies Record<string, Readonly<Record<string, Field>>>;

export type RecordName = keyof typeof records;
export type RecordValues<R extends RecordName> = { readonly [F in keyof (typeof records)[R]]: string };

/** Returns the width of a field in characters. */
export function widthOf<R extends RecordName>(record: R, field: keyof (typeof records)[R]): number {
  const [from, to] = records[record][field] as Field;
  return to - from + 1;
}

/** Record names by their mark in the file: 21 for `2.1`. */
const recordByMark = Object.fromEntries(
  Object.keys(records).map((name) => [name.replace(".", ""), name]),
) as Readonly<Record<string, RecordName>>;

const fieldsByRecord = Object.fromEntries(
  Object.entries(records).map(([name, record]) => [name, Object.entries(record)]),
) as unknown as Readonly<Record<RecordName, readonly [name: string, field: Field][]>>;

/** Writes a record. Missing values become blanks, or zeros in digit fields. */
export function writeRecord<R extends RecordName>(record: R, values: Partial<RecordValues<R>>): string {
  const given: Readonly<Record<string, string | undefined>> = values;
  let line = record.replace(".", "");
  for (const [name, [from, to, kind]] of fieldsByRecord[record]) {
    const value = given[name] ?? "";
    const width = to - from + 1;
    if (value.length > width)
      throw new FormatError(
        "too_long",
        { format: "CODA", field: record },
        `${name} has more than ${width} characters`,
      );
    line = line.padEnd(from - 1) + (kind === "digits" ? value.padStart(width, "0") : value.padEnd(width));
  }
  return line.padEnd(recordLength);
}

/** Returns the record name of a line; undefined if unknown. */
export const recordNameOf = (line: string): RecordName | undefined => {
  const mark = line.slice(0, line.startsWith("2") || line.startsWith("3") ? 2 : 1);
  return Object.hasOwn(recordByMark, mark) ? recordByMark[mark] : undefined;
};

/** Splits a line into its fields. Throws a FormatError for a wrong length or a digit field with other characters. */
export function readRecord<R extends RecordName>(
  record: R,
  line: string,
  position: Position,
): RecordValues<R> {
  if (line.length !== recordLength)
    throw new FormatError(
      "invalid",
      position,
      `a line must have ${recordLength} characters; this one has ${line.length}`,
    );
  const values: Record<string, string> = {};
  for (const [name, [from, to, kind]] of fieldsByRecord[record]) {
    const value = line.slice(from - 1, to);
    if (kind === "digits" && !/^\d*$/.test(value.trim()))
      throw new FormatError("invalid", position, `${name} must be digits, not "${value}"`);
    values[name] = value;
  }
  return values as RecordValues<R>;
}
