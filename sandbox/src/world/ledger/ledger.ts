/**
 * The bank's ledger: double entry, append only. All balances, transactions and statements are read from it.
 *
 * Each client account has one ledger account per balance type. House accounts are the bank's side: money in and out,
 * exchanges, and promises. The lines of an entry sum to zero in every currency.
 */
import { Big } from "big.js";
import type { BalanceType, TransactionType } from "../common/enumerations";
import { fitsMinorUnits } from "../money/currencies";

/** Balance types with lines. RequiredFundsImmediate is derived from RequiredFunds. */
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

/** The other party of a movement. */
export interface Counterparty {
  readonly name: string;
  readonly iban?: string;
  readonly accountNumber?: string;
  readonly bankIdentifier?: string;
  readonly bic?: string;
}

/** Reason of a movement; determines the transaction code on statements. */
export type EntryKind = "transfer" | "return" | "exchange" | "fee" | "interest" | "margin";

/** The two amounts of a trade. */
export interface Exchange {
  readonly contract: string;
  /** Base and quote currency, for example EURUSD. */
  readonly symbol: string;
  /** Decimal text. */
  readonly rate: string;
  readonly quotedOn: string;
  readonly sold: { readonly currency: string; readonly amount: string };
  readonly bought: { readonly currency: string; readonly amount: string };
}

export interface EntryDetails {
  readonly bookedAt: Date;
  /** Value date and time. */
  readonly valueAt: Date;
  readonly type: TransactionType;
  readonly kind: EntryKind;
  readonly exchange?: Exchange | undefined;
  readonly reference: string;
  /** True if the reference is the payer's end-to-end reference. */
  readonly endToEnd?: boolean | undefined;
  readonly information: string;
  readonly additionalInformation?: string | undefined;
  readonly counterparty?: Counterparty | undefined;
}

/** Details of a movement, booked now. `valueAt` defaults to now. */
export type Movement = Omit<EntryDetails, "bookedAt" | "valueAt" | "kind"> & { readonly valueAt?: Date };

interface Posting {
  readonly account: LedgerAccount;
  /** Positive amounts favour the client. */
  readonly amount: Big;
}

/** A posting in the books, as stored. Texts take less memory than decimals, which matters for very many lines. */
interface StoredLine {
  /** Position in the ledger. */
  readonly number: number;
  readonly entry: EntryDetails;
  readonly amount: string;
  readonly balance: string;
}

/** A posting in the books. */
export class BookedLine {
  constructor(
    private readonly stored: StoredLine,
    private readonly idSuffix: string,
  ) {}

  get lineId(): string {
    return this.stored.number.toString(16).padStart(lineNumberDigits, "0") + this.idSuffix;
  }

  get entry(): EntryDetails {
    return this.stored.entry;
  }

  get amount(): Big {
    return new Big(this.stored.amount);
  }

  /** Balance of the ledger account after this line. */
  get balance(): Big {
    return new Big(this.stored.balance);
  }
}

/** Hex digits of a line ID that contain the line's number. */
const lineNumberDigits = 8;

/** Returns the number part of a line ID, which is unique in the ledger. */
export const lineNumber = (lineId: string): string => lineId.slice(0, lineNumberDigits);

/** The first `length` lines of a ledger account. Lines are only appended, so snapshots share the list. */
interface BookState {
  readonly key: string;
  readonly lines: readonly StoredLine[];
  readonly length: number;
}

/** Snapshot of the ledger, unaffected by later entries. */
export interface LedgerState {
  readonly books: readonly BookState[];
  /** Total number of lines. */
  readonly lines: number;
}

const zero = new Big(0);

export class Ledger {
  /** Lines by key of the ledger account, in order of booking. */
  readonly #books: Map<string, StoredLine[]>;
  #lineCount: number;

  /** `lineIdSuffix` follows the number in each line ID. */
  constructor(
    private readonly lineIdSuffix: string,
    { books, lines }: LedgerState = { books: [], lines: 0 },
  ) {
    this.#books = new Map(books.map((book) => [book.key, book.lines.slice(0, book.length)]));
    this.#lineCount = lines;
  }

  get state(): LedgerState {
    const books = Array.from(this.#books, ([key, lines]) => ({ key, lines, length: lines.length }));
    return Object.freeze({ books, lines: this.#lineCount });
  }

  /** Books an entry. Throws a RangeError if its postings do not balance, or have a fraction of a minor unit. */
  post(entry: EntryDetails, postings: readonly Posting[]): void {
    assertBalanced(postings);
    const details = Object.freeze({ ...entry });
    for (const { account, amount } of postings) {
      const balance = this.balance(account).plus(amount);
      const line = {
        number: this.#lineCount,
        entry: details,
        amount: amount.toFixed(),
        balance: balance.toFixed(),
      };
      const lines = this.#books.get(account.key) ?? [];
      lines.push(Object.freeze(line));
      this.#books.set(account.key, lines);
      this.#lineCount += 1;
    }
  }

  /** Returns the lines booked so far, in order of booking. */
  lines({ key }: LedgerAccount): readonly BookedLine[] {
    return (this.#books.get(key) ?? []).map((line) => new BookedLine(line, this.lineIdSuffix));
  }

  balance(account: LedgerAccount): Big {
    return new Big(this.#books.get(account.key)?.at(-1)?.balance ?? 0);
  }

  /** Returns the balance of lines with a value date up to a time. */
  balanceByValue(account: LedgerAccount, until: Date): Big {
    return this.lines(account)
      .filter(({ entry }) => entry.valueAt <= until)
      .reduce((sum, { amount }) => sum.plus(amount), zero);
  }

  /** Returns the balance before a time of booking. */
  balanceBefore(account: LedgerAccount, time: Date): Big {
    return this.lines(account).findLast(({ entry }) => entry.bookedAt < time)?.balance ?? zero;
  }
}

function assertBalanced(postings: readonly Posting[]): void {
  const sums = new Map<string, Big>();
  for (const { account, amount } of postings) {
    const { currency } = account;
    if (!fitsMinorUnits(amount, currency))
      throw new RangeError(`${amount.toFixed()} has too many digits for ${currency}.`);
    sums.set(currency, (sums.get(currency) ?? zero).plus(amount));
  }
  for (const [currency, sum] of sums)
    if (!sum.eq(0)) throw new RangeError(`The lines in ${currency} sum to ${sum.toFixed()}, not to zero.`);
}
