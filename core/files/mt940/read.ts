/** Reads MT940, the SWIFT customer statement message. */
import { Big } from "big.js";
import { formatAmountText, toBalance } from "../amount";
import { collapseWhitespace, removeControls } from "../charset";
import { parseYymmdd, parseYymmddOf30DayMonth, nearestDate } from "../dates";
import {
  FormatError,
  type FormatErrorCode,
  type Position,
  quoteValue,
  looksLikeHint,
  type ReadOptions,
} from "../format-error";
import {
  type Emit,
  type LineReader,
  readParts,
  reportFault,
  type StatementPart,
  collectStatements,
} from "../statement-parts";
import {
  type Balance,
  type CreditDebit,
  type DraftOf,
  put,
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
import { joinLines } from "./lines";
import { parseAccount, toEntry, parseReference, noReference, type StatementLine } from "./fields";

/** A tag with its content, which may span several lines. */
interface Field {
  readonly tag: string;
  readonly line: number;
  readonly content: string[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** An entry whose :86: may still follow. */
interface EntryDraft {
  readonly line: number;
  readonly statementLine: StatementLine;
  readonly information: string[];
}

/** The tail of a statement that is being read; `isContinued` if another message is announced. */
interface TailDraft {
  readonly line: number;
  readonly isContinued: boolean;
  readonly tail: Mutable<StatementTail>;
  readonly forwardBalances: Balance[];
  readonly information: string[];
}

const positionOf = ({ tag, line }: Field): Position => ({ format: "MT940", field: `:${tag}:`, line });

function fail(code: FormatErrorCode, field: Field, message: string): never {
  throw new FormatError(code, positionOf(field), message);
}

const fieldText = ({ content }: Field) => collapseWhitespace(content.join(" "));

const indicators: Readonly<Record<string, CreditDebit>> = {
  C: "Credit",
  D: "Debit",
  RC: "Debit",
  RD: "Credit",
  EC: "Credit",
  ED: "Debit",
};

const toDecimal = (digits: string) => (digits.endsWith(",") ? digits.slice(0, -1) : digits.replace(",", "."));
const parseAmount = (digits: string) => new Big(toDecimal(digits));

/** At most 24 digits and 12 decimals, more than any bank writes. Some banks write a point, then always two decimals. */
const amountPattern = String.raw`\d{1,24}(?:,\d{0,12}|\.\d\d(?![\d.,]))?`;
/** A count and a sum of entries, as :90D: has them. */
const totalPattern = new RegExp(`^(\\d{1,5}) ?[A-Z]{3} ?(${amountPattern})$`);
/** A blank may precede the dash that ends the message. */
const balancePattern = new RegExp(`^([CD])(\\d{6})([A-Z]{3})(${amountPattern})(?: -)?$`);
/** Blanks replace an unknown entry date, and pad or precede short transaction types. Some banks write no type. */
const linePattern = new RegExp(
  `^(\\d{6})(\\d{4}|    )?(R?[CD]|E[CD])[A-Z]? ?(${amountPattern})(?: ?(?!${noReference})([A-Z][A-Z0-9 ]{3})|(?=$|//|${noReference}))(.*?)(?://(.*))?$`,
  "s",
);

/** The parts of a :61: before its transaction type, each with the message if it does not match. */
const lineParts: readonly (readonly [part: RegExp, message: string])[] = [
  [/^\d{6}/, "the value date must be six digits, YYMMDD"],
  [
    /^(?:\d{4}| {4})?(?:R?[CD]|E[CD])[A-Z]? ?/,
    "expected C, D, RC or RD after the value date and the optional entry date (MMDD)",
  ],
  [new RegExp(`^${amountPattern}(?![\\d.,])`), "the amount must be digits with a decimal comma"],
];

/** Describes the first part of a :61: that does not match. */
function statementLineProblem(line: string): string {
  let rest = line;
  for (const [part, description] of lineParts) {
    const [found] = part.exec(rest) ?? [];
    if (found === undefined) return `${description}; found ${quoteValue(rest)}`;
    rest = rest.slice(found.length);
  }
  return `expected a transaction type after the amount, for example NTRF; found ${quoteValue(rest)}`;
}

function parseBalance(field: Field): { balance: Balance; currency: string } {
  const [, mark, date, currency, digits] = balancePattern.exec(fieldText(field)) ?? [];
  if (!mark || !date || !currency || !digits)
    return fail(
      "invalid",
      field,
      `a balance must be C or D, YYMMDD, currency, amount; found ${quoteValue(fieldText(field))}`,
    );
  const amount = mark === "C" ? parseAmount(digits) : parseAmount(digits).neg();
  return { balance: toBalance(amount, parseYymmdd(date, positionOf(field)), currency), currency };
}

function parseBookingDate(mmdd: string | undefined, valueDate: string, field: Field): string {
  if (!mmdd?.trim()) return valueDate;
  return (
    nearestDate(mmdd, valueDate) ??
    fail("invalid", field, `the entry date ${quoteValue(mmdd)} does not exist`)
  );
}

function parseStatementLine(field: Field, currency: string): StatementLine {
  const [first = "", ...others] = field.content;
  const [, date, mmdd, mark, digits, transactionCode, customerReference, bankReference] =
    linePattern.exec(first.trim()) ?? [];
  if (!date || !mark || !digits) return fail("invalid", field, statementLineProblem(first.trim()));
  const valueDate = parseYymmddOf30DayMonth(date, positionOf(field));
  const line: DraftOf<StatementLine> = {
    bookingDate: parseBookingDate(mmdd, valueDate, field),
    valueDate,
    amount: formatAmountText(toDecimal(digits), currency),
    creditDebit: indicators[mark]!,
    transactionCode: transactionCode?.trimEnd() ?? "NMSC",
  };
  if (mark.startsWith("R")) line.reversal = true;
  if (mark.startsWith("E")) line.status = "Future";
  put(line, "customerReference", parseReference(customerReference));
  put(line, "bankReference", parseReference(bankReference));
  if (others.length > 0)
    put(line, "additionalInformation", collapseWhitespace(others.join(" ")) || undefined);
  return line as StatementLine;
}

/** A dash ends a message, and so does the type line of the next one. National sets of 7 bits have a letter for the brace. */
const messageEndPattern = /^-\}|^-[åü]?\s*$|^:94[02]:\s*$/;

/** Parses the number of the message within its statement from :28C:; undefined if absent. */
function parsePage(field: Field): number | undefined {
  const [, digits] = /^\d+\/(\d{1,5})$/.exec(fieldText(field)) ?? [];
  return digits ? Number(digits) : undefined;
}

const newTotals = () => ({
  Credit: { count: 0, sum: new Big(0) },
  Debit: { count: 0, sum: new Big(0) },
});

const tagPattern = /^:(\d\d[A-Z]?|NS):/;

/** Tags that follow the text of an entry within its message. */
const afterEntry = new Set(["61", "62F", "62M", "86", "90C", "90D"]);

class Mt940Reader implements LineReader {
  readonly format = "MT940";
  readonly balanceFields = { opening: ":60F:", entry: ":61:", closing: ":62F:" };

  #emit: Emit = () => {};
  #field: Field | undefined;
  /** Tags 20, 25, 28 and 34F of the message being read, until its opening balance or first entry. */
  #head: Partial<Record<"20" | "25" | "28" | "34", Field>> = {};
  #opening: StatementHead | undefined;
  /** Number of the message within its statement, if given. */
  #page: number | undefined;
  #entry: EntryDraft | undefined;
  #tail: TailDraft | undefined;
  /** Line of a dash that ends the message, or is text of an entry if the message goes on. */
  #dashLine: number | undefined;
  readonly #fieldLimit = new LengthLimit("a field", maxFieldLength);
  /** Limits all :86: of an entry or of the statement together. */
  readonly #informationLimit = new LengthLimit("the information", maxFieldLength);
  readonly #tailLimit = new LengthLimit("the part after the entries", maxPartLength);
  #lastLine = 0;
  /** First non-blank line before any tag. */
  #firstUntaggedLine: string | undefined;
  #hasTag = false;
  /** Entries of an interim report by direction, which it counts in place of balances. */
  #totals = newTotals();

  constructor(readonly options: ReadOptions) {}

  readLine({ number, text: rawText }: Line, emit: Emit): void {
    this.#emit = emit;
    this.#lastLine = number;
    if (hasBareCr(rawText)) throw new FormatError("invalid", this.#positionAt(":20:"), bareCrMessage);
    // Strips the SWIFT envelope.
    const plain = removeControls(rawText);
    const content = plain.startsWith("{") ? plain.replace(/^\{[1-5]:.*\{4:/, "") : plain;
    const tag = content.startsWith(":") ? tagPattern.exec(content)?.[1] : undefined;
    if (rawText.length > maxFieldLength) this.#throwTooLong(content, tag);
    if (this.#dashLine !== undefined && content.trim() !== "") {
      this.#lastLine = this.#dashLine;
      this.#dashLine = undefined;
      if (tag && afterEntry.has(tag)) this.#addToField("-");
      else this.#endMessage();
      this.#lastLine = number;
    }
    if (messageEndPattern.test(content)) {
      if (content.trim() === "-" && this.#field?.tag === "86" && this.#entry) this.#dashLine = number;
      else this.#endMessage();
    } else if (tag) {
      this.#endField();
      this.#hasTag = true;
      this.#field = { tag, line: number, content: [] };
      this.#fieldLimit.restart();
      this.#addToField(content.slice(tag.length + 2));
    } else if (content.trim() !== "") {
      this.#firstUntaggedLine ??= content;
      this.#addToField(content);
    }
  }

  #addToField(content: string): void {
    if (!this.#field) return;
    this.#fieldLimit.add(content, positionOf(this.#field));
    this.#field.content.push(content);
  }

  /** Throws the error for a line that is too long, and may have no end. */
  #throwTooLong(content: string, tag: string | undefined): never {
    if (!tag && !this.#hasTag) throw this.#unrecognisedError(this.#firstUntaggedLine ?? content);
    const continuedField = tag ? undefined : this.#field;
    throw tooLongError(
      "a line",
      maxFieldLength,
      continuedField ? positionOf(continuedField) : this.#positionAt(`:${tag ?? "20"}:`),
    );
  }

  #unrecognisedError(untagged: string): FormatError {
    const message = `the file has no tags${looksLikeHint(untagged)}`;
    return new FormatError("unrecognised", this.#positionAt(":20:"), message);
  }

  finish(emit: Emit): void {
    this.#emit = emit;
    this.#endMessage();
    this.#emitClosing();
    if (this.#firstUntaggedLine !== undefined && !this.#hasTag)
      throw this.#unrecognisedError(this.#firstUntaggedLine);
  }

  #positionAt(field: string): Position {
    return { format: "MT940", field, line: this.#lastLine };
  }

  #faultAt(field: string, message: string): StatementPart {
    return reportFault(new FormatError("missing", this.#positionAt(field), message), this.options);
  }

  #endField(): void {
    const field = this.#field;
    this.#field = undefined;
    if (!field) return;
    try {
      this.#handleField(field);
    } catch (error) {
      this.#emit(reportFault(error, this.options));
    }
  }

  #endMessage(): void {
    this.#endField();
    if (this.#head["34"]) this.#openWithoutBalance(this.#head["34"]);
    if (this.#opening && !this.#tail) {
      this.#endEntry();
      if (!this.#opening.kind)
        this.#emit(this.#faultAt(":62F:", "the message ends without a closing balance"));
      this.#startTail({ tag: "62F", line: this.#lastLine, content: [] }, {});
    }
    if (Object.keys(this.#head).length > 0) {
      this.#head = {};
      this.#emit(this.#faultAt(":60F:", "the message ends without an opening balance"));
    }
    if (this.#tail && !this.#tail.isContinued) this.#emitClosing();
  }

  /** Yields the end of the statement once nothing more of it can follow. */
  #emitClosing(): void {
    if (!this.#tail) return;
    const { tail, forwardBalances, information, line, isContinued } = this.#tail;
    if (isContinued)
      this.#emit(
        reportFault(
          new FormatError(
            "missing",
            { format: "MT940", field: ":62M:", line },
            "the balance announces another message of this statement, but none follows",
          ),
          this.options,
          // Banks that do not number messages write this balance also at the end.
          this.#page === undefined ? "warning" : "error",
        ),
      );
    const informationText = collapseWhitespace(joinLines(information));
    const closing = {
      ...tail,
      ...(forwardBalances.length > 0 && { forwardBalances }),
      ...(informationText && { information: informationText }),
    };
    this.#emit({ kind: "closing", closing, line });
    this.#opening = undefined;
    this.#tail = undefined;
  }

  #endEntry(): void {
    if (!this.#entry) return;
    const { line, statementLine, information } = this.#entry;
    this.#entry = undefined;
    this.#emit({ kind: "entry", entry: toEntry(statementLine, information), line });
  }

  #handleField(field: Field): void {
    switch (field.tag) {
      case "20":
        this.#endMessage();
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
      case "34F":
        this.#head["34"] ??= field;
        break;
      case "90C":
      case "90D":
        this.#endEntry();
        this.#checkTotal(field);
        break;
      case "60F":
      case "60M":
        this.#readOpening(field);
        break;
      case "61":
        this.#endEntry();
        this.#informationLimit.restart();
        if (this.#head["34"] || (this.options.tolerate && (!this.#opening || this.#tail)))
          this.#openWithoutBalance(field);
        this.#startEntry(field);
        break;
      case "62F":
      case "62M":
        this.#endEntry();
        this.#readClosing(field);
        break;
      case "64":
        this.#requireTail(field).tail.availableBalance = this.#requireBalance(field);
        break;
      case "65":
        this.#requireTail(field).forwardBalances.push(this.#requireBalance(field));
        this.#tailLimit.add(field.content.join(), positionOf(field));
        break;
      case "86":
        this.#addInformation(field);
    }
  }

  #startEntry(field: Field): void {
    const statementLine = parseStatementLine(field, this.#requireOpenCurrency(field));
    const total = this.#totals[statementLine.creditDebit];
    total.count += 1;
    total.sum = total.sum.plus(statementLine.amount);
    this.#entry = { line: field.line, statementLine, information: [] };
  }

  /** Compares a total of an interim report with its entries. */
  #checkTotal(field: Field): void {
    const { count, sum } = this.#totals[field.tag === "90C" ? "Credit" : "Debit"];
    const [, statedCount, digits] = totalPattern.exec(fieldText(field)) ?? [];
    if (!statedCount || !digits)
      fail(
        "invalid",
        field,
        `expected a count, a currency and an amount; found ${quoteValue(fieldText(field))}`,
      );
    if (Number(statedCount) !== count || !parseAmount(digits).eq(sum))
      fail("control_sum", field, `the message has ${count} such entries, which give ${sum.toFixed()}`);
  }

  /** Opens an interim report, which has no balances, or a statement whose opening balance is missing. */
  #openWithoutBalance(field: Field): void {
    this.#emitClosing();
    const isInterim = this.#head["34"] !== undefined;
    const { "20": reference, "25": account, "28": number, "34": limit } = this.#head;
    const [currency = unknownAccount.currency] =
      /[A-Z]{3}/.exec(limit ? fieldText(limit) : "") ??
      /[A-Z]{3}$/.exec(account ? fieldText(account) : "") ??
      [];
    this.#head = {};
    this.#totals = newTotals();
    this.#page = undefined;
    if (!isInterim) this.#emit(this.#faultAt(":60F:", "the opening balance is missing"));
    if (!account || fieldText(account) === "")
      this.#emit(this.#faultAt(":25:", "the account number is missing"));
    this.#opening = withoutUndefined<StatementHead>({
      kind: isInterim ? "Interim" : undefined,
      account: parseAccount(account?.content ?? [], currency),
      reference: parseReference(reference && fieldText(reference)),
      number: Number(/^\d{1,10}/.exec(number ? fieldText(number) : "")?.[0] ?? 0),
    });
    this.#emit({ kind: "opening", opening: this.#opening, line: field.line });
  }

  #startTail(field: Field, tail: Mutable<StatementTail>): void {
    this.#informationLimit.restart();
    this.#tailLimit.restart();
    this.#tail = {
      line: field.line,
      isContinued: field.tag === "62M",
      tail,
      forwardBalances: [],
      information: [],
    };
  }

  #addInformation(field: Field): void {
    const information = (this.#tail ?? this.#entry)?.information;
    if (!information) return;
    for (const line of field.content) {
      this.#informationLimit.add(line, positionOf(field));
      information.push(line);
    }
  }

  #headField(tag: "25" | "28", opening: Field): Field {
    const written = { "25": ":25:", "28": ":28C:" }[tag];
    return this.#head[tag] ?? fail("missing", opening, `${written} is missing before the balance`);
  }

  #headFrom(opening: Field): StatementHead {
    const { balance, currency } = parseBalance(opening);
    const account = this.#headField("25", opening);
    const number = this.#headField("28", opening);
    // Some banks number only the messages: `/1`.
    const [, digits] = /^(\d{1,10})(?:\/|$)/.exec(fieldText(number).replace(/^\//, "0/")) ?? [];
    if (fieldText(account) === "") fail("missing", account, "the account number is empty");
    return withoutUndefined<StatementHead>({
      account: parseAccount(account.content, currency),
      reference: parseReference(this.#head["20"] && fieldText(this.#head["20"])),
      number: digits
        ? Number(digits)
        : fail("invalid", number, `must be a number, not ${quoteValue(fieldText(number))}`),
      openingBalance: balance,
    });
  }

  #readOpening(field: Field): void {
    const opening = this.#headFrom(field);
    const number = this.#headField("28", field);
    this.#totals = newTotals();
    this.#head = {};
    if (field.tag === "60M" && this.#continues(opening)) {
      this.#advancePage(number);
      this.#continueStatement(opening, field);
      return;
    }
    this.#page = parsePage(number);
    if (this.#opening && !this.#tail) fail("misplaced", field, "the message has two opening balances");
    this.#emitClosing();
    this.#opening = opening;
    this.#emit({ kind: "opening", opening, line: field.line });
  }

  /** True if a message continues the statement of the previous message. */
  #continues({ account, number }: StatementHead): boolean {
    const before = this.#opening;
    return (
      this.#tail?.isContinued === true &&
      before?.account.number === account.number &&
      before.account.currency === account.currency &&
      before.number === number
    );
  }

  /** Checks that message numbers increase by one, or stay equal if the bank does not count them. */
  #advancePage(number: Field): void {
    const [before, page] = [this.#page, parsePage(number)];
    if (before !== undefined && page !== undefined && page !== before && page !== before + 1)
      fail("misplaced", number, `message ${page} of the statement follows message ${before}`);
    this.#page = page;
  }

  #continueStatement({ openingBalance }: StatementHead, field: Field): void {
    const { closingBalance } = this.#tail!.tail;
    const isSameBalance =
      closingBalance?.creditDebit === openingBalance?.creditDebit &&
      closingBalance?.amount === openingBalance?.amount;
    if (!isSameBalance) fail("balance", field, "the previous message ended with a different balance");
    this.#tail = undefined;
  }

  /** Returns the currency of the open statement. Throws if there is none. */
  #requireOpenCurrency(field: Field): string {
    if (!this.#opening || this.#tail)
      return fail("misplaced", field, "the opening balance is missing before this field");
    return this.#opening.account.currency;
  }

  #requireTail(field: Field): TailDraft {
    return this.#tail ?? fail("misplaced", field, "the closing balance is missing before this field");
  }

  #requireBalance(field: Field): Balance {
    const { balance, currency } = parseBalance(field);
    const expected = this.#opening?.account.currency;
    if (expected !== currency && expected !== unknownAccount.currency)
      fail("invalid", field, `the statement is in ${expected}, but the balance is in ${currency}`);
    return balance;
  }

  #readClosing(field: Field): void {
    this.#requireOpenCurrency(field);
    this.#startTail(field, { closingBalance: this.#requireBalance(field) });
  }
}

/** Reads MT940 in parts. Throws like `readMt940`. */
export const readMt940Parts = (
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<StatementPart, void, void> => readParts(source, new Mt940Reader(options), options);

/**
 * Reads the statements of an MT940 text or text stream, and interim reports (MT942). Joins statements that span several
 * messages; ignores SWIFT envelopes, text between messages and unrelated tags. Understands all three notations of :86:. Blank
 * text has no statements.
 *
 * Throws a FormatError with line and tag for malformed text, sums that do not add up and missing messages of a statement.
 */
export const readMt940 = (
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<Statement, void, void> => collectStatements(readMt940Parts(source, options));
