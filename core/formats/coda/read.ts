/** Reading CODA 2, the Belgian coded statement of account. */
import { Big } from "big.js";
import { removeWhitespace, collapseWhitespace } from "../charset";
import { FormatError, type Position, quoteValue } from "../format-error";
import { belgianCheckDigits, isBelgianReference } from "../identifiers";
import { looksLikeHint } from "../text-kind";
import { LengthLimit, maxFieldLength, maxPartLength, tooLongError } from "../limits";
import { type LineReader, readParts, type StatementPart, collectStatements } from "../statement-parts";
import {
  type Account,
  type Balance,
  toCounterparty,
  type Entry,
  withoutUndefined,
  type Statement,
  type StatementHead,
  type StatementTail,
} from "../statement";
import { bareCrMessage, hasBareCr, type Line, type TextSource } from "../text-lines";
import { belgianReferences, counterpartyName, directDebit, isoReference } from "./communication";
import { readRecord, type RecordName, recordNameOf, type RecordValues } from "./records";
import { parseAmount, parseSign, parseDate, parseThousandths, parseAccount, parseBalance } from "./values";

interface Information {
  readonly structured: boolean;
  text: string;
}

/** A movement while more of its records may follow. */
interface Movement {
  readonly position: Position;
  readonly main: RecordValues<"2.1">;
  references?: RecordValues<"2.2">;
  counterparty?: RecordValues<"2.3">;
  readonly information: Information[];
}

/** An entry while details of it may follow. */
interface EntryDraft {
  readonly movement: Movement;
  readonly details: Movement[];
}

/** A file between its old balance and its trailer, with what the trailer will have to say. */
interface FileDraft {
  readonly head: StatementHead;
  /** How its account is written. */
  readonly structure: string;
  closingBalance: Balance;
  information: string;
  count: number;
  debits: Big;
  credits: Big;
}

const textOrUndefined = (text: string | undefined) => collapseWhitespace(text ?? "") || undefined;

type PaymentDetails = Pick<Entry, "creditorReference" | "remittance" | "mandateId" | "creditorId">;

const wrongReferenceMessage = (text: string) =>
  /^\d{12}$/.test(text)
    ? `the structured reference ${text} should end in ${belgianCheckDigits(text.slice(0, 10))}`
    : `a structured reference is twelve digits, not ${quoteValue(text)}`;

/** What a movement is paid for: a structured reference in its records or free text, then free text behind them. */
function paymentDetailsOf({
  main,
  references,
  counterparty,
  information,
  position,
}: Movement): PaymentDetails {
  const movementText = [main, references, counterparty].map((record) => record?.communication ?? "").join("");
  const furtherTexts = information.filter(({ structured }) => !structured).map(({ text }) => text);
  const [type, text] = [movementText.slice(0, 3), movementText.slice(3)];
  if (main.communicationType !== "1") return toRemittance([movementText, ...furtherTexts].join(""));
  if (belgianReferences.includes(type)) {
    const creditorReference = text.slice(0, 12);
    if (!isBelgianReference(creditorReference))
      throw new FormatError("check_digits", position, wrongReferenceMessage(creditorReference));
    return { creditorReference, ...toRemittance(furtherTexts.join("")) };
  }
  if (type === isoReference)
    return { creditorReference: removeWhitespace(text), ...toRemittance(furtherTexts.join("")) };
  if (type === directDebit) return directDebitDetails(text, furtherTexts);
  return toRemittance([text, ...furtherTexts].join(" "));
}

/** A SEPA direct debit: nine characters of day, type, scheme and reason; then creditor, mandate and communication. */
const directDebitDetails = (text: string, furtherTexts: readonly string[]): PaymentDetails =>
  withoutUndefined<PaymentDetails>({
    creditorId: textOrUndefined(text.slice(9, 44)),
    mandateId: textOrUndefined(text.slice(44, 79)),
    ...toRemittance(`${text.slice(79, 141)} ${furtherTexts.join("")}`),
  });

const toRemittance = (text: string): PaymentDetails =>
  withoutUndefined<PaymentDetails>({ remittance: textOrUndefined(text), creditorReference: undefined });

/** The name in full, where the movement's own field was too short for it. */
function fullNameOf({ information }: Movement): string | undefined {
  const found = information.find(({ structured, text }) => structured && text.startsWith(counterpartyName));
  return textOrUndefined(found?.text.slice(3, 73));
}

