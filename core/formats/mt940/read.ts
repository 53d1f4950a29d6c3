/** Reading MT940, the SWIFT customer statement message. */
import { Big } from "big.js";
import { amountText, balanceFrom } from "../amount";
import { squeeze, withoutControls } from "../charset";
import { fromYymmdd, fromYymmddOfInterest, nearest } from "../dates";
import { FormatError, type FormatErrorCode, type Place, quoted } from "../error";
import { looksLike } from "../kinds";
import { Length, longestField, longestPart, tooLong } from "../limits";
import { type LineReader, readParts, type StatementPart, statementsFrom } from "../parts";
import {
  type Balance,
  type CreditDebit,
  given,
  type Statement,
  type StatementHead,
  type StatementTail,
} from "../statement";
import { crAlone, endsWithCrAlone, type Line, type TextSource } from "../text";
import { joinedLines } from "./lines";
import { accountFrom, entryFrom, knownReference, noReference, type StatementLine } from "./fields";

/** A tag with its content, which may go on over several lines. */
interface Field {
  readonly tag: string;
  readonly line: number;
  readonly content: string[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** An entry while its :86: may still follow. */
interface EntryDraft {
  readonly line: number;
  readonly statementLine: StatementLine;
  readonly information: string[];
}

/** The end of a statement while more of it may follow; `continued` when another message is announced. */
interface TailDraft {
  readonly line: number;
  readonly continued: boolean;
  readonly tail: Mutable<StatementTail>;
  readonly forwardBalances: Balance[];
  readonly information: string[];
}

const placeOf = ({ tag, line }: Field): Place => ({ format: "MT940", field: `:${tag}:`, line });

function fail(code: FormatErrorCode, field: Field, message: string): never {
  throw new FormatError(code, placeOf(field), message);
}

const text = ({ content }: Field) => squeeze(content.join(" "));

const indicators: Readonly<Record<string, CreditDebit>> = {
  C: "Credit",
  D: "Debit",
  RC: "Debit",
  RD: "Credit",
};

const amountFrom = (digits: string) => new Big(digits.replace(/,$/, "").replace(",", "."));

/** An amount: at most 24 digits and 12 decimals, more than any bank writes. */
const amountPattern = String.raw`\d{1,24}(?:,\d{0,12})?`;
const balancePattern = new RegExp(`^([CD])(\\d{6})([A-Z]{3})(${amountPattern})$`);
/** Blanks stand for an entry date that is not known, and fill short transaction types. */
const linePattern = new RegExp(
  `^(\\d{6})(\\d{4}|    )?(R?[CD])[A-Z]? ?(${amountPattern})(?!${noReference})([A-Z][A-Z0-9 ]{3})(.*?)(?://(.*))?$`,
  "s",
);

/** The parts of a :61: before its transaction type, each with what is wrong where it should begin. */
const lineParts: readonly (readonly [part: RegExp, message: string])[] = [
  [/^\d{6}/, "the value date must be six digits, YYMMDD"],
  [/^(?:\d{4}| {4})?R?[CD][A-Z]? ?/, "the value date, and an entry date as MMDD, come before C, D, RC or RD"],
  [new RegExp(`^${amountPattern}(?![\\d.,])`), "the amount must be digits with a comma before the decimals"],
];

/** What is wrong with a :61:, and from where on. */
function wrongIn(line: string): string {
  let rest = line;
  for (const [part, description] of lineParts) {
    const [found] = part.exec(rest) ?? [];
    if (found === undefined) return `${description}; not ${quoted(rest)}`;
    rest = rest.slice(found.length);
  }
  return `the amount comes before the transaction type, as NTRF; not ${quoted(rest)}`;
}

function readBalance(field: Field): { balance: Balance; currency: string } {
  const [, mark, date, currency, digits] = balancePattern.exec(text(field)) ?? [];
  if (!mark || !date || !currency || !digits)
    return fail(
      "invalid",
      field,
      `a balance reads C or D, YYMMDD, currency, amount; not ${quoted(text(field))}`,
    );
  const amount = mark === "C" ? amountFrom(digits) : amountFrom(digits).neg();
  return { balance: balanceFrom(amount, fromYymmdd(date, placeOf(field)), currency), currency };
}

function bookingDate(mmdd: string | undefined, valueDate: string, field: Field): string {
  if (!mmdd?.trim()) return valueDate;
  return nearest(mmdd, valueDate) ?? fail("invalid", field, `there is no such entry date: ${quoted(mmdd)}`);
}

function readStatementLine(field: Field, currency: string): StatementLine {
  const [first = "", ...others] = field.content;
  const [, date, mmdd, mark, digits, transactionCode, customerReference, bankReference] =
    linePattern.exec(first.trim()) ?? [];
  if (!date || !mark || !digits || !transactionCode) return fail("invalid", field, wrongIn(first.trim()));
  const valueDate = fromYymmddOfInterest(date, placeOf(field));
  return given<StatementLine>({
    bookingDate: bookingDate(mmdd, valueDate, field),
    valueDate,
    amount: amountText(amountFrom(digits), currency),
    creditDebit: indicators[mark]!,
    reversal: mark.startsWith("R") || undefined,
    transactionCode: transactionCode.trimEnd(),
    customerReference: knownReference(customerReference),
    bankReference: knownReference(bankReference),
    additionalInformation: squeeze(others.join(" ")) || undefined,
  });
}

/** A dash ends a message; a line that says its kind begins another. */
const endsMessage = /^-\}|^-\s*$|^:940:\s*$/;

/** Which message of its statement a :28C: says it is; undefined when it does not. */
function pageFrom(field: Field): number | undefined {
  const [, digits] = /^\d+\/(\d{1,5})$/.exec(text(field)) ?? [];
  return digits ? Number(digits) : undefined;
}

class Mt940Reader implements LineReader {
  readonly format = "MT940";
  readonly fields = { opening: ":60F:", entry: ":61:", closing: ":62F:" };

