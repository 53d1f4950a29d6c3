/** Reads CODA 2, the Belgian coded statement of account. */
import { Big } from "big.js";
import { removeWhitespace, collapseWhitespace } from "../charset";
import { FormatError, type Position, quoteValue, looksLikeHint, type ReadOptions } from "../format-error";
import { belgianCheckDigits, isBelgianReference } from "../identifiers";
import {
  type Emit,
  type LineReader,
  readParts,
  reportFault,
  type StatementPart,
  collectStatements,
} from "../statement-parts";
import {
  type Account,
  type Balance,
  toCounterparty,
  type Entry,
  withoutUndefined,
  type Statement,
  type StatementHead,
  type StatementTail,
  unknownAccount,
} from "../statement";
import {
  bareCrMessage,
  hasBareCr,
  LengthLimit,
  type Line,
  maxFieldLength,
  maxPartLength,
  type TextSource,
  tooLongError,
} from "../text-lines";
import { belgianReferences, counterpartyName, directDebit, isoReference } from "./communication";
import { readRecord, type RecordName, recordNameOf, type RecordValues } from "./records";
import { parseAmount, parseSign, parseDate, parseThousandths, parseAccount, parseBalance } from "./values";

interface Information {
  readonly structured: boolean;
  text: string;
}

/** A movement whose records are still being read. */
interface Movement {
  readonly position: Position;
  readonly main: RecordValues<"2.1">;
  references?: RecordValues<"2.2">;
  counterparty?: RecordValues<"2.3">;
  readonly information: Information[];
}

/** An entry whose details are still being read. */
interface EntryDraft {
  readonly movement: Movement;
  readonly details: Movement[];
}

/** A file that is being read, with the totals to compare with its trailer. */
interface FileDraft {
  readonly head: StatementHead;
  /** Structure code of its account; undefined if its old balance was not read. */
  readonly structure?: string;
  closingBalance: Balance | undefined;
  information: string;
  count: number;
  debits: Big;
  credits: Big;
}

const textOrUndefined = (text: string | undefined) => collapseWhitespace(text ?? "") || undefined;

type PaymentDetails = Pick<Entry, "creditorReference" | "remittance" | "mandateId" | "creditorId">;

const wrongReferenceMessage = (text: string) =>
  /^\d{12}$/.test(text)
    ? `the structured reference ${text} has wrong check digits; expected ${belgianCheckDigits(text.slice(0, 10))}`
    : `a structured reference must be twelve digits, not ${quoteValue(text)}`;

/** Takes a fault that leaves amounts and entries right. */
type Warn = (fault: FormatError) => void;

/** Returns the structured reference or free text of a movement, and further free text of its information records. */
function paymentDetailsOf(
  { main, references, counterparty, information, position }: Movement,
  warn: Warn,
): PaymentDetails {
  const movementText = [main, references, counterparty].map((record) => record?.communication ?? "").join("");
  // A word may go on in the next record.
  const furtherText = information
    .filter(({ structured }) => !structured)
    .map(({ text }) => text)
    .join("");
  const [type, text] = [movementText.slice(0, 3), movementText.slice(3)];
  if (main.communicationType !== "1") return toRemittance(movementText + furtherText);
  if (belgianReferences.includes(type)) {
    const creditorReference = text.slice(0, 12);
    if (!isBelgianReference(creditorReference)) {
      warn(new FormatError("check_digits", position, wrongReferenceMessage(creditorReference)));
      return toRemittance(`${text} ${furtherText}`);
    }
    return { creditorReference, ...toRemittance(furtherText) };
  }
  if (type === isoReference)
    return { creditorReference: removeWhitespace(text), ...toRemittance(furtherText) };
  if (type === directDebit) return directDebitDetails(text, furtherText);
  return toRemittance(`${text} ${furtherText}`);
}

/** Parses a SEPA direct debit: nine characters of day, type, scheme and reason, then creditor, mandate and communication. */
const directDebitDetails = (text: string, furtherText: string): PaymentDetails =>
  withoutUndefined<PaymentDetails>({
    creditorId: textOrUndefined(text.slice(9, 44)),
    mandateId: textOrUndefined(text.slice(44, 79)),
    ...toRemittance(`${text.slice(79, 141)} ${furtherText}`),
  });

const toRemittance = (text: string): PaymentDetails =>
  withoutUndefined<PaymentDetails>({ remittance: textOrUndefined(text), creditorReference: undefined });

/** Returns the full name if it did not fit in the movement record. */
function fullNameOf({ information }: Movement): string | undefined {
  const found = information.find(({ structured, text }) => structured && text.startsWith(counterpartyName));
  return textOrUndefined(found?.text.slice(3, 73));
}

