/** Amounts: decimal text and big.js, never floating point. */
import { Big } from "big.js";
import { minorUnits } from "../schema/currency";
import { FormatError, type Place, quoted } from "./error";
import { type Balance, type CreditDebit, type Entry, type Money, signedAmount } from "./statement";

/** Reads unsigned decimal text. The length is bounded, so that no text makes arithmetic slow. */
export function decimal(text: string, place: Place): Big {
  if (!/^\d{1,24}(\.\d{1,12})?$/.test(text))
    throw new FormatError(
      "invalid",
      place,
      `an amount is digits with a dot before the decimals, not ${quoted(text)}`,
    );
  return new Big(text);
}

/** Decimal text with at least the currency's decimals; more only where the amount has more. */
export function amountText(amount: Big, currency: string): string {
  const decimals = amount.c.length - 1 - amount.e;
  return amount.toFixed(Math.max(decimals, minorUnits(currency)));
}

export const normalAmount = (amount: string, currency: string, place: Place): string =>
  amountText(decimal(amount, place), currency);

type Exchange = Pick<Entry, "exchangeRate" | "instructedAmount" | "charges">;

function normalMoney(money: Money | undefined, place: Place): Money | undefined {
  if (!money) return undefined;
  const { amount, currency } = money;
  if (!/^[A-Z]{3}$/.test(currency))
    throw new FormatError("invalid", place, "a currency is three capital letters");
  return { currency, amount: normalAmount(amount, currency, place) };
}

/** What an entry says of its exchange. Throws for a rate or an amount that is none. */
export function normalExchange(
  { exchangeRate, instructedAmount, charges }: Exchange,
  places: Readonly<Record<keyof Exchange, Place>>,
): { [F in keyof Exchange]: Exchange[F] | undefined } {
  if (exchangeRate) decimal(exchangeRate, places.exchangeRate);
  return {
    exchangeRate,
    instructedAmount: normalMoney(instructedAmount, places.instructedAmount),
    charges: normalMoney(charges, places.charges),
  };
}

type Signed = Pick<Entry | Balance, "amount" | "creditDebit">;

/** The indicator itself. JavaScript may give any word, and a wrong one would be written as one of the two. */
export function checkedIndicator({ creditDebit }: Pick<Signed, "creditDebit">, place: Place): CreditDebit {
  if (creditDebit === "Credit" || creditDebit === "Debit") return creditDebit;
  throw new FormatError("invalid", place, `it is Credit or Debit, not ${quoted(String(creditDebit))}`);
}

function signed(value: Signed, place: Place): Big {
  decimal(value.amount, place);
  checkedIndicator(value, place);
  return new Big(signedAmount(value));
}

/** A balance from a signed amount; zero is a credit. */
export const balanceFrom = (amount: Big, date: string, currency: string): Balance => ({
  creditDebit: amount.lt(0) ? "Debit" : "Credit",
  amount: amountText(amount.abs(), currency),
  date,
});

export const normalBalance = (balance: Balance, currency: string, place: Place): Balance =>
  balanceFrom(signed(balance, place), balance.date, currency);

/** Adds up the entries after an opening balance and compares the sum with the closing one. */
export class RunningBalance {
  #amount: Big;

  constructor(
    opening: Balance,
    readonly currency: string,
    place: Place,
  ) {
    this.#amount = signed(opening, place);
  }

  add(entry: Signed, place: Place): void {
    this.#amount = this.#amount.plus(signed(entry, place));
  }

  on(date: string): Balance {
    return balanceFrom(this.#amount, date, this.currency);
  }

  /** Throws a FormatError `balance` when the given balance is not the one the entries lead to. */
  check(balance: Balance, place: Place): void {
    const stated = signed(balance, place);
    if (stated.eq(this.#amount)) return;
    throw new FormatError(
      "balance",
      place,
      `the entries lead to ${amountText(this.#amount, this.currency)} ${this.currency}, ` +
        `but the balance says ${amountText(stated, this.currency)}`,
    );
  }
}