  #field: Field | undefined;
  /** Tags 20, 25 and 28 of the message being read, until its opening balance. */
  #head: Partial<Record<"20" | "25" | "28", Field>> = {};
  #opening: StatementHead | undefined;
  /** Which of its messages is being read, where the messages say so. */
  #page: number | undefined;
  #entry: EntryDraft | undefined;
  #tail: TailDraft | undefined;
  readonly #fieldLength = new Length("a field", longestField);
  /** Of all :86: of an entry or of the statement. */
  readonly #informationLength = new Length("the information", longestField);
  readonly #tailLength = new Length("what follows the entries", longestPart);
  #lastLine = 0;
  /** The first line that says anything, until there is a tag. */
  #untagged: string | undefined;
  #sawTag = false;

  *line({ number, text: whole }: Line): Iterable<StatementPart> {
    this.#lastLine = number;
    if (endsWithCrAlone(whole)) throw new FormatError("invalid", this.#here(":20:"), crAlone);
    // Lines between computers put some around a message.
    const content = withoutControls(whole).replace(/^\{[1-5]:.*\{4:/, "");
    const [, tag] = /^:(\d\d[A-Z]?|NS):/.exec(content) ?? [];
    if (whole.length > longestField) this.#refuse(content, tag);
    if (endsMessage.test(content)) yield* this.#endMessage();
    else if (tag) {
      yield* this.#endField();
      this.#sawTag = true;
      this.#field = { tag, line: number, content: [] };
      this.#fieldLength.restart();
      this.#addToField(content.slice(tag.length + 2));
    } else if (content.trim() !== "") {
      this.#untagged ??= content;
      this.#addToField(content);
    }
  }

  #addToField(content: string): void {
    if (!this.#field) return;
    this.#fieldLength.add(content, placeOf(this.#field));
    this.#field.content.push(content);
  }

  /** Throws the error for a line that is too long, and may have no end. */
  #refuse(content: string, tag: string | undefined): never {
    if (!tag && !this.#sawTag) throw this.#unrecognised(this.#untagged ?? content);
    const goesOn = tag ? undefined : this.#field;
    throw tooLong("a line", longestField, goesOn ? placeOf(goesOn) : this.#here(`:${tag ?? "20"}:`));
  }

  #unrecognised(untagged: string): FormatError {
    const message = `there is no tag in the whole file${looksLike(untagged)}`;
    return new FormatError("unrecognised", this.#here(":20:"), message);
  }

  *end(): Iterable<StatementPart> {
    yield* this.#endMessage();
    yield* this.#close();
    if (this.#untagged !== undefined && !this.#sawTag) throw this.#unrecognised(this.#untagged);
  }

  #here(field: string): Place {
    return { format: "MT940", field, line: this.#lastLine };
  }

  *#endField(): Iterable<StatementPart> {
    const field = this.#field;
    this.#field = undefined;
    if (field) yield* this.#read(field);
  }

  *#endMessage(): Iterable<StatementPart> {
    yield* this.#endField();
    if (this.#opening && !this.#tail)
      throw new FormatError("missing", this.#here(":62F:"), "the message ends without a closing balance");
    if (Object.keys(this.#head).length > 0)
      throw new FormatError("missing", this.#here(":60F:"), "the message ends without an opening balance");
    if (this.#tail && !this.#tail.continued) yield* this.#close();
  }

  /** Gives the end of the statement, once nothing more of it can follow. */
  *#close(): Iterable<StatementPart> {
    if (!this.#tail) return;
    const { tail, forwardBalances, information, line, continued } = this.#tail;
    if (continued)
      throw new FormatError(
        "missing",
        { format: "MT940", field: ":62M:", line },
        "the balance announces another message of this statement, and none follows",
      );
    const said = squeeze(joinedLines(information));
    const closing = {
      ...tail,
      ...(forwardBalances.length > 0 && { forwardBalances }),
      ...(said && { information: said }),
    };
    yield { kind: "closing", closing, line };
    this.#opening = undefined;
    this.#tail = undefined;
  }

  *#endEntry(): Iterable<StatementPart> {
    if (!this.#entry) return;
    const { line, statementLine, information } = this.#entry;
    this.#entry = undefined;
    yield { kind: "entry", entry: entryFrom(statementLine, information), line };
  }

  *#read(field: Field): Iterable<StatementPart> {
    switch (field.tag) {
      case "20":
        yield* this.#endMessage();
        this.#head["20"] = field;
        break;
      case "25":
      case "25P":
        this.#head["25"] = field;
        break;
      case "28":
      case "28C":
        this.#head["28"] = field;
        break;
      case "60F":
      case "60M":
        yield* this.#readOpening(field);
        break;
      case "61":
        yield* this.#endEntry();
        this.#informationLength.restart();
        this.#entry = {
          line: field.line,
          statementLine: readStatementLine(field, this.#openFor(field)),
          information: [],
        };
        break;
      case "62F":
      case "62M":
        yield* this.#endEntry();
        this.#readClosing(field);
        break;
      case "64":
        this.#tailFor(field).tail.availableBalance = this.#balance(field);
        break;
      case "65":
        this.#tailFor(field).forwardBalances.push(this.#balance(field));
        this.#tailLength.add(field.content.join(), placeOf(field));
        break;
      case "86":
        this.#addInformation(field);
    }
  }

  #addInformation(field: Field): void {
    const information = (this.#tail ?? this.#entry)?.information;
    if (!information) return;
    for (const line of field.content) {
      this.#informationLength.add(line, placeOf(field));
      information.push(line);
    }
  }

  #headField(tag: "25" | "28", opening: Field): Field {
    const written = { "25": ":25:", "28": ":28C:" }[tag];
    return this.#head[tag] ?? fail("missing", opening, `there is no ${written} before the balance`);
  }

  #headFrom(opening: Field): StatementHead {
    const { balance, currency } = readBalance(opening);
    const account = this.#headField("25", opening);
    const number = this.#headField("28", opening);
    const [, digits] = /^(\d{1,10})(?:\/|$)/.exec(text(number)) ?? [];
    if (text(account) === "") fail("missing", account, "the account has no number");
    return given<StatementHead>({
      account: accountFrom(account.content, currency),
      reference: knownReference(this.#head["20"] && text(this.#head["20"])),
      number: digits ? Number(digits) : fail("invalid", number, `not a number: ${quoted(text(number))}`),
      openingBalance: balance,
    });
  }

  *#readOpening(field: Field): Iterable<StatementPart> {
    const opening = this.#headFrom(field);
    const number = this.#headField("28", field);
    this.#head = {};
    if (field.tag === "60M" && this.#continues(opening)) {
      this.#turnPage(number);
      this.#takeUp(opening, field);
      return;
    }
    this.#page = pageFrom(number);
    if (this.#opening && !this.#tail) fail("misplaced", field, "the message has two opening balances");
    yield* this.#close();
    this.#opening = opening;
    yield { kind: "opening", opening, line: field.line };
  }

  /** Whether a message goes on with the statement that the message before left open. */
  #continues({ account, number }: StatementHead): boolean {
    const before = this.#opening;
    return (
      this.#tail?.continued === true &&
      before?.account.number === account.number &&
      before.account.currency === account.currency &&
      before.number === number
    );
  }

  /** Messages count up. Where a bank does not count them, all have the same number. */
  #turnPage(number: Field): void {
    const [before, page] = [this.#page, pageFrom(number)];
    if (before !== undefined && page !== undefined && page !== before && page !== before + 1)
      fail("misplaced", number, `message ${page} of the statement comes behind message ${before}`);
    this.#page = page;
  }

  #takeUp({ openingBalance }: StatementHead, field: Field): void {
    const { closingBalance } = this.#tail!.tail;
    const same =
      closingBalance.creditDebit === openingBalance.creditDebit &&
      closingBalance.amount === openingBalance.amount;
    if (!same) fail("balance", field, "the message before ended with another balance");
    this.#tail = undefined;
  }

  /** The currency of the statement that is open; an entry has no place elsewhere. */
  #openFor(field: Field): string {
    if (!this.#opening || this.#tail)
      return fail("misplaced", field, "there is no opening balance before it");
    return this.#opening.account.currency;
  }

  #tailFor(field: Field): TailDraft {
    return this.#tail ?? fail("misplaced", field, "there is no closing balance before it");
  }

  #balance(field: Field): Balance {
    const { balance, currency } = readBalance(field);
    const expected = this.#opening?.account.currency;
    if (expected !== currency)
      fail("invalid", field, `the statement is in ${expected}, the balance in ${currency}`);
    return balance;
  }

  #readClosing(field: Field): void {
    this.#openFor(field);
    this.#informationLength.restart();
    this.#tailLength.restart();
    this.#tail = {
      line: field.line,
      continued: field.tag === "62M",
      tail: { closingBalance: this.#balance(field) },
      forwardBalances: [],
      information: [],
    };
  }
}

/** Reads MT940 piece by piece. Errors as `readMt940`. */
export const readMt940Parts = (source: TextSource): AsyncGenerator<StatementPart, void, void> =>
  readParts(source, new Mt940Reader());

/**
 * Reads the statements of an MT940 text, or of a stream of text. Statements that go on over several messages come as one;
 * SWIFT envelopes, texts between messages and tags that say nothing about a statement are passed over. All three ways to
 * write :86: are understood. A text of nothing but white space holds no statements.
 *
 * Throws a FormatError with line and tag for what is broken, also when balances and entries do not add up or a message of
 * a statement is not there.
 */
export const readMt940 = (source: TextSource): AsyncGenerator<Statement, void, void> =>
  statementsFrom(readMt940Parts(source));