function toEntry(movement: Movement, currency: string, warn: Warn): Entry {
  const { main, references, counterparty, position } = movement;
  const entryDate = parseDate(main.entryDate, position);
  const valueDate = parseDate(main.valueDate, position);
  const bookingDate = entryDate ?? valueDate;
  if (!bookingDate)
    throw new FormatError("missing", position, "the entry date and the value date are both missing");
  return withoutUndefined<Entry>({
    bookingDate,
    valueDate: valueDate ?? bookingDate,
    amount: parseAmount(main.amount, currency),
    creditDebit: parseSign(main.sign, position),
    reversal: references?.returnType === "4" || undefined,
    transactionCode: textOrUndefined(main.code),
    bankReference: textOrUndefined(main.bankReference),
    endToEndId: textOrUndefined(references?.customerReference),
    counterparty: toCounterparty({
      name: fullNameOf(movement) ?? textOrUndefined(counterparty?.counterpartyName),
      // The currency of the counterparty account, which may follow the number, is not the currency of the entry.
      account: textOrUndefined(counterparty?.counterpartyAccount.slice(0, 34))?.split(" ")[0],
      bic: textOrUndefined(references?.counterpartyBic),
    }),
    ...paymentDetailsOf(movement, warn),
    purpose: textOrUndefined(references?.purpose),
    returnReason: textOrUndefined(references?.returnReason),
  });
}

function entryWithDetails({ movement, details }: EntryDraft, currency: string, warn: Warn): Entry {
  const entry = toEntry(movement, currency, warn);
  if (details.length === 0) return entry;
  return { ...entry, details: details.map((detail) => toEntry(detail, currency, warn)) };
}

function parseHead(header: RecordValues<"0">, values: RecordValues<"1">, position: Position): StatementHead {
  const { number, currency } = parseAccount(values.structure, values.account, position);
  return withoutUndefined<StatementHead>({
    account: withoutUndefined<Account>({
      number,
      currency,
      bic: textOrUndefined(header.bic),
      holder: textOrUndefined(values.holder),
    }),
    reference: textOrUndefined(header.reference),
    number: Number(values.number),
    openingBalance: parseBalance(values, currency, position),
  });
}

/** Throws a FormatError `control_sum` if the trailer does not match the file. */
function assertTrailer(
  { count, debits, credits }: FileDraft,
  trailer: RecordValues<"9">,
  position: Position,
): void {
  const sums: readonly [subject: string, found: Big, stated: Big][] = [
    ["records", new Big(count), new Big(trailer.count.trim() || "0")],
    ["debits", debits, parseThousandths(trailer.debits)],
    ["credits", credits, parseThousandths(trailer.credits)],
  ];
  for (const [subject, found, stated] of sums)
    if (!found.eq(stated))
      throw new FormatError(
        "control_sum",
        position,
        `the trailer states ${stated.toFixed()} for ${subject}, but the file has ${found.toFixed()}`,
      );
}

/** Throws a FormatError for another application or version. */
function assertHeader({ application, version }: RecordValues<"0">, position: Position): void {
  if (application !== "05")
    throw new FormatError(
      "unrecognised",
      position,
      `the application must be 05 (statements), not ${quoteValue(application)}`,
    );
  if (version !== "2")
    throw new FormatError("invalid", position, `the version must be 2, not ${quoteValue(version)}`);
}

/** Throws a FormatError if the new balance belongs to another account than the old one. */
function assertSameAccount(
  { head, structure }: FileDraft,
  { account }: RecordValues<"8">,
  position: Position,
): void {
  if (structure === undefined) return;
  const { number, currency } = head.account;
  const found = parseAccount(structure, account, position);
  if (found.number !== number || found.currency !== currency)
    throw new FormatError(
      "misplaced",
      position,
      `the new balance is for account ${found.number} in ${found.currency}, but the file is for ${number} in ${currency}`,
    );
}

const movements = ["2.1", "2.2", "2.3", "3.1", "3.2", "3.3"] as const;

/** Allowed predecessors of each record. The start of the text counts as a trailer. A file without movements has no new balance. */
const allowedPredecessors: Readonly<Record<RecordName, readonly RecordName[]>> = {
  "0": ["9"],
  "1": ["0"],
  "2.1": ["1", ...movements],
  "2.2": ["2.1"],
  "2.3": ["2.1", "2.2"],
  "3.1": movements,
  "3.2": ["3.1"],
  "3.3": ["3.1", "3.2"],
  "8": ["1", ...movements],
  "4": ["1", "8", "4"],
  "9": ["1", "8", "4"],
};

