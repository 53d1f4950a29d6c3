/** Amounts: decimal text and big.js, never floating point. */
import { Big } from "big.js";
import { minorUnits } from "../schema/currency";
import { FormatError, type Position, quoteValue } from "./format-error";
import { type Balance, type CreditDebit, type Entry, type Money, signedAmount } from "./statement";

/** Reads unsigned decimal text. The length is bounded, so that no text makes arithmetic slow. */
export function parseDecimal(text: string, position: Position): Big {
  if (!/^\d{1,24}(\.\d{1,12})?$/.test(text))
    throw new FormatError(
      "invalid",
      position,
      `an amount is digits with a dot before the decimals, not ${quoteValue(text)}`,
    );
  return new Big(text);
}

/** Decimal text with at least the currency's decimals; more only where the amount has more. */
export function formatAmount(amount: Big, currency: string): string {
  const decimals = amount.c.length - 1 - amount.e;
  return amount.toFixed(Math.max(decimals, minorUnits(currency)));
}

export const normaliseAmount = (amount: string, currency: string, position: Position): string =>
  formatAmount(parseDecimal(amount, position), currency);

type Exchange = Pick<Entry, "exchangeRate" | "instructedAmount" | "charges">;

function normaliseMoney(money: Money | undefined, position: Position): Money | undefined {
  if (!money) return undefined;
  const { amount, currency } = money;
  if (!/^[A-Z]{3}$/.test(currency))
    throw new FormatError("invalid", position, "a currency is three capital letters");
  return { currency, amount: normaliseAmount(amount, currency, position) };
}

/** What an entry says of its exchange. Throws for a rate or an amount that is none. */
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

/** The indicator itself. JavaScript may give any word, and a wrong one would be written as one of the two. */
export function requireIndicator(
  { creditDebit }: Pick<Signed, "creditDebit">,
  position: Position,
): CreditDebit {
  if (creditDebit === "Credit" || creditDebit === "Debit") return creditDebit;
  throw new FormatError("invalid", position, `it is Credit or Debit, not ${quoteValue(String(creditDebit))}`);
}

function toSigned(value: Signed, position: Position): Big {
  parseDecimal(value.amount, position);
  requireIndicator(value, position);
  return new Big(signedAmount(value));
}

/** A balance from a signed amount; zero is a credit. */
export const toBalance = (amount: Big, date: string, currency: string): Balance => ({
  creditDebit: amount.lt(0) ? "Debit" : "Credit",
  amount: formatAmount(amount.abs(), currency),
  date,
});

export const normaliseBalance = (balance: Balance, currency: string, position: Position): Balance =>
  toBalance(toSigned(balance, position), balance.date, currency);

/** Adds up the entries after an opening balance and compares the sum with the closing one. */
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

  /** Throws a FormatError `balance` when the given balance is not the one the entries lead to. */
  check(balance: Balance, position: Position): void {
    const stated = toSigned(balance, position);
    if (stated.eq(this.#amount)) return;
    throw new FormatError(
      "balance",
      position,
      `the entries lead to ${formatAmount(this.#amount, this.currency)} ${this.currency}, ` +
        `but the balance says ${formatAmount(stated, this.currency)}`,
    );
  }
}
