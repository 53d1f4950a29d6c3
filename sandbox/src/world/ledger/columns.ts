/** Append-only lists in typed arrays, to save memory: 100,000 ledger entries take about 14 MB. */
type Numbers = Float64Array | BigInt64Array | Uint32Array | Uint8Array;

/** Views of a column, which do not change when the column grows. Old saved states have several. */
export type ColumnState<A extends Numbers> = readonly A[];

const minCapacity = 8;
const growth = 1.25;

export class Column<A extends Numbers> {
  #numbers: A;
  #length = 0;

  constructor(
    private readonly kind: new (length: number) => A,
    state: ColumnState<A> = [],
  ) {
    this.#numbers = new kind(minCapacity);
    for (const view of state) this.append(view);
  }

  get state(): ColumnState<A> {
    return [this.slice(0, this.#length)];
  }

  get length(): number {
    return this.#length;
  }

  append(numbers: ArrayLike<A[number]>): void {
    const length = this.#length + numbers.length;
    if (length > this.#numbers.length) {
      const larger = new this.kind(Math.max(length, Math.ceil(this.#numbers.length * growth)));
      larger.set(this.#numbers as never);
      this.#numbers = larger;
    }
    this.#numbers.set(numbers as never, this.#length);
    this.#length = length;
  }

  /** Returns the number at an existing index. */
  at(index: number): A[number] {
    return this.#numbers[index]!;
  }

  slice(from: number, to: number): A {
    return this.#numbers.subarray(from, to) as A;
  }
}

/** Returns the first index from which a monotonic condition holds, or `length`. */
export function findFirstIndex(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export interface TextColumnState {
  readonly bytes: ColumnState<Uint8Array>;
  /** End of each text in the bytes. */
  readonly ends: ColumnState<Uint32Array>;
}

/** A list of texts stored as UTF-8. */
export class TextColumn {
  readonly #bytes: Column<Uint8Array>;
  readonly #ends: Column<Uint32Array>;

  constructor({ bytes, ends }: Partial<TextColumnState> = {}) {
    this.#bytes = new Column(Uint8Array, bytes);
    this.#ends = new Column(Uint32Array, ends);
  }

  get state(): TextColumnState {
    return { bytes: this.#bytes.state, ends: this.#ends.state };
  }

  push(text: string): void {
    this.#bytes.append(Buffer.from(text));
    this.#ends.append([this.#bytes.length]);
  }

  /** Returns the text at an existing index. */
  at(index: number): string {
    const from = index === 0 ? 0 : this.#ends.at(index - 1);
    return Buffer.from(this.#bytes.slice(from, this.#ends.at(index))).toString();
  }
}

export interface RepeatedColumnState<T> {
  readonly values: readonly T[];
  readonly places: ColumnState<Uint32Array>;
}

/** A list of mostly equal values. Equal values are stored once and must not be changed. */
export class RepeatedColumn<T> {
  readonly #values: T[];
  readonly #indexByKey: Map<string, number>;
  readonly #places: Column<Uint32Array>;

  constructor({ values = [], places }: Partial<RepeatedColumnState<T>> = {}) {
    this.#values = [...values];
    this.#indexByKey = new Map(values.map((value, index) => [JSON.stringify(value), index]));
    this.#places = new Column(Uint32Array, places);
  }

  get state(): RepeatedColumnState<T> {
    return { values: [...this.#values], places: this.#places.state };
  }

  push(value: T): void {
    const key = JSON.stringify(value);
    const index = this.#indexByKey.get(key) ?? this.#values.push(value) - 1;
    this.#indexByKey.set(key, index);
    this.#places.append([index]);
  }

  /** Returns the value at an existing index. */
  at(index: number): T {
    return this.#values[this.#places.at(index)]!;
  }
}
