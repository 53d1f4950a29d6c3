/** Lines of one ledger account, stored in columns of numbers and read as objects. */
import { minorUnits } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";
import { Column, type ColumnState, findFirstIndex } from "./columns";
import { fitsMinorUnits, formatDecimalAmount } from "../money/currencies";
import type { TransactionType } from "../common/enumerations";
import type { Entries, EntryDetails } from "./entries";

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
  readonly numbers: Column<Uint32Array>;
  readonly entryNumbers: Column<Uint32Array>;
  /** In minor units, as are the balances after each line. */
  readonly amounts: Column<BigInt64Array>;
  readonly balances: Column<BigInt64Array>;
  /** Cached until the next line is added, because most books rarely change. */
  #state: BookState | undefined;

  /** `lineIdSuffix` follows the number in each line ID. */
  constructor(
    readonly currency: string,
    readonly entries: Entries,
    readonly lineIdSuffix: string,
    state: Partial<BookState> = {},
  ) {
    this.numbers = new Column(Uint32Array, state.numbers);
    this.entryNumbers = new Column(Uint32Array, state.entries);
    this.amounts = new Column(BigInt64Array, state.amounts);
    this.balances = new Column(BigInt64Array, state.balances);
  }

  get state(): BookState {
    this.#state ??= {
      currency: this.currency,
      numbers: this.numbers.state,
      entries: this.entryNumbers.state,
      amounts: this.amounts.state,
      balances: this.balances.state,
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

  toAmount(units: bigint): Big {
    return new Big(`${units}e-${minorUnits(this.currency)}`);
  }

  /** Adds a line. `number` counts all lines of the ledger. */
  add(number: number, entry: number, units: bigint): void {
    this.balances.append([this.#total + units]);
    this.amounts.append([units]);
    this.entryNumbers.append([entry]);
    this.numbers.append([number]);
    this.#state = undefined;
  }

  get balance(): Big {
    return this.toAmount(this.#total);
  }

  /** Returns the balance of lines with a value date up to a time. */
  balanceByValue(until: Date): Big {
    let units = 0n;
    for (let index = 0; index < this.amounts.length; index += 1)
      if (this.entries.valueAt(this.entryNumbers.at(index)) <= until.getTime())
        units += this.amounts.at(index);
    return this.toAmount(units);
  }

  /** Lines booked so far, in order of booking. Later lines are not included. */
  get lines(): BookedLines {
    return new BookedLines(this, 0, this.numbers.length);
  }

  get #total(): bigint {
    const { length } = this.balances;
    return length === 0 ? 0n : this.balances.at(length - 1);
  }
}

/** A posting in one ledger account. Its fields are read from the columns on access. */
export class BookedLine {
  constructor(
    private readonly book: Book,
    private readonly index: number,
  ) {}

  get lineId(): string {
    const { numbers, lineIdSuffix } = this.book;
    return numbers.at(this.index).toString(16).padStart(lineNumberDigits, "0") + lineIdSuffix;
  }

  get entry(): EntryDetails {
    return this.book.entries.at(this.#entryNumber);
  }

  /** Readable without loading the whole entry, as are the times. */
  get type(): TransactionType {
    return this.book.entries.type(this.#entryNumber);
  }

  /** Milliseconds since 1970. */
  get valueTime(): number {
    return this.book.entries.valueAt(this.#entryNumber);
  }

  /** Milliseconds since 1970. */
  get bookingTime(): number {
    return this.book.entries.bookedAt(this.#entryNumber);
  }

  get isDebit(): boolean {
    return this.book.amounts.at(this.index) < 0n;
  }

  get amount(): Big {
    return this.book.toAmount(this.book.amounts.at(this.index));
  }

  /** Balance after this line. */
  get balance(): Big {
    return this.book.toAmount(this.book.balances.at(this.index));
  }

  get #entryNumber(): number {
    return this.book.entryNumbers.at(this.index);
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
    for (let index = this.begin; index < this.end; index += 1) yield new BookedLine(this.book, index);
  }

  /** Returns a line like `Array.at`: a negative index counts from the end. */
  at(offset: number): BookedLine | undefined {
    const index = offset < 0 ? this.end + offset : this.begin + offset;
    return index >= this.begin && index < this.end ? new BookedLine(this.book, index) : undefined;
  }

  slice(from = 0, to = this.length): BookedLine[] {
    return [...new BookedLines(this.book, this.begin + from, Math.min(this.begin + to, this.end))];
  }

  filter(matches: (line: BookedLine) => boolean): BookedLine[] {
    return [...this].filter(matches);
  }

  /** Returns the lines booked from `begin` (inclusive) to `end` (exclusive). */
  between(begin: Date, end: Date): BookedLines {
    return new BookedLines(this.book, this.#firstBookedAt(begin), this.#firstBookedAt(end));
  }

  /** Returns the index of a line by its ID, or -1. */
  indexOf(lineId: string): number {
    const index = findFirstIndex(this.length, (each) => this.at(each)!.lineId >= lineId);
    return this.at(index)?.lineId === lineId ? index : -1;
  }

  find(lineId: string): BookedLine | undefined {
    const index = this.indexOf(lineId);
    return index < 0 ? undefined : this.at(index);
  }

  #firstBookedAt(time: Date): number {
    return this.begin + findFirstIndex(this.length, (index) => this.at(index)!.bookingTime >= time.getTime());
  }
}
