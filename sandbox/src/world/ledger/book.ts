/** Lines of one ledger account, stored in columns of numbers and read as objects. */
import { minorUnits } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";
import { Column, type ColumnState, findFirstIndex } from "./columns";
import { fitsMinorUnits, formatDecimalAmount } from "../money/currencies";
import type { TransactionType } from "../common/enumerations";
import type { Entries, EntryDetails } from "./entries";

/** Fields for filtering, readable without loading the whole entry. */
interface FilterableLine {
  readonly type: TransactionType;
  /** Milliseconds since 1970. */
  readonly valueTime: number;
  readonly isDebit: boolean;
}

/** A posting in one ledger account. */
export interface BookedLine extends FilterableLine {
  readonly lineId: string;
  readonly entry: EntryDetails;
  readonly amount: Big;
  /** Balance after this line. */
  readonly balance: Big;
}

/** Hex digits of a line ID that contain the line's number. */
const lineNumberDigits = 8;

/** Returns the number part of a line ID, which is unique in the ledger. */
export const lineNumber = (lineId: string): string => lineId.slice(0, lineNumberDigits);

/** Limit of amounts and balances, so that their sum fits into 64 bits. */
const maxBits = 63;

export interface BookState {
  readonly currency: string;
  readonly numbers: ColumnState<Uint32Array>;
  readonly entries: ColumnState<Uint32Array>;
  readonly amounts: ColumnState<BigInt64Array>;
  readonly balances: ColumnState<BigInt64Array>;
}

export class Book {
  readonly #numbers: Column<Uint32Array>;
  readonly #entries: Column<Uint32Array>;
  readonly #amounts: Column<BigInt64Array>;
  readonly #balances: Column<BigInt64Array>;
  readonly #decimals: number;
  /** Cached until the next line is added, because most books rarely change. */
  #state: BookState | undefined;

  /** `lineIdSuffix` follows the number in each line ID. */
  constructor(
    readonly currency: string,
    private readonly entries: Entries,
    private readonly lineIdSuffix: string,
    { numbers, entries: ofLines, amounts, balances }: Partial<BookState> = {},
  ) {
    this.#decimals = minorUnits(currency);
    this.#numbers = new Column(Uint32Array, numbers);
    this.#entries = new Column(Uint32Array, ofLines);
    this.#amounts = new Column(BigInt64Array, amounts);
    this.#balances = new Column(BigInt64Array, balances);
  }

