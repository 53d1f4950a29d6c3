/**
 * The bank's books: double entry, append only. Every balance, transaction and statement is read from here.
 *
 * Each account of a client has one ledger account for each balance type; the bank's own side (what moves in and out,
 * what is exchanged, what is promised) are house accounts. The lines of an entry sum to zero in every currency.
 *
 * Amounts are kept in whole minor units, and lines as numbers in columns: they become objects when they are read.
 */
import { Big } from "big.js";
import type { BalanceType } from "../enumerations";
import { Book, type BookState, type BookedLines } from "./book";
import { Entries, type EntriesState, type EntryDetails } from "./entries";

export type { BookedLine, BookedLines } from "./book";
export type { Counterparty, EntryDetails, EntryKind, Exchange, Movement } from "./entries";

/** The balance types that have books; what is required at once is a part of what is required. */
export type Bucket = Exclude<BalanceType, "RequiredFundsImmediate">;

export type House = "nostro" | "exchange" | "fees" | "interest" | "promises";

/** What a line is booked to. */
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
  /** Positive is for the client, negative against. */
  readonly amount: Big;
}

const zero = new Big(0);

/** The books as they stand: what is booked later does not change it. */
export interface LedgerState {
  readonly entries: EntriesState;
  /** By the key of their ledger account. */
  readonly books: readonly (readonly [key: string, book: BookState])[];
  /** How many lines there are. */
  readonly lines: number;
}

export class Ledger {
  readonly #entries: Entries;
  readonly #books: Map<string, Book>;
  #lines: number;

  /** `ending` is how the identifiers of the lines end, after their numbers. */
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

  /** Books an entry. Throws when its lines do not balance, or it is older than the one before. */
  post(entry: EntryDetails, postings: readonly Posting[]): void {
    const lines = this.#toLines(postings);
    assertBalanced(lines);
    const number = this.#entries.append(entry);
    for (const { book, units } of lines) {
      book.add(this.#lines, number, units);
      this.#lines += 1;
    }
  }

  /** Throws a RangeError when one of the postings has a part of a minor unit, or is more than its book can hold. */
  assertRepresentable(postings: readonly Posting[]): void {
    this.#toLines(postings);
  }

  lines(account: LedgerAccount): BookedLines {
    return this.#bookOf(account).lines;
  }

  balance(account: LedgerAccount): Big {
    return this.#bookOf(account).balance;
  }

  /** What of a balance has its value on or before a time. */
  balanceByValue(account: LedgerAccount, until: Date): Big {
    return this.#bookOf(account).balanceByValue(until);
  }

  /** The balance after everything booked before a time. */
  balanceBefore(account: LedgerAccount, time: Date): Big {
    return this.lines(account).between(new Date(0), time).at(-1)?.balance ?? zero;
  }

  /** Every ledger account's key and balance, the bank's own included. */
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
