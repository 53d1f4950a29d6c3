/**
 * The bank's books: double entry, append only. Every balance, transaction and statement is read from here.
 *
 * Each account of a client has one ledger account for each balance type; the bank's own side (what moves in and out,
 * what is exchanged, what is promised) are house accounts. The lines of an entry sum to zero in every currency.
 */
import { Big } from "big.js";
import { fits } from "./currencies";

export type BalanceType =
  | "InterimAvailable"
  | "RequiredFunds"
  | "RequiredFundsImmediate"
  | "Outgoing"
  | "Incoming"
  | "InitialMargin"
  | "MarginCall"
  | "Processing";

/** The balance types that have books; what is required at once is a part of what is required. */
export type Bucket = Exclude<BalanceType, "RequiredFundsImmediate">;

export type House = "nostro" | "exchange" | "fees" | "promises";

/** What a line is booked to. */
export interface LedgerAccount {
  readonly key: string;
  readonly currency: string;
}

export const bucketOf = (
  account: { accountId: string; currency: string },
  bucket: Bucket,
): LedgerAccount => ({
  key: `${account.accountId}/${bucket}`,
  currency: account.currency,
});

export const houseAccount = (house: House, currency: string): LedgerAccount => ({
  key: `house/${house}/${currency}`,
  currency,
});

export type TransactionType = "credit" | "debit" | "incoming" | "margin" | "payment_returned";

/** Who stands on the other side of a movement of money. */
export interface Counterparty {
  readonly name: string;
  readonly iban?: string;
  readonly accountNumber?: string;
  readonly bankIdentifier?: string;
  readonly bic?: string;
}

export interface EntryDetails {
  readonly bookedAt: Date;
  /** The day and time from which the money counts. */
  readonly valueAt: Date;
  readonly type: TransactionType;
  readonly reference: string;
  readonly information: string;
  readonly additionalInformation?: string;
  readonly counterparty?: Counterparty;
}

export interface Posting {
  readonly account: LedgerAccount;
  /** Positive is for the client, negative against. */
  readonly amount: Big;
}

/** A posting as it stands in one ledger account. */
export interface BookedLine {
  readonly lineId: string;
  readonly entry: EntryDetails;
  readonly amount: Big;
  /** After this line. */
  readonly balance: Big;
}

const zero = new Big(0);

export class Ledger {
  readonly #books = new Map<string, BookedLine[]>();
  #latest = new Date(0);

  constructor(private readonly newId: () => string) {}

  /** Books an entry. Throws when its lines do not balance, or it is older than the one before. */
  post(entry: EntryDetails, postings: readonly Posting[]): void {
    assertBalanced(postings);
    if (entry.bookedAt < this.#latest) throw new RangeError("Entries are booked in the order of time.");
    this.#latest = entry.bookedAt;
    for (const { account, amount } of postings) {
      const lines = this.#books.get(account.key) ?? [];
      this.#books.set(account.key, lines);
      const balance = (lines.at(-1)?.balance ?? zero).plus(amount);
      lines.push({ lineId: this.newId(), entry, amount, balance });
    }
  }

  /** In the order of booking. */
  lines({ key }: LedgerAccount): readonly BookedLine[] {
    return this.#books.get(key) ?? [];
  }

  balance(account: LedgerAccount): Big {
    return this.lines(account).at(-1)?.balance ?? zero;
  }

  /** What of a balance has its value on or before a time. */
  balanceByValue(account: LedgerAccount, until: Date): Big {
    return this.lines(account).reduce(
      (sum, { entry, amount }) => (entry.valueAt <= until ? sum.plus(amount) : sum),
      zero,
    );
  }

  /** The balance after everything booked before a time. */
  balanceBefore(account: LedgerAccount, time: Date): Big {
    return this.lines(account).findLast(({ entry }) => entry.bookedAt < time)?.balance ?? zero;
  }

  /** Every ledger account's key and balance, the bank's own included. */
  balances(): ReadonlyMap<string, Big> {
    return new Map([...this.#books].map(([key, lines]) => [key, lines.at(-1)!.balance]));
  }
}

function assertBalanced(postings: readonly Posting[]): void {
  const sums = new Map<string, Big>();
  for (const { account, amount } of postings) {
    if (!fits(amount, account.currency))
      throw new RangeError(`${amount.toFixed()} has too many digits for ${account.currency}.`);
    sums.set(account.currency, (sums.get(account.currency) ?? zero).plus(amount));
  }
  for (const [currency, sum] of sums)
    if (!sum.eq(zero)) throw new RangeError(`The lines in ${currency} sum to ${sum.toFixed()}, not to zero.`);
}