  get state(): BookState {
    this.#state ??= {
      currency: this.currency,
      numbers: this.#numbers.state,
      entries: this.#entries.state,
      amounts: this.#amounts.state,
      balances: this.#balances.state,
    };
    return this.#state;
  }

  /**
   * Returns an amount in minor units. Throws a RangeError for a fraction of one, or if the total exceeds the book's
   * limit.
   */
  toMinorUnits(amount: Big): bigint {
    if (!fitsMinorUnits(amount, this.currency))
      throw new RangeError(`${amount.toFixed()} has too many digits for ${this.currency}.`);
    const units = BigInt(formatDecimalAmount(amount, this.currency).replace(".", ""));
    const isHeld = (held: bigint) => held === BigInt.asIntN(maxBits, held);
    if (!isHeld(units) || !isHeld(this.#total + units))
      throw new RangeError(`${amount.toFixed()} ${this.currency} is more than the books can hold.`);
    return units;
  }

  /** Adds a line. `number` counts all lines of the ledger. */
  add(number: number, entry: number, units: bigint): void {
    this.#balances.push(this.#total + units);
    this.#amounts.push(units);
    this.#entries.push(entry);
    this.#numbers.push(number);
    this.#state = undefined;
  }

  get balance(): Big {
    return this.#toAmount(this.#total);
  }

  /** Returns the balance of lines with a value date up to a time. */
  balanceByValue(until: Date): Big {
    let units = 0n;
    for (let index = 0; index < this.#numbers.length; index += 1)
      if (this.valueTime(index) <= until.getTime()) units += this.#amounts.at(index);
    return this.#toAmount(units);
  }

  /** Lines booked so far, in order of booking. Later lines are not included. */
  get lines(): BookedLines {
    return new BookedLines(this, 0, this.#numbers.length);
  }

  lineId(index: number): string {
    return this.#numbers.at(index).toString(16).padStart(lineNumberDigits, "0") + this.lineIdSuffix;
  }

  entry(index: number): EntryDetails {
    return this.entries.at(this.#entries.at(index));
  }

  type(index: number): TransactionType {
    return this.entries.type(this.#entries.at(index));
  }

  /** Milliseconds since 1970. */
  valueTime(index: number): number {
    return this.entries.valueAt(this.#entries.at(index));
  }

  isDebit(index: number): boolean {
    return this.#amounts.at(index) < 0n;
  }

  /** Milliseconds since 1970. */
  bookedAt(index: number): number {
    return this.entries.bookedAt(this.#entries.at(index));
  }

  amount(index: number): Big {
    return this.#toAmount(this.#amounts.at(index));
  }

  balanceAfter(index: number): Big {
    return this.#toAmount(this.#balances.at(index));
  }

  get #total(): bigint {
    const { length } = this.#balances;
    return length === 0 ? 0n : this.#balances.at(length - 1);
  }

  #toAmount(units: bigint): Big {
    return new Big(`${units}e-${this.#decimals}`);
  }
}

/** A line that reads its fields from the columns on access. */
class LazyLine implements BookedLine {
  constructor(
    private readonly book: Book,
    private readonly position: number,
  ) {}

  get lineId(): string {
    return this.book.lineId(this.position);
  }

  get entry(): EntryDetails {
    return this.book.entry(this.position);
  }

  get type(): TransactionType {
    return this.book.type(this.position);
  }

  get valueTime(): number {
    return this.book.valueTime(this.position);
  }

  get isDebit(): boolean {
    return this.book.isDebit(this.position);
  }

  get amount(): Big {
    return this.book.amount(this.position);
  }

  get balance(): Big {
    return this.book.balanceAfter(this.position);
  }
}

/** A range of lines in a book. */
export class BookedLines implements Iterable<BookedLine> {
  constructor(
    private readonly book: Book,
    private readonly begin: number,
    private readonly end: number,
  ) {}

  get length(): number {
    return this.end - this.begin;
  }

  /** Returns the first `count` lines. */
  first(count: number): BookedLines {
    return new BookedLines(this.book, this.begin, this.begin + count);
  }

  *[Symbol.iterator](): Generator<BookedLine, undefined> {
    for (let position = this.begin; position < this.end; position += 1)
      yield new LazyLine(this.book, position);
  }

  /** Returns a line like `Array.at`: a negative index counts from the end. */
  at(index: number): BookedLine | undefined {
    const position = index < 0 ? this.end + index : this.begin + index;
    return position >= this.begin && position < this.end ? new LazyLine(this.book, position) : undefined;
  }

  slice(from = 0, to = this.length): BookedLine[] {
    const slice = new BookedLines(this.book, this.begin + from, Math.min(this.begin + to, this.end));
    return [...slice];
  }

  filter(matches: (line: BookedLine) => boolean): BookedLine[] {
    const matching: BookedLine[] = [];
    for (let position = this.begin; position < this.end; position += 1) {
      const line = new LazyLine(this.book, position);
      if (matches(line)) matching.push(line);
    }
    return matching;
  }

  /** Returns the lines booked from `begin` (inclusive) to `end` (exclusive). */
  between(begin: Date, end: Date): BookedLines {
    return new BookedLines(this.book, this.#firstBookedAt(begin), this.#firstBookedAt(end));
  }

  /** Returns the index of a line by its ID, or -1. */
  indexOf(lineId: string): number {
    const index = findFirstIndex(this.length, (each) => this.book.lineId(this.begin + each) >= lineId);
    return this.at(index)?.lineId === lineId ? index : -1;
  }

  find(lineId: string): BookedLine | undefined {
    const index = this.indexOf(lineId);
    return index < 0 ? undefined : this.at(index);
  }

  #firstBookedAt(time: Date): number {
    const isLater = (index: number) => this.book.bookedAt(this.begin + index) >= time.getTime();
    return this.begin + findFirstIndex(this.length, isLater);
  }
}