const countedRecords = new Set<RecordName>(["1", ...movements, "8"]);

type Handlers = {
  readonly [R in RecordName]: (values: RecordValues<R>, position: Position) => StatementPart[];
};

/** Stands for a header that cannot be read. */
const noHeader = readRecord("0", "0".padEnd(128), { format: "CODA", field: "0" });

/** End-of-file character of old systems. */
const endOfFile = "\u001A";

class CodaReader implements LineReader {
  readonly format = "CODA";
  readonly balanceFields = { opening: "1", entry: "2.1", closing: "8" };

  #lastRecord: RecordName = "9";
  #lastLine = 0;
  /** True if the last trailer announced another file. */
  #announcesAnotherFile = false;
  #header = noHeader;
  #file: FileDraft | undefined;
  // Assigned before use, because the order of records is checked.
  #movement!: Movement;
  #entry: EntryDraft | undefined;
  readonly #partLimit = new LengthLimit("an entry, or the part after the entries,", maxPartLength);

  constructor(readonly options: ReadOptions) {}

  readLine({ number, text }: Line, emit: Emit): void {
    const isTooLong = text.length > maxFieldLength;
    if (!isTooLong && text.replace(endOfFile, "").trim() === "") return;
    const record = recordNameOf(text);
    const position: Position = { format: "CODA", field: record ?? text.slice(0, 2), line: number };
    if (hasBareCr(text)) throw new FormatError("invalid", position, bareCrMessage);
    if (this.#lastLine === 0 && record !== "0" && !(this.options.tolerate && record))
      throw new FormatError(
        "unrecognised",
        position,
        `the file does not begin with a header (record 0)${looksLikeHint(text)}`,
      );
    if (isTooLong) throw tooLongError("a line", maxFieldLength, position);
    this.#lastLine = number;
    try {
      if (!record) throw new FormatError("invalid", position, "unknown record type");
      this.#partLimit.add(text, position);
      const values = readRecord(record, text, position);
      if (!allowedPredecessors[record].includes(this.#lastRecord))
        this.#resume(record, position).forEach(emit);
      this.#handle(record, values, position).forEach(emit);
      this.#lastRecord = record;
    } catch (error) {
      emit(reportFault(error, this.options));
      // The text of an information record that was left out must not go on in the one before.
      if (record === "3.1" && this.#lastRecord.startsWith("3")) this.#lastRecord = "3.3";
    }
  }

  /** Reports a record in the wrong place. Throws if it cannot be read there. */
  #resume(record: RecordName, position: Position): StatementPart[] {
    const message = `this record must not follow record ${this.#lastRecord}`;
    const fault = new FormatError("misplaced", position, message);
    const reported = reportFault(fault, this.options);
    const isFile = this.#file !== undefined;
    if (record === "0" && isFile) return [reported, ...this.#endFile(position)];
    if (record === "1" && !isFile) {
      this.#header = noHeader;
      return [reported];
    }
    if (record === "2.1" && !isFile)
      return [reported, this.#openFile({ account: unknownAccount, number: 0 }, position)];
    if ((record === "8" || record === "9") && isFile) return [reported];
    throw fault;
  }

  finish(emit: Emit): void {
    const position: Position = { format: "CODA", field: "9", line: this.#lastLine };
    if (this.#file ?? this.#lastRecord !== "9") {
      emit(
        reportFault(new FormatError("missing", position, "the file ends without a trailer"), this.options),
      );
      this.#endFile(position).forEach(emit);
    } else if (this.#announcesAnotherFile) {
      const message = "the trailer announces another file, but the text ends";
      emit(reportFault(new FormatError("missing", position, message), this.options, "warning"));
    }
  }

  #handle<R extends RecordName>(record: R, values: RecordValues<R>, position: Position): StatementPart[] {
    const parts = this.#handlers[record](values, position);
    if (parts.length > 0) this.#partLimit.restart();
    if (this.#file && countedRecords.has(record)) this.#file.count += 1;
    return parts;
  }

  #openFile(head: StatementHead, { line }: Position, structure?: string): StatementPart {
    const [debits, credits] = [new Big(0), new Big(0)];
    const { openingBalance: closingBalance } = head;
    this.#file = {
      head,
      ...(structure !== undefined && { structure }),
      closingBalance,
      information: "",
      count: 0,
      debits,
      credits,
    };
    return { kind: "opening", opening: head, line: line! };
  }

  #requireFile(position: Position): FileDraft {
    if (this.#file) return this.#file;
    throw new FormatError("misplaced", position, "the old balance is missing before this record");
  }

  #endFile({ line }: Position): StatementPart[] {
    if (!this.#file) return [];
    const entries = this.#endEntry();
    const { closingBalance, information } = this.#file;
    this.#file = undefined;
    const closing = withoutUndefined<StatementTail>({
      closingBalance,
      information: textOrUndefined(information),
    });
    return [...entries, { kind: "closing", closing, line: line! }];
  }

  readonly #handlers: Handlers = {
    "0": (values, position) => {
      assertHeader(values, position);
      this.#header = values;
      return [];
    },
    "1": (values, position) => {
      const head = parseHead(this.#header, values, position);
      return [this.#openFile(head, position, values.structure)];
    },
    "2.1": (main, position) => {
      this.#requireFile(position).closingBalance = undefined;
      this.#movement = { position, main, information: [] };
      if (main.detail !== "0000") return this.#addDetail(position);
      const parts = this.#endEntry();
      this.#entry = { movement: this.#movement, details: [] };
      return parts;
    },
    "2.2": (values, position) => {
      this.#requireMovement(values, position).references = values;
      return [];
    },
    "2.3": (values, position) => {
      this.#requireMovement(values, position).counterparty = values;
      return [];
    },
    "3.1": (values, position) => {
      const { communicationType, communication } = values;
      const structured = communicationType === "1";
      this.#requireMovement(values, position).information.push({ structured, text: communication });
      return [];
    },
    "3.2": (values, position) => this.#addInformation(values, position),
    "3.3": (values, position) => this.#addInformation(values, position),
    "8": (values, position) => {
      const file = this.#requireFile(position);
      assertSameAccount(file, values, position);
      file.closingBalance = parseBalance(values, file.head.account.currency, position);
      return this.#endEntry();
    },
    "4": ({ text }, position) => {
      this.#requireFile(position).information += text;
      return [];
    },
    "9": (values, position) => {
      const parts = this.#endEntry();
      try {
        assertTrailer(this.#requireFile(position), values, position);
      } catch (error) {
        parts.push(reportFault(error, this.options));
      }
      this.#announcesAnotherFile = values.multipleFiles === "1";
      return [...parts, ...this.#endFile(position)];
    },
  };

  /** Returns the current movement. Throws if the record belongs to another one. */
  #requireMovement({ sequence, detail }: { sequence: string; detail: string }, position: Position): Movement {
    const { main } = this.#movement;
    // A part of a movement that was left out must not join the one before.
    const isOther = this.options.tolerate && position.field.startsWith("2") && detail !== main.detail;
    if (sequence === main.sequence && !isOther) return this.#movement;
    throw new FormatError(
      "misplaced",
      position,
      `this record belongs to movement ${sequence}, but movement ${main.sequence} is being read`,
    );
  }

  #addDetail(position: Position): StatementPart[] {
    const { main } = this.#movement;
    if (this.#entry?.movement.main.sequence !== main.sequence)
      throw new FormatError(
        "misplaced",
        position,
        `this detail belongs to movement ${main.sequence}, which does not precede it`,
      );
    this.#entry.details.push(this.#movement);
    return [];
  }

  #addInformation(
    values: { sequence: string; detail: string; communication: string },
    position: Position,
  ): StatementPart[] {
    this.#requireMovement(values, position).information.at(-1)!.text += values.communication;
    return [];
  }

  /** Completes the entry once no more details can follow. */
  #endEntry(): StatementPart[] {
    if (!this.#entry) return [];
    const draft = this.#entry;
    this.#entry = undefined;
    const parts: StatementPart[] = [];
    try {
      const file = this.#requireFile(draft.movement.position);
      const entry = entryWithDetails(draft, file.head.account.currency, (fault) =>
        parts.push(reportFault(fault, this.options, "warning")),
      );
      const sum = entry.creditDebit === "Debit" ? "debits" : "credits";
      file[sum] = file[sum].plus(entry.amount);
      return [...parts, { kind: "entry", entry, line: draft.movement.position.line! }];
    } catch (error) {
      return [...parts, reportFault(error, this.options)];
    }
  }
}

/** Reads CODA in parts. Throws like `readCoda`. */
export const readCodaParts = (
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<StatementPart, void, void> => readParts(source, new CodaReader(options), options);

/**
 * Reads the statements of a CODA 2 text or text stream. Blank text has no statements.
 *
 * Throws a FormatError with line and record for malformed text, and if balances, counts or sums are wrong. A structured
 * reference with wrong check digits becomes free text, with a warning.
 */
export const readCoda = (
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<Statement, void, void> => collectStatements(readCodaParts(source, options));
