/** Reads statements from a bank's CSV, by a plan. */
import { Big } from "big.js";
import { minorUnits } from "../../values/values";
import { formatAmount, toBalance } from "../amount";
import { removeWhitespace } from "../charset";
import { FormatError, quoteValue, type ReadOptions } from "../format-error";
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
import {
  bareCrMessage,
  hasBareCr,
  type Line,
  maxFieldLength,
  type TextSource,
  tooLongError,
} from "../text-lines";
import { amountFields, cellOf, parseAmount, parseRowAmount, readCell, writtenDecimals } from "./bank-rows";
import { parseRow, RowJoiner } from "./cells";
import { assertCsvHead, columnPosition, toFields } from "./columns";
import { bookedWords, pendingWords } from "./headings";
import { bankFields, parseDay } from "./map";
import type { CsvPlan } from "./plan";

interface BalanceRow {
  readonly balance: Big;
  readonly amount: Big;
  /** Sum and number of the booked rows before it. */
  readonly before: Big;
  readonly index: number;
}

interface Draft {
  readonly account: Account;
  /** First and last day of the entries. */
  first: string;
  last: string;
  /** The first and last row that state a balance. */
  start?: BalanceRow;
  end?: BalanceRow;
  sum: Big;
  /** Number of booked rows. */
  count: number;
  /** Number of balances that agree with the one before. */
  proven: number;
  line: number;
}

const normaliseNumber = (text: string): string => {
  const iban = removeWhitespace(text);
  return isIban(iban) ? iban : text;
};

class BankCsvReader implements LineReader {
  readonly format = "CSV";
  readonly balanceFields = { opening: "balance", entry: "amount", closing: "balance" };

  readonly #rows = new RowJoiner();
  readonly #seen = new Set<string>();
  #draft: Draft | undefined;
  /** True once a debit column was seen to hold negative amounts, false for positive ones. */
  #hasNegativeDebits: boolean | undefined;

  constructor(
    readonly plan: CsvPlan,
    readonly options: ReadOptions,
  ) {}

  readLine(line: Line, emit: Emit): void {
    if (hasBareCr(line.text))
      throw new FormatError("invalid", columnPosition("row", line.number), bareCrMessage);
    const row = this.#rows.add(line);
    const { text, line: first } = row ?? this.#rows.open!;
    if (text.length > maxFieldLength)
      throw tooLongError(
        "a row (possibly because of an unclosed quote)",
        maxFieldLength,
        columnPosition("row", first),
      );
    if (!row || text.trim() === "" || first <= this.plan.headingLine) return;
    try {
      this.#readRow(text, first, emit);
    } catch (error) {
      emit(reportFault(error, this.options));
    }
  }

  finish(emit: Emit): void {
    const { open } = this.#rows;
    if (open)
      emit(
        reportFault(
          new FormatError("invalid", columnPosition("row", open.line), "a quote is not closed"),
          this.options,
        ),
      );
    this.#endStatement(emit);
  }

