/** Reads statements from a bank's CSV, by a plan. */
import { Big } from "big.js";
import { minorUnits } from "../../values/values";
import { formatAmount, toBalance } from "../amount";
import { removeWhitespace } from "../charset";
import {
  FormatError,
  type FormatErrorCode,
  quoteValue,
  type ReadOptions,
  type Severity,
} from "../format-error";
import { isIban } from "../identifiers";
import { type Account, type Entry, type Statement, type StatementHead, unknownAccount } from "../statement";
import {
  collectStatements,
  type Emit,
  type LineReader,
  readParts,
  reportFault,
  type StatementPart,
} from "../statement-parts";
import { bareCrMessage, hasBareCr, type Line, type TextSource } from "../text-lines";
import {
  amountFields,
  assertRowEnds,
  cellOf,
  parseAmount,
  parseRowAmount,
  readCell,
  writtenDecimals,
} from "./bank-rows";
import { parseBankRow, RowJoiner, type RowText } from "./cells";
import { assertCsvHead, columnPosition, toFields } from "./columns";
import { bookedWords, pendingWords } from "./headings";
import { bankFields, type ColumnIndexes, parseDay } from "./map";
import type { CsvPlan } from "./plan";

interface Draft {
  readonly account: Account;
  /** First and last day of the entries. */
  first: string;
  last: string;
  /** Balance before the first row and after the last one, in the order of the file, as the stated balances give them. */
  start?: Big;
  end?: Big;
  sum: Big;
  /** Numbers of booked rows before the first balance, and after the last one. */
  before: number;
  after: number;
  /** Number of balances that agree with the one before. */
  proven: number;
  line: number;
}

const normaliseNumber = (text: string): string => {
  const iban = removeWhitespace(text);
  return isIban(iban) ? iban : text;
};

const fault = (code: FormatErrorCode, field: string, line: number, message: string): FormatError =>
  new FormatError(code, columnPosition(field, line), message);

const hasAmount = (cells: readonly string[], indexes: ColumnIndexes): boolean =>
  ["amount", "debit", "credit"].some((field) => cellOf(cells, indexes, field) !== "");

/** Text of a row that adds up others, or states a balance. */
const totalPattern =
  /^((alter|neuer|end|anfangs|schluss|abschluss|gesamt|opening|closing|final|begin|eind)[ -]?)?(saldo|kontostand|summe|totals?|totaal|balance|solde)( (initial|final))?( (per|vom|am|at|on|op|au))?[\s:.\d/-]*$/i;

class BankCsvReader implements LineReader {
  readonly format = "CSV";
  readonly balanceFields = { opening: "balance", entry: "amount", closing: "balance" };

  readonly #rows: RowJoiner;
  readonly #seen = new Set<string>();
  #draft: Draft | undefined;
  /** Number of cells of an entry: rows may end with a separator that the headings do not have. */
  #width: number | undefined;
  /** True once a debit column was seen to hold negative amounts, false for positive ones. */
  #hasNegativeDebits: boolean | undefined;

  constructor(
    readonly plan: CsvPlan,
    readonly options: ReadOptions,
  ) {
    this.#rows = new RowJoiner(plan.map.delimiter);
  }

  readLine(line: Line, emit: Emit): void {
    if (hasBareCr(line.text)) throw fault("invalid", "row", line.number, bareCrMessage);
    const row = this.#rows.add(line);
    assertRowEnds(row ?? this.#rows.open!);
    if (row) this.#readLines(row, emit);
  }

  finish(emit: Emit): void {
    const { open } = this.#rows;
    if (open) this.#readLines(open, emit, true);
    this.#endStatement(emit);
  }

  #report(
    emit: Emit,
    code: FormatErrorCode,
    field: string,
    line: number,
    message: string,
    severity?: Severity,
  ): void {
    emit(reportFault(fault(code, field, line, message), this.options, severity));
  }

