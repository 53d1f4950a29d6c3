/**
 * The bank's ledger: double entry, append only. All balances, transactions and statements are read from it.
 *
 * Each client account has one ledger account per balance type. House accounts are the bank's side: money in and out,
 * exchanges, and promises. The lines of an entry sum to zero in every currency.
 *
 * Amounts are stored in minor units, and lines as columns of numbers.
 */
import { Big } from "big.js";
import type { BalanceType } from "../common/enumerations";
import { Book, type BookState, type BookedLines } from "./book";
import { Entries, type EntriesState, type EntryDetails } from "./entries";

export type { BookedLine, BookedLines } from "./book";
export type { Counterparty, EntryDetails, EntryKind, Exchange, Movement } from "./entries";

/** Balance types with books. RequiredFundsImmediate is derived from RequiredFunds. */
export type Bucket = Exclude<BalanceType, "RequiredFundsImmediate">;

export type House = "nostro" | "exchange" | "fees" | "interest" | "promises";

export interface LedgerAccount {
  readonly key: string;
  readonly currency: string;
}

export const balanceAccount = (
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

export interface Posting {
  readonly account: LedgerAccount;
  /** Positive amounts favour the client. */
  readonly amount: Big;
}

const zero = new Big(0);

/** Snapshot of the ledger, unaffected by later entries. */
export interface LedgerState {
  readonly entries: EntriesState;
  /** By key of the ledger account. */
  readonly books: readonly (readonly [key: string, book: BookState])[];
  /** Total number of lines. */
  readonly lines: number;
}

export class Ledger {
  readonly #entries: Entries;
  readonly #books: Map<string, Book>;
  #lines: number;

  /** `lineIdSuffix` follows the number in each line ID. */
  constructor(
    private readonly lineIdSuffix: string,
    { entries, books = [], lines = 0 }: Partial<LedgerState> = {},
  ) {
    this.#entries = new Entries(entries);
    this.#books = new Map(
      books.map(([key, book]) => [key, new Book(book.currency, this.#entries, lineIdSuffix, book)]),
    );
    this.#lines = lines;
  }

  get state(): LedgerState {
    return Object.freeze({
      entries: this.#entries.state,
      books: Array.from(this.#books, ([key, book]) => [key, book.state] as const),
      lines: this.#lines,
    });
  }

  /**
   * Books an entry. Throws a RangeError if its lines do not balance, or it is older than the previous entry.
   */
  post(entry: EntryDetails, postings: readonly Posting[]): void {
    const lines = this.#toLines(postings);
    assertBalanced(lines);
    const number = this.#entries.append(entry);
    for (const { book, units } of lines) {
      book.add(this.#lines, number, units);
      this.#lines += 1;
    }
  }

  /** Throws a RangeError if a posting has a fraction of a minor unit, or exceeds its book's limit. */
  assertRepresentable(postings: readonly Posting[]): void {
    this.#toLines(postings);
  }

  lines(account: LedgerAccount): BookedLines {
    return this.#bookOf(account).lines;
  }

  balance(account: LedgerAccount): Big {
    return this.#bookOf(account).balance;
  }

  /** Returns the balance of lines with a value date up to a time. */
  balanceByValue(account: LedgerAccount, until: Date): Big {
    return this.#bookOf(account).balanceByValue(until);
  }

  /** Returns the balance before a time of booking. */
  balanceBefore(account: LedgerAccount, time: Date): Big {
    return this.lines(account).between(new Date(0), time).at(-1)?.balance ?? zero;
  }

  /** Returns the balances of all ledger accounts by key, including house accounts. */
  balances(): ReadonlyMap<string, Big> {
    return new Map([...this.#books].map(([key, { balance }]) => [key, balance]));
  }

  #toLines(postings: readonly Posting[]) {
    return postings.map(({ account, amount }) => {
      const book = this.#bookOf(account);
      return { book, units: book.toMinorUnits(amount) };
    });
  }

  #bookOf({ key, currency }: LedgerAccount): Book {
    const known = this.#books.get(key);
    if (known) return known;
    const book = new Book(currency, this.#entries, this.lineIdSuffix);
    this.#books.set(key, book);
    return book;
  }
}

function assertBalanced(lines: readonly { readonly book: Book; readonly units: bigint }[]): void {
  const sums = new Map<string, bigint>();
  for (const { book, units } of lines) sums.set(book.currency, (sums.get(book.currency) ?? 0n) + units);
  for (const [currency, sum] of sums)
    if (sum !== 0n) throw new RangeError(`The lines in ${currency} sum to ${sum} minor units, not to zero.`);
}