  #readRow(text: string, line: number, emit: Emit): void {
    const { map, indexes, width } = this.plan;
    const cells = parseRow(text, map.delimiter);
    if (!cells) throw new FormatError("invalid", columnPosition("row", line), "a quote is misplaced");
    const dayText = cellOf(cells, indexes, "booking_date");
    const bookingDate = parseDay(dayText, map.date);
    const hasAmount = ["amount", "debit", "credit"].some((field) => cellOf(cells, indexes, field) !== "");
    if (!bookingDate && !hasAmount) {
      const message = "the row has no date and no amount, and was passed over";
      emit(
        reportFault(
          new FormatError("misplaced", columnPosition("row", line), message),
          this.options,
          "warning",
        ),
      );
      return;
    }
    if (cells.length > width ? cells.slice(width).some((cell) => cell.trim() !== "") : cells.length < width)
      throw new FormatError(
        "invalid",
        columnPosition("row", line),
        `the row has ${cells.length} cells, but the headings are ${width}`,
      );
    if (!bookingDate) throw this.#dateError("booking_date", dayText, line);
    const entry = this.#parseEntry(cells, bookingDate, line);
    const draft = this.#openStatement(cells, line, emit);
    const { amount, balance } = this.#parseAmounts(cells, draft.account.currency, line);
    const held = Object.assign(entry, toBalance(amount, bookingDate, draft.account.currency));
    const { date: _, ...complete } = held;
    this.#addRow(draft, complete, amount, balance, line, emit);
  }

  #dateError(field: string, text: string, line: number): FormatError {
    return new FormatError(
      "invalid",
      columnPosition(field, line),
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
      throw new FormatError(
        "invalid",
        columnPosition("status", line),
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
      throw new FormatError("invalid", columnPosition(field, line), message);
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
      throw new FormatError(
        "invalid",
        columnPosition("currency", line),
        `the row is in ${currency}, but the heading of the amount names ${headingCurrency}`,
      );
    const faults: StatementPart[] = [];
    if (currency === "")
      faults.push(
        reportFault(
          new FormatError(
            "missing",
            columnPosition("currency", line),
            "no currency is named; give it in a column map",
          ),
          this.options,
        ),
      );
    const key = `${account.number} ${account.currency}`;
    if (this.#seen.has(key))
      faults.push(
        reportFault(
          new FormatError(
            "misplaced",
            columnPosition("account_number", line),
            `the rows of ${key} are not together`,
          ),
          this.options,
        ),
      );
    if (number === "")
      faults.push(
        reportFault(
          new FormatError(
            "missing",
            columnPosition("account_number", line),
            "no account is named; give it in a column map",
          ),
          this.options,
          "warning",
        ),
      );
    this.#endStatement(emit);
    faults.forEach(emit);
    this.#seen.add(key);
    emit({ kind: "opening", opening: head, line });
    this.#draft = { account, first: "9999", last: "", sum: new Big(0), count: 0, proven: 0, line };
    return this.#draft;
  }

  #addRow(draft: Draft, entry: Entry, amount: Big, balance: Big | undefined, line: number, emit: Emit): void {
    const { account, end } = draft;
    const booked = entry.status ? new Big(0) : amount;
    if (balance) {
      const row = { balance, amount: booked, before: draft.sum, index: draft.count };
      if (end) {
        const expected = this.plan.isDescending
          ? end.balance.minus(draft.sum.minus(end.before))
          : end.balance.plus(draft.sum.plus(booked).minus(end.before).minus(end.amount));
        if (expected.eq(balance)) draft.proven += 1;
        else
          emit(
            reportFault(
              new FormatError(
                "balance",
                columnPosition("balance", line),
                `the balance before and the amounts give ${formatAmount(expected, account.currency)}, but the stated balance is ${formatAmount(balance, account.currency)}`,
              ),
              this.options,
            ),
          );
      }
      draft.start ??= row;
      draft.end = row;
    }
    draft.sum = draft.sum.plus(booked);
    if (!entry.status) draft.count += 1;
    draft.line = line;
    if (entry.bookingDate < draft.first) draft.first = entry.bookingDate;
    if (entry.bookingDate > draft.last) draft.last = entry.bookingDate;
    emit({ kind: "entry", entry, line });
  }

  #endStatement(emit: Emit): void {
    const draft = this.#draft;
    if (!draft) return;
    this.#draft = undefined;
    const { account, first, last, start, end, sum, count, proven, line } = draft;
    const isConfirmed = start && end && proven > 0 && start.index === 0 && end.index >= count - 1;
    if (!isConfirmed && this.plan.isGuessed)
      emit(
        reportFault(
          new FormatError(
            "ambiguous",
            columnPosition("columns", line),
            "the columns are a guess that no balance confirms; read with tolerate, check the map in the result, and give it as column map",
          ),
          this.options,
        ),
      );
    if (!start || !end) {
      emit({ kind: "closing", closing: {}, line });
      return;
    }
    if (!isConfirmed && !this.plan.isGuessed)
      emit(
        reportFault(
          new FormatError(
            "missing",
            columnPosition("balance", line),
            "the stated balances do not confirm all entries",
          ),
          this.options,
          "warning",
        ),
      );
    const { isDescending } = this.plan;
    const [opening, closing] = isDescending
      ? [end.balance.minus(sum.minus(end.before)), start.balance.plus(start.before)]
      : [
          start.balance.minus(start.before).minus(start.amount),
          end.balance.plus(sum.minus(end.before).minus(end.amount)),
        ];
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
