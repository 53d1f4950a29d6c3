/** Amounts as decimal text and big.js, never floating point. */
import { Big } from "big.js";
import { minorUnits } from "../values/values";
import { FormatError, type Position, quoteValue } from "./format-error";
import type { Balance, CreditDebit, Entry, Money } from "./statement";

/** Parses unsigned decimal text. The length is limited to keep arithmetic fast. */
export function parseDecimal(text: string, position: Position): Big {
  if (!/^\d{1,24}(\.\d{1,12})?$/.test(text))
    throw new FormatError(
      "invalid",
      position,
      `expected an unsigned decimal number with a point, for example 12.50, found ${quoteValue(text)}`,
    );
  return new Big(text);
}

/** Formats an amount with at least the decimals of its currency. */
export function formatAmount(amount: Big, currency: string): string {
  const decimals = amount.c.length - 1 - amount.e;
  return amount.toFixed(Math.max(decimals, minorUnits(currency)));
}

const plainAmount = /^(?:0|[1-9]\d{0,23})(?:\.(\d{1,4}))?$/;

/** Formats decimal text. Most amounts have the decimals of their currency and stay as they are. */
export function formatAmountText(text: string, currency: string): string {
  const plain = plainAmount.exec(text);
  return plain && (plain[1] ?? "").length === minorUnits(currency)
    ? text
    : formatAmount(new Big(text), currency);
}

export const normaliseAmount = (amount: string, currency: string, position: Position): string =>
  formatAmount(parseDecimal(amount, position), currency);

type Exchange = Pick<Entry, "exchangeRate" | "instructedAmount" | "charges">;

function normaliseMoney(money: Money | undefined, position: Position): Money | undefined {
  if (!money) return undefined;
  const { amount, currency } = money;
  if (!/^[A-Z]{3}$/.test(currency))
    throw new FormatError("invalid", position, "a currency must be three capital letters");
  return { currency, amount: normaliseAmount(amount, currency, position) };
}

/** Normalises exchange rate, instructed amount and charges. Throws a FormatError for invalid ones. */
export function normaliseExchange(
  { exchangeRate, instructedAmount, charges }: Exchange,
  positions: Readonly<Record<keyof Exchange, Position>>,
): { [F in keyof Exchange]: Exchange[F] | undefined } {
  if (exchangeRate) parseDecimal(exchangeRate, positions.exchangeRate);
  return {
    exchangeRate,
    instructedAmount: normaliseMoney(instructedAmount, positions.instructedAmount),
    charges: normaliseMoney(charges, positions.charges),
  };
}

type Signed = Pick<Entry | Balance, "amount" | "creditDebit">;

/** Checks the indicator at runtime, because callers in JavaScript may pass any word. */
export function requireIndicator(
  { creditDebit }: Pick<Signed, "creditDebit">,
  position: Position,
): CreditDebit {
  if (creditDebit === "Credit" || creditDebit === "Debit") return creditDebit;
  throw new FormatError(
    "invalid",
    position,
    `must be Credit or Debit, not ${quoteValue(String(creditDebit))}`,
  );
}

function toSigned(value: Signed, position: Position): Big {
  const amount = parseDecimal(value.amount, position);
  return requireIndicator(value, position) === "Debit" ? amount.neg() : amount;
}

/** Converts a signed amount to a balance; zero is a credit. */
export const toBalance = (amount: Big, date: string, currency: string): Balance => ({
  creditDebit: amount.lt(0) ? "Debit" : "Credit",
  amount: formatAmount(amount.abs(), currency),
  date,
});

/** Normalises a balance. Throws a FormatError for a missing one, which the format requires. */
export function normaliseBalance(
  balance: Balance | undefined,
  currency: string,
  position: Position,
): Balance {
  if (!balance) throw new FormatError("missing", position, "the format requires this booked balance");
  return toBalance(toSigned(balance, position), balance.date, currency);
}

/** Adds entries to an opening balance and checks later balances against the sum. */
export class RunningBalance {
  #amount: Big;

  constructor(
    opening: Balance,
    readonly currency: string,
    position: Position,
  ) {
    this.#amount = toSigned(opening, position);
  }

  add(entry: Signed, position: Position): void {
    this.#amount = this.#amount.plus(toSigned(entry, position));
  }

  balanceOn(date: string): Balance {
    return toBalance(this.#amount, date, this.currency);
  }

  /** Throws a FormatError `balance` if the given balance differs from the calculated one. */
  check(balance: Balance, position: Position): void {
    const stated = toSigned(balance, position);
    if (stated.eq(this.#amount)) return;
    throw new FormatError(
      "balance",
      position,
      `opening balance and entries give ${formatAmount(this.#amount, this.currency)} ${this.currency}, ` +
        `but the stated balance is ${formatAmount(stated, this.currency)}`,
    );
  }
}
