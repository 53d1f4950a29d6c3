/** Reading CODA 2, the Belgian coded statement of account. */
import { Big } from "big.js";
import { compact, squeeze } from "../charset";
import { FormatError, type Place, quoted } from "../error";
import { belgianCheckDigits, isBelgianReference } from "../identifiers";
import { looksLike } from "../kinds";
import { Length, longestField, longestPart, tooLong } from "../limits";
import { type LineReader, readParts, type StatementPart, statementsFrom } from "../parts";
import {
  type Account,
  type Balance,
  counterpartyFrom,
  type Entry,
  given,
  type Statement,
  type StatementHead,
  type StatementTail,
} from "../statement";
import { crAlone, endsWithCrAlone, type Line, type TextSource } from "../text";
import { belgianReferences, counterpartyName, directDebit, isoReference } from "./communication";
import { readRecord, type RecordName, recordName, type Values } from "./records";
import { amountFrom, creditDebitFrom, dateFrom, fromThousandths, readAccount, readBalance } from "./values";

interface Information {
  readonly structured: boolean;
  text: string;
}

/** A movement while more of its records may follow. */
interface Movement {
  readonly place: Place;
  readonly main: Values<"2.1">;
  references?: Values<"2.2">;
  counterparty?: Values<"2.3">;
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

const orNothing = (text: string | undefined) => squeeze(text ?? "") || undefined;

type Paid = Pick<Entry, "creditorReference" | "remittance" | "mandateId" | "creditorId">;

const wrongReference = (text: string) =>
  /^\d{12}$/.test(text)
    ? `the structured reference ${text} should end in ${belgianCheckDigits(text.slice(0, 10))}`
    : `a structured reference is twelve digits, not ${quoted(text)}`;

/** What a movement is paid for: a structured reference in its records or free text, then free text behind them. */
function paidFor({ main, references, counterparty, information, place }: Movement): Paid {
  const own = [main, references, counterparty].map((record) => record?.communication ?? "").join("");
  const further = information.filter(({ structured }) => !structured).map(({ text }) => text);
  const [type, text] = [own.slice(0, 3), own.slice(3)];
  if (main.communicationType !== "1") return remittanceOf([own, ...further].join(""));
  if (belgianReferences.includes(type)) {
    const creditorReference = text.slice(0, 12);
    if (!isBelgianReference(creditorReference))
      throw new FormatError("check_digits", place, wrongReference(creditorReference));
    return { creditorReference, ...remittanceOf(further.join("")) };
  }
  if (type === isoReference) return { creditorReference: compact(text), ...remittanceOf(further.join("")) };
  if (type === directDebit) return debited(text, further);
  return remittanceOf([text, ...further].join(" "));
}

/** A SEPA direct debit: nine characters of day, type, scheme and reason; then creditor, mandate and communication. */
const debited = (text: string, further: readonly string[]): Paid =>
  given<Paid>({
    creditorId: orNothing(text.slice(9, 44)),
    mandateId: orNothing(text.slice(44, 79)),
    ...remittanceOf(`${text.slice(79, 141)} ${further.join("")}`),
  });

const remittanceOf = (text: string): Paid =>
  given<Paid>({ remittance: orNothing(text), creditorReference: undefined });

/** The name in full, where the movement's own field was too short for it. */
function longName({ information }: Movement): string | undefined {
  const found = information.find(({ structured, text }) => structured && text.startsWith(counterpartyName));
  return orNothing(found?.text.slice(3, 73));
}

function entryFrom(movement: Movement, currency: string): Entry {
  const { main, references, counterparty, place } = movement;
  const entered = dateFrom(main.entryDate, place);
  const valued = dateFrom(main.valueDate, place);
  const bookingDate = entered ?? valued;
  if (!bookingDate)
    throw new FormatError("missing", place, "there is neither an entry date nor a value date");
  return given<Entry>({
    bookingDate,
    valueDate: valued ?? bookingDate,
    amount: amountFrom(main.amount, currency),
    creditDebit: creditDebitFrom(main.sign, place),
    reversal: references?.returnType === "4" || undefined,
    transactionCode: orNothing(main.code),
    bankReference: orNothing(main.bankReference),
    endToEndId: orNothing(references?.customerReference),
    counterparty: counterpartyFrom({
      name: longName(movement) ?? orNothing(counterparty?.counterpartyName),
      // The currency of the account, which may stand behind it, says nothing about the entry.
      account: orNothing(counterparty?.counterpartyAccount.slice(0, 34))?.split(" ")[0],
      bic: orNothing(references?.counterpartyBic),
    }),
    ...paidFor(movement),
    purpose: orNothing(references?.purpose),
    returnReason: orNothing(references?.returnReason),
  });
}

function entryWithDetails({ movement, details }: EntryDraft, currency: string): Entry {
  const entry = entryFrom(movement, currency);
  if (details.length === 0) return entry;
  return { ...entry, details: details.map((detail) => entryFrom(detail, currency)) };
}

function headFrom(header: Values<"0">, values: Values<"1">, place: Place): StatementHead {
  const { number, currency } = readAccount(values.structure, values.account, place);
  return given<StatementHead>({
    account: given<Account>({
      number,
      currency,
      bic: orNothing(header.bic),
      holder: orNothing(values.holder),
    }),
    reference: orNothing(header.reference),
    number: Number(values.number),
    openingBalance: readBalance(values, currency, place),
  });
}

/** Throws a FormatError `control_sum` when the trailer does not say what was read. */
function checkTrailer({ count, debits, credits }: FileDraft, trailer: Values<"9">, place: Place): void {
  const sums: readonly [what: string, found: Big, said: Big][] = [
    ["records", new Big(count), new Big(trailer.count.trim() || "0")],
    ["debits", debits, fromThousandths(trailer.debits)],
    ["credits", credits, fromThousandths(trailer.credits)],
  ];
  for (const [what, found, stated] of sums)
    if (!found.eq(stated))
      throw new FormatError(
        "control_sum",
        place,
        `it says ${stated.toFixed()} of ${what}, but there are ${found.toFixed()}`,
      );
}

/** Throws a FormatError for a file of which this reader knows nothing. */
function checkHeader({ application, version }: Values<"0">, place: Place): void {
  if (application !== "05")
    throw new FormatError("unrecognised", place, `statements are application 05, not ${quoted(application)}`);
  if (version !== "2")
    throw new FormatError("invalid", place, `it must be version 2, not ${quoted(version)}`);
}

/** Throws a FormatError when the new balance is of another account than the old one. */
function checkAccount({ head, structure }: FileDraft, { account }: Values<"8">, place: Place): void {
  const { number, currency } = head.account;
  const found = readAccount(structure, account, place);
  if (found.number !== number || found.currency !== currency)
    throw new FormatError(
      "misplaced",
      place,
      `it is of account ${found.number} in ${found.currency}, the file of ${number} in ${currency}`,
    );
}

const movements = ["2.1", "2.2", "2.3", "3.1", "3.2", "3.3"] as const;

/** Which records a record may follow. A file without movements has no new balance; a trailer is as good as no file yet. */
const mayFollow: Readonly<Record<RecordName, readonly RecordName[]>> = {
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

const counted = new Set<RecordName>(["1", ...movements, "8"]);

type Handlers = {
  readonly [R in RecordName]: (values: Values<R>, place: Place) => StatementPart[];
};

/** Old systems end a file with it. */
const endOfFile = "\u001A";

class CodaReader implements LineReader {
  readonly format = "CODA";
  readonly fields = { opening: "1", entry: "2.1", closing: "8" };

  /** The record before, and the line it is on. */
  #last: RecordName = "9";
  #lastLine = 0;
  /** Whether the last trailer announced another file. */
  #goesOn = false;
  // The order of records makes sure that these are there when a record needs them.
  #header!: Values<"0">;
  #file!: FileDraft;
  #movement!: Movement;
  #entry: EntryDraft | undefined;
  readonly #partLength = new Length("an entry, or what follows the entries,", longestPart);

  line({ number, text }: Line): StatementPart[] {
    const isTooLong = text.length > longestField;
    if (!isTooLong && text.replace(endOfFile, "").trim() === "") return [];
    const record = recordName(text);
    const place: Place = { format: "CODA", field: record ?? text.slice(0, 2), line: number };
    if (endsWithCrAlone(text)) throw new FormatError("invalid", place, crAlone);
    if (this.#lastLine === 0 && record !== "0")
      throw new FormatError(
        "unrecognised",
        place,
        `the file does not begin with a header, record 0${looksLike(text)}`,
      );
    if (isTooLong) throw tooLong("a line", longestField, place);
    if (!record) throw new FormatError("invalid", place, "there is no such record");
    if (!mayFollow[record].includes(this.#last))
      throw new FormatError("misplaced", place, `it may not follow record ${this.#last}`);
    this.#last = record;
    this.#lastLine = number;
    this.#partLength.add(text, place);
    return this.#handle(record, readRecord(record, text, place), place);
  }

  end(): StatementPart[] {
    const place: Place = { format: "CODA", field: "9", line: this.#lastLine };
    if (this.#last !== "9") throw new FormatError("missing", place, "the file ends without a trailer");
    if (this.#goesOn) throw new FormatError("missing", place, "it announces another file, and none follows");
    return [];
  }

  #handle<R extends RecordName>(record: R, values: Values<R>, place: Place): StatementPart[] {
    const parts = this.#handlers[record](values, place);
    if (parts.length > 0) this.#partLength.restart();
    if (counted.has(record)) this.#file.count += 1;
    return parts;
  }

  readonly #handlers: Handlers = {
    "0": (values, place) => {
      checkHeader(values, place);
      this.#header = values;
      return [];
    },
    "1": (values, place) => {
      const head = headFrom(this.#header, values, place);
      const [debits, credits] = [new Big(0), new Big(0)];
      const { structure } = values;
      const closingBalance = head.openingBalance;
      this.#file = { head, structure, closingBalance, information: "", count: 0, debits, credits };
      return [{ kind: "opening", opening: head, line: place.line! }];
    },
    "2.1": (main, place) => {
      this.#movement = { place, main, information: [] };
      if (main.detail !== "0000") return this.#addDetail(place);
      const parts = this.#endEntry();
      this.#entry = { movement: this.#movement, details: [] };
      return parts;
    },
    "2.2": (values, place) => {
      this.#inMovement(values, place).references = values;
      return [];
    },
    "2.3": (values, place) => {
      this.#inMovement(values, place).counterparty = values;
      return [];
    },
    "3.1": (values, place) => {
      const { communicationType, communication } = values;
      const structured = communicationType === "1";
      this.#inMovement(values, place).information.push({ structured, text: communication });
      return [];
    },
    "3.2": (values, place) => this.#addInformation(values, place),
    "3.3": (values, place) => this.#addInformation(values, place),
    "8": (values, place) => {
      const { head } = this.#file;
      checkAccount(this.#file, values, place);
      this.#file.closingBalance = readBalance(values, head.account.currency, place);
      return this.#endEntry();
    },
    "4": ({ text }) => {
      this.#file.information += text;
      return [];
    },
    "9": (values, place) => {
      checkTrailer(this.#file, values, place);
      this.#goesOn = values.multipleFiles === "1";
      const { closingBalance, information } = this.#file;
      const closing = given<StatementTail>({ closingBalance, information: orNothing(information) });
      return [{ kind: "closing", closing, line: place.line! }];
    },
  };

  /** The movement a further record belongs to. */
  #inMovement({ sequence }: { sequence: string }, place: Place): Movement {
    const { main } = this.#movement;
    if (sequence === main.sequence) return this.#movement;
    throw new FormatError("misplaced", place, `it is of movement ${sequence}, amidst ${main.sequence}`);
  }

  #addDetail(place: Place): StatementPart[] {
    const { main } = this.#movement;
    if (this.#entry?.movement.main.sequence !== main.sequence)
      throw new FormatError("misplaced", place, `a detail of movement ${main.sequence}, which is not there`);
    this.#entry.details.push(this.#movement);
    return [];
  }

  #addInformation(values: { sequence: string; communication: string }, place: Place): StatementPart[] {
    this.#inMovement(values, place).information.at(-1)!.text += values.communication;
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
    return [{ kind: "entry", entry, line: movement.place.line! }];
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
  statementsFrom(readCodaParts(source));