  /** Reads a row, or each of its lines if a quote that is not closed has joined entries. */
  #readLines({ text, line }: RowText, emit: Emit, isOpen = false): void {
    const { headingLine, map, indexes } = this.plan;
    if (text.trim() === "" || line <= headingLine) return;
    const lines = text.split(/\r\n|\n|\r/);
    const isEntry = (each: string) => {
      const cells = each.split(map.delimiter).map((cell) => cell.replaceAll('"', ""));
      return hasAmount(cells, indexes) && parseDay(cellOf(cells, indexes, "booking_date"), map.date);
    };
    if (lines.slice(1).some(isEntry)) {
      this.#report(emit, "invalid", "row", line, "a quote is not closed before the next entry");
      for (const [index, each] of lines.slice(1).entries()) this.#readOne(each, line + 1 + index, emit);
    } else if (isOpen) this.#report(emit, "invalid", "row", line, "a quote is not closed");
    else this.#readOne(text, line, emit);
  }

  #readOne(text: string, line: number, emit: Emit): void {
    if (text.trim() === "") return;
    try {
      this.#readRow(text, line, emit);
    } catch (error) {
      emit(reportFault(error, this.options));
    }
  }

  #readRow(text: string, line: number, emit: Emit): void {
    const { map, indexes, width } = this.plan;
    const cells = parseBankRow(text, map.delimiter);
    if (!cells) throw fault("invalid", "row", line, "a quote is misplaced");
    const dayText = cellOf(cells, indexes, "booking_date");
    const bookingDate = parseDay(dayText, map.date);
    const isTotal = cells.some((cell) => totalPattern.test(cell.trim()));
    if (!hasAmount(cells, indexes) && (!bookingDate || isTotal)) {
      const message = "the row is no entry, and was passed over";
      this.#report(emit, "misplaced", "row", line, message, "warning");
      return;
    }
    this.#width ??= cells.slice(width).some((cell) => cell.trim() !== "")
      ? width
      : Math.max(width, cells.length);
    if (cells.length !== this.#width)
      throw fault("invalid", "row", line, `the row has ${cells.length} cells instead of ${this.#width}`);
    if (!bookingDate) throw this.#dateError("booking_date", dayText, line);
    if (isTotal && cellOf(cells, indexes, "balance") === "")
      throw fault("misplaced", "row", line, "the row looks like a total, and no balance says what it is");
    const entry = this.#parseEntry(cells, bookingDate, line);
    const draft = this.#openStatement(cells, line, emit);
    const { amount, balance } = this.#parseAmounts(cells, draft.account.currency, line);
    const held = Object.assign(entry, toBalance(amount, bookingDate, draft.account.currency));
    const { date: _, ...complete } = held;
    this.#addRow(draft, complete, amount, balance, line, emit);
  }

  #dateError(field: string, text: string, line: number): FormatError {
    return fault(
      "invalid",
      field,
      line,
      `expected an existing date as ${this.plan.map.date}, found ${quoteValue(text)}`,
    );
  }

  /** Parses everything but the amount. */
  #parseEntry(
    cells: readonly string[],
    bookingDate: string,
    line: number,
  ): Omit<Entry, "amount" | "creditDebit"> {
    const { map, indexes } = this.plan;
    const row = Object.fromEntries(bankFields.map((field) => [field, cellOf(cells, indexes, field)]));
    row["counterparty_account"] = normaliseNumber(row["counterparty_account"]!);
    const dayText = row["value_date"]!;
    const valueDate = dayText === "" ? bookingDate : parseDay(dayText, map.date);
    if (!valueDate) throw this.#dateError("value_date", dayText, line);
    const status = row["status"]!.toLowerCase();
    const isPending = pendingWords.includes(status);
    if (status !== "" && !isPending && !bookedWords.includes(status))
      throw fault(
        "invalid",
        "status",
        line,
        `${quoteValue(row["status"]!)} is neither a known word for booked nor for pending`,
      );
    return {
      ...toFields("entry", row),
      bookingDate,
      valueDate,
      ...(isPending && { status: "Pending" as const }),
    };
  }

  #parseAmounts(
    cells: readonly string[],
    currency: string,
    line: number,
  ): { amount: Big; balance: Big | undefined } {
    const { map, indexes } = this.plan;
    const amount = parseRowAmount(cells, indexes, map.decimal, map.marks, line);
    const balance = parseAmount(cells, indexes, "balance", map.decimal, line);
    const fail = (field: string, message: string): never => {
      throw fault("invalid", field, line, message);
    };
    for (const field of amountFields) {
      const cell = cellOf(cells, indexes, field);
      const { readings, currency: named = currency } = readCell(cell);
      const read = readings[map.decimal];
      if (named !== currency && currency !== unknownAccount.currency)
        fail(field, `the amount is in ${named}, but the account is in ${currency}`);
      if (read && writtenDecimals(cell, map.decimal) > minorUnits(currency))
        fail(field, `${quoteValue(cell)} has more than the ${minorUnits(currency)} decimals of ${currency}`);
      if (field !== "debit" || !read || read.eq(0)) continue;
      this.#hasNegativeDebits ??= read.lt(0);
      if (this.#hasNegativeDebits !== read.lt(0))
        fail(field, "some debits have a minus and others not, so that their direction is unclear");
    }
    return { amount, balance };
  }

  /** Returns the statement of the row's account, which begins where the account or the currency changes. */
  #openStatement(cells: readonly string[], line: number, emit: Emit): Draft {
    const { map, indexes } = this.plan;
    const named = (field: string) => cellOf(cells, indexes, field);
    const number = normaliseNumber(indexes["account_number"] ? named("account_number") : (map.account ?? ""));
    const currency = (indexes["currency"] ? named("currency") : (map.currency ?? "")).toUpperCase();
    const open = this.#draft;
    const isSame = (given: string, held: string, standIn: string) =>
      given === held || (given === "" && held === standIn);
    if (
      open &&
      isSame(number, open.account.number, unknownAccount.number) &&
      isSame(currency, open.account.currency, unknownAccount.currency)
    )
      return open;
    const account: Account = {
      number: number || unknownAccount.number,
      currency: currency || unknownAccount.currency,
      ...(named("account_bic") && { bic: named("account_bic") }),
      ...(named("account_holder") && { holder: named("account_holder") }),
    };
    const head: StatementHead = { account, number: 0 };
    assertCsvHead(head, line);
    const { currency: headingCurrency = currency } = this.plan;
    if (currency !== "" && currency !== headingCurrency)
      throw fault(
        "invalid",
        "currency",
        line,
        `the row is in ${currency}, but the heading of the amount names ${headingCurrency}`,
      );
    const key = `${account.number} ${account.currency}`;
    this.#endStatement(emit);
    if (currency === "")
      this.#report(emit, "missing", "currency", line, "no currency is named; give it in a column map");
    if (this.#seen.has(key))
      this.#report(emit, "misplaced", "account_number", line, `the rows of ${key} are not together`);
    if (number === "")
      this.#report(
        emit,
        "missing",
        "account_number",
        line,
        "no account is named; give it in a column map",
        "warning",
      );
    this.#seen.add(key);
    emit({ kind: "opening", opening: head, line });
    this.#draft = {
      account,
      first: "9999",
      last: "",
      sum: new Big(0),
      after: 0,
      before: 0,
      proven: 0,
      line,
    };
    return this.#draft;
  }

  #addRow(draft: Draft, entry: Entry, amount: Big, balance: Big | undefined, line: number, emit: Emit): void {
    const { currency } = draft.account;
    const booked = entry.status ? new Big(0) : amount;
    // In descending order, amounts lead from the balance after an entry to the one before.
    const step = this.plan.isDescending ? booked.neg() : booked;
    if (balance) {
      const reached = this.plan.isDescending ? balance : balance.minus(booked);
      if (!draft.end) {
        draft.start = reached.minus(draft.sum);
        draft.before = draft.after;
      } else if (draft.end.eq(reached)) draft.proven += 1;
      else
        this.#report(
          emit,
          "balance",
          "balance",
          line,
          `the balance before and the amounts give ${formatAmount(draft.end.plus(balance).minus(reached), currency)}, but the stated balance is ${formatAmount(balance, currency)}`,
        );
      draft.end = reached;
      draft.after = 0;
    } else if (!entry.status) draft.after += 1;
    if (draft.end) draft.end = draft.end.plus(step);
    draft.sum = draft.sum.plus(step);
    draft.line = line;
    if (entry.bookingDate < draft.first) draft.first = entry.bookingDate;
    if (entry.bookingDate > draft.last) draft.last = entry.bookingDate;
    emit({ kind: "entry", entry, line });
  }

  #endStatement(emit: Emit): void {
    const draft = this.#draft;
    if (!draft) return;
    this.#draft = undefined;
    const { account, first, last, start, end, before, after, proven, line } = draft;
    const { isDescending, isGuessed } = this.plan;
    const isConfirmed = proven > 0 && before === 0 && after === 0;
    if (!isConfirmed && isGuessed)
      this.#report(
        emit,
        "ambiguous",
        "columns",
        line,
        "the columns are a guess that no balance confirms; read with tolerate, check the map in the result, and give it as column map",
      );
    if (!start || !end) return emit({ kind: "closing", closing: {}, line });
    if (isDescending === undefined && proven > 0)
      this.#report(
        emit,
        "ambiguous",
        "balance",
        line,
        "the entries can be in either order, with other balances",
      );
    if (isConfirmed || !isGuessed)
      this.#report(
        emit,
        "missing",
        "balance",
        line,
        `the stated balances do not confirm ${isConfirmed ? "the oldest entry" : "all entries"}`,
        "warning",
      );
    const [opening, closing] = isDescending ? [end, start] : [start, end];
    emit({
      kind: "closing",
      closing: {
        openingBalance: toBalance(opening, first, account.currency),
        closingBalance: toBalance(closing, last, account.currency),
      },
      line,
    });
  }
}

/** Reads a bank's CSV in parts, by the plan that `planCsv` made of the same text. Throws like `readBankCsv`. */
export const readBankCsvParts = (
  source: TextSource,
  plan: CsvPlan,
  options: ReadOptions = {},
): AsyncGenerator<StatementPart, void, void> => readParts(source, new BankCsvReader(plan, options), options);

/**
 * Reads the statements of a bank's CSV, one for each account, by the plan that `planCsv` made of the same text. A statement
 * whose sums no balance confirms has a warning.
 *
 * Throws a FormatError with line and column for malformed rows and for balances that do not add up.
 */
export const readBankCsv = (
  source: TextSource,
  plan: CsvPlan,
  options: ReadOptions = {},
): AsyncGenerator<Statement, void, void> => collectStatements(readBankCsvParts(source, plan, options));