function toEntry(movement: Movement, currency: string): Entry {
  const { main, references, counterparty, position } = movement;
  const entryDate = parseDate(main.entryDate, position);
  const valueDate = parseDate(main.valueDate, position);
  const bookingDate = entryDate ?? valueDate;
  if (!bookingDate)
    throw new FormatError("missing", position, "there is neither an entry date nor a value date");
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
      // The currency of the account, which may stand behind it, says nothing about the entry.
      account: textOrUndefined(counterparty?.counterpartyAccount.slice(0, 34))?.split(" ")[0],
      bic: textOrUndefined(references?.counterpartyBic),
    }),
    ...paymentDetailsOf(movement),
    purpose: textOrUndefined(references?.purpose),
    returnReason: textOrUndefined(references?.returnReason),
  });
}

function entryWithDetails({ movement, details }: EntryDraft, currency: string): Entry {
  const entry = toEntry(movement, currency);
  if (details.length === 0) return entry;
  return { ...entry, details: details.map((detail) => toEntry(detail, currency)) };
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

/** Throws a FormatError `control_sum` when the trailer does not say what was read. */
function assertTrailer(
  { count, debits, credits }: FileDraft,
  trailer: RecordValues<"9">,
  position: Position,
): void {
  const sums: readonly [what: string, found: Big, said: Big][] = [
    ["records", new Big(count), new Big(trailer.count.trim() || "0")],
    ["debits", debits, parseThousandths(trailer.debits)],
    ["credits", credits, parseThousandths(trailer.credits)],
  ];
  for (const [what, found, stated] of sums)
    if (!found.eq(stated))
      throw new FormatError(
        "control_sum",
        position,
        `it says ${stated.toFixed()} of ${what}, but there are ${found.toFixed()}`,
      );
}

/** Throws a FormatError for a file of which this reader knows nothing. */
function assertHeader({ application, version }: RecordValues<"0">, position: Position): void {
  if (application !== "05")
    throw new FormatError(
      "unrecognised",
      position,
      `statements are application 05, not ${quoteValue(application)}`,
    );
  if (version !== "2")
    throw new FormatError("invalid", position, `it must be version 2, not ${quoteValue(version)}`);
}

/** Throws a FormatError when the new balance is of another account than the old one. */
function assertSameAccount(
  { head, structure }: FileDraft,
  { account }: RecordValues<"8">,
  position: Position,
): void {
  const { number, currency } = head.account;
  const found = parseAccount(structure, account, position);
  if (found.number !== number || found.currency !== currency)
    throw new FormatError(
      "misplaced",
      position,
      `it is of account ${found.number} in ${found.currency}, the file of ${number} in ${currency}`,
    );
}

const movements = ["2.1", "2.2", "2.3", "3.1", "3.2", "3.3"] as const;

/** Which records a record may follow. A file without movements has no new balance; a trailer is as good as no file yet. */
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

/** Old systems end a file with it. */
const endOfFile = "\u001A";

class CodaReader implements LineReader {
  readonly format = "CODA";
  readonly balanceFields = { opening: "1", entry: "2.1", closing: "8" };

  /** The record before, and the line it is on. */
  #lastRecord: RecordName = "9";
  #lastLine = 0;
  /** Whether the last trailer announced another file. */
  #announcesAnotherFile = false;
  // The order of records makes sure that these are there when a record needs them.
  #header!: RecordValues<"0">;
  #file!: FileDraft;
  #movement!: Movement;
  #entry: EntryDraft | undefined;
  readonly #partLimit = new LengthLimit("an entry, or what follows the entries,", maxPartLength);

  readLine({ number, text }: Line): StatementPart[] {
    const isTooLong = text.length > maxFieldLength;
    if (!isTooLong && text.replace(endOfFile, "").trim() === "") return [];
    const record = recordNameOf(text);
    const position: Position = { format: "CODA", field: record ?? text.slice(0, 2), line: number };
    if (hasBareCr(text)) throw new FormatError("invalid", position, bareCrMessage);
    if (this.#lastLine === 0 && record !== "0")
      throw new FormatError(
        "unrecognised",
        position,
        `the file does not begin with a header, record 0${looksLikeHint(text)}`,
      );
    if (isTooLong) throw tooLongError("a line", maxFieldLength, position);
    if (!record) throw new FormatError("invalid", position, "there is no such record");
    if (!allowedPredecessors[record].includes(this.#lastRecord))
      throw new FormatError("misplaced", position, `it may not follow record ${this.#lastRecord}`);
    this.#lastRecord = record;
    this.#lastLine = number;
    this.#partLimit.add(text, position);
    return this.#handle(record, readRecord(record, text, position), position);
  }

  finish(): StatementPart[] {
    const position: Position = { format: "CODA", field: "9", line: this.#lastLine };
    if (this.#lastRecord !== "9")
      throw new FormatError("missing", position, "the file ends without a trailer");
    if (this.#announcesAnotherFile)
      throw new FormatError("missing", position, "it announces another file, and none follows");
    return [];
  }

  #handle<R extends RecordName>(record: R, values: RecordValues<R>, position: Position): StatementPart[] {
    const parts = this.#handlers[record](values, position);
    if (parts.length > 0) this.#partLimit.restart();
    if (countedRecords.has(record)) this.#file.count += 1;
    return parts;
  }

  readonly #handlers: Handlers = {
    "0": (values, position) => {
      assertHeader(values, position);
      this.#header = values;
      return [];
    },
    "1": (values, position) => {
      const head = parseHead(this.#header, values, position);
      const [debits, credits] = [new Big(0), new Big(0)];
      const { structure } = values;
      const closingBalance = head.openingBalance;
      this.#file = { head, structure, closingBalance, information: "", count: 0, debits, credits };
      return [{ kind: "opening", opening: head, line: position.line! }];
    },
    "2.1": (main, position) => {
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
      const { head } = this.#file;
      assertSameAccount(this.#file, values, position);
      this.#file.closingBalance = parseBalance(values, head.account.currency, position);
      return this.#endEntry();
    },
    "4": ({ text }) => {
      this.#file.information += text;
      return [];
    },
    "9": (values, position) => {
      assertTrailer(this.#file, values, position);
      this.#announcesAnotherFile = values.multipleFiles === "1";
      const { closingBalance, information } = this.#file;
      const closing = withoutUndefined<StatementTail>({
        closingBalance,
        information: textOrUndefined(information),
      });
      return [{ kind: "closing", closing, line: position.line! }];
    },
  };

  /** The movement a further record belongs to. */
  #requireMovement({ sequence }: { sequence: string }, position: Position): Movement {
    const { main } = this.#movement;
    if (sequence === main.sequence) return this.#movement;
    throw new FormatError("misplaced", position, `it is of movement ${sequence}, amidst ${main.sequence}`);
  }

  #addDetail(position: Position): StatementPart[] {
    const { main } = this.#movement;
    if (this.#entry?.movement.main.sequence !== main.sequence)
      throw new FormatError(
        "misplaced",
        position,
        `a detail of movement ${main.sequence}, which is not there`,
      );
    this.#entry.details.push(this.#movement);
    return [];
  }

  #addInformation(values: { sequence: string; communication: string }, position: Position): StatementPart[] {
    this.#requireMovement(values, position).information.at(-1)!.text += values.communication;
    return [];
  }

  /** Gives the entry, once no more details of it can follow. */
  #endEntry(): StatementPart[] {
    if (!this.#entry) return [];
    const { movement } = this.#entry;
    const entry = entryWithDetails(this.#entry, this.#file.head.account.currency);
    this.#entry = undefined;
    const sum = entry.creditDebit === "Debit" ? "debits" : "credits";
    this.#file[sum] = this.#file[sum].plus(entry.amount);
    return [{ kind: "entry", entry, line: movement.position.line! }];
  }
}

/** Reads CODA piece by piece. Errors as `readCoda`. */
export const readCodaParts = (source: TextSource): AsyncGenerator<StatementPart, void, void> =>
  readParts(source, new CodaReader());

/**
 * Reads the statements of a CODA 2 text, or of a stream of text. A text of nothing but white space holds none.
 *
 * Throws a FormatError with line and record for what is broken, also when balances, counts, sums or the check digits of a
 * structured reference are wrong.
 */
export const readCoda = (source: TextSource): AsyncGenerator<Statement, void, void> =>
  collectStatements(readCodaParts(source));
