/** The lines of one ledger account: numbers in columns, which become objects when they are read. */
import { minorUnits } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";
import { Column, type ColumnState, firstPlace } from "./columns";
import { fits, written } from "../money/currencies";
import type { TransactionType } from "../enumerations";
import type { Entries, EntryDetails } from "./entries";

/** What lines are chosen by: read alone, without the rest of the entry. */
export interface Choosable {
  readonly type: TransactionType;
  /** Milliseconds since 1970. */
  readonly valueTime: number;
  readonly isDebit: boolean;
}

/** A posting as it stands in one ledger account. */
export interface BookedLine extends Choosable {
  readonly lineId: string;
  readonly entry: EntryDetails;
  readonly amount: Big;
  /** After this line. */
  readonly balance: Big;
}

/** How many digits at the beginning of a line's identifier are the line's own number. */
const ownDigits = 8;

/** The line's own number: as much of its identifier as tells it from all others in the books. */
export const lineNumber = (lineId: string): string => lineId.slice(0, ownDigits);

/** What a balance and a line can add to without leaving the 64 bits of a column. */
const mostBits = 63;

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
  /** As it was asked for last, until another line is added: most books stand still. */
  #state: BookState | undefined;

  /** `ending` is how the identifiers of the lines end, after their numbers. */
  constructor(
    readonly currency: string,
    private readonly entries: Entries,
    private readonly ending: string,
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

  /** An amount in whole minor units. Throws when it has a part of one, or there would be more than the book can hold. */
  unitsOf(amount: Big): bigint {
    if (!fits(amount, this.currency))
      throw new RangeError(`${amount.toFixed()} has too many digits for ${this.currency}.`);
    const units = BigInt(written(amount, this.currency).replace(".", ""));
    const isHeld = (held: bigint) => held === BigInt.asIntN(mostBits, held);
    if (!isHeld(units) || !isHeld(this.#total + units))
      throw new RangeError(`${amount.toFixed()} ${this.currency} is more than the books can hold.`);
    return units;
  }

  /** Adds a line; its number counts all lines of the ledger. */
  add(number: number, entry: number, units: bigint): void {
    this.#balances.push(this.#total + units);
    this.#amounts.push(units);
    this.#entries.push(entry);
    this.#numbers.push(number);
    this.#state = undefined;
  }

  get balance(): Big {
    return this.#amountOf(this.#total);
  }

  /** What of the balance has its value on or before a time. */
  balanceByValue(until: Date): Big {
    let units = 0n;
    for (let place = 0; place < this.#numbers.length; place += 1)
      if (this.valueTime(place) <= until.getTime()) units += this.#amounts.at(place);
    return this.#amountOf(units);
  }

  /** The lines so far, in the order of booking. What is booked later does not become one of them. */
  get lines(): Lines {
    return new Lines(this, 0, this.#numbers.length);
  }

  lineId(place: number): string {
    return this.#numbers.at(place).toString(16).padStart(ownDigits, "0") + this.ending;
  }

  entry(place: number): EntryDetails {
    return this.entries.at(this.#entries.at(place));
  }

  type(place: number): TransactionType {
    return this.entries.type(this.#entries.at(place));
  }

  /** Milliseconds since 1970. */
  valueTime(place: number): number {
    return this.entries.valueAt(this.#entries.at(place));
  }

  isDebit(place: number): boolean {
    return this.#amounts.at(place) < 0n;
  }

  /** Milliseconds since 1970. */
  bookedAt(place: number): number {
    return this.entries.bookedAt(this.#entries.at(place));
  }

  amount(place: number): Big {
    return this.#amountOf(this.#amounts.at(place));
  }

  balanceAfter(place: number): Big {
    return this.#amountOf(this.#balances.at(place));
  }

  get #total(): bigint {
    const { length } = this.#balances;
    return length === 0 ? 0n : this.#balances.at(length - 1);
  }

  #amountOf(units: bigint): Big {
    return new Big(`${units}e-${this.#decimals}`);
  }
}

/** Reads from the columns what it is asked for. */
class Line implements BookedLine {
  constructor(
    private readonly book: Book,
    private readonly place: number,
  ) {}

  get lineId(): string {
    return this.book.lineId(this.place);
  }

  get entry(): EntryDetails {
    return this.book.entry(this.place);
  }

  get type(): TransactionType {
    return this.book.type(this.place);
  }

  get valueTime(): number {
    return this.book.valueTime(this.place);
  }

  get isDebit(): boolean {
    return this.book.isDebit(this.place);
  }

  get amount(): Big {
    return this.book.amount(this.place);
  }

  get balance(): Big {
    return this.book.balanceAfter(this.place);
  }
}

/** Lines that follow each other in a book. */
export class Lines implements Iterable<BookedLine> {
  constructor(
    private readonly book: Book,
    private readonly begin: number,
    private readonly end: number,
  ) {}

  get length(): number {
    return this.end - this.begin;
  }

  /** The first so many of them. */
  first(count: number): Lines {
    return new Lines(this.book, this.begin, this.begin + count);
  }

  *[Symbol.iterator](): Generator<BookedLine, undefined> {
    for (let place = this.begin; place < this.end; place += 1) yield new Line(this.book, place);
  }

  /** As of an array: a negative index counts from the end. */
  at(index: number): BookedLine | undefined {
    const place = index < 0 ? this.end + index : this.begin + index;
    return place >= this.begin && place < this.end ? new Line(this.book, place) : undefined;
  }

  slice(from = 0, to = this.length): BookedLine[] {
    const wanted = new Lines(this.book, this.begin + from, Math.min(this.begin + to, this.end));
    return [...wanted];
  }

  filter(isWanted: (line: BookedLine) => boolean): BookedLine[] {
    const wanted: BookedLine[] = [];
    for (let place = this.begin; place < this.end; place += 1) {
      const line = new Line(this.book, place);
      if (isWanted(line)) wanted.push(line);
    }
    return wanted;
  }

  /** Those booked from one time on and before another. */
  between(begin: Date, end: Date): Lines {
    return new Lines(this.book, this.#bookedFrom(begin), this.#bookedFrom(end));
  }

  /** The index of the line with an identifier, or -1. */
  indexOf(lineId: string): number {
    const index = firstPlace(this.length, (each) => this.book.lineId(this.begin + each) >= lineId);
    return this.at(index)?.lineId === lineId ? index : -1;
  }

  find(lineId: string): BookedLine | undefined {
    const index = this.indexOf(lineId);
    return index < 0 ? undefined : this.at(index);
  }

  #bookedFrom(time: Date): number {
    const isLater = (index: number) => this.book.bookedAt(this.begin + index) >= time.getTime();
    return this.begin + firstPlace(this.length, isLater);
  }
}
