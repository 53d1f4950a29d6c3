/** Append-only lists in typed arrays and buffers, to save memory. */
type Numbers = Float64Array | BigInt64Array | Uint32Array;
type NumberOf<A extends Numbers> = A[number];

const pieceLength = 256;
const minPieceLength = 8;

/** Pieces of numbers, all full except the last. They do not change when the column grows. */
export type ColumnState<A extends Numbers> = readonly A[];

/** Grows by pieces, so that existing numbers are not copied. The first piece starts small. */
export class Column<A extends Numbers> {
  readonly #pieces: A[];
  #length = 0;

  constructor(
    private readonly kind: new (length: number) => A,
    state: ColumnState<A> = [],
  ) {
    this.#pieces = [...state];
    const last = this.#pieces.pop();
    if (last === undefined) return;
    this.#length = this.#pieces.length * pieceLength + last.length;
    this.#pieces.push(this.#createPiece(last.length, last));
  }

  get state(): ColumnState<A> {
    const full = Math.floor(this.#length / pieceLength);
    const used = this.#length % pieceLength;
    const pieces = this.#pieces.slice(0, full);
    return used === 0 ? pieces : [...pieces, this.#pieces[full]!.subarray(0, used) as A];
  }

  get length(): number {
    return this.#length;
  }

  push(number: NumberOf<A>): void {
    const offset = this.#length % pieceLength;
    const last = this.#pieces.at(-1);
    if (offset === 0) this.#pieces.push(this.#createPiece(this.#length === 0 ? 1 : pieceLength));
    else if (last!.length === offset) this.#pieces.splice(-1, 1, this.#createPiece(offset + 1, last));
    this.#pieces.at(-1)![offset] = number;
    this.#length += 1;
  }

  /** Returns the number at an existing index. */
  at(index: number): NumberOf<A> {
    return this.#pieces[Math.floor(index / pieceLength)]![index % pieceLength]!;
  }

  /** Creates a piece for at least `minLength` numbers, starting with `initial`. */
  #createPiece(minLength: number, initial?: A): A {
    let length = minPieceLength;
    while (length < minLength) length *= 2;
    const piece = new this.kind(length);
    if (initial) piece.set(initial as never);
    return piece;
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

const pieceBytes = 64 * 1024;

export interface TextColumnState {
  readonly pieces: readonly Buffer[];
  // For each text: its piece, and its start and end in the piece.
  readonly places: ColumnState<Uint32Array>;
  readonly begins: ColumnState<Uint32Array>;
  readonly ends: ColumnState<Uint32Array>;
}

/** A list of texts stored as UTF-8. */
export class TextColumn {
  readonly #pieces: Buffer[];
  #used: number;
  readonly #places: Column<Uint32Array>;
  readonly #begins: Column<Uint32Array>;
  readonly #ends: Column<Uint32Array>;

  constructor(state: Partial<TextColumnState> = {}) {
    this.#pieces = [...(state.pieces ?? [])];
    const last = this.#pieces.pop();
    this.#used = last?.length ?? 0;
    if (last) last.copy(this.#addPiece(last.length));
    this.#places = new Column(Uint32Array, state.places);
    this.#begins = new Column(Uint32Array, state.begins);
    this.#ends = new Column(Uint32Array, state.ends);
  }

  get state(): TextColumnState {
    const last = this.#pieces.at(-1);
    return {
      pieces: last ? [...this.#pieces.slice(0, -1), last.subarray(0, this.#used)] : [],
      places: this.#places.state,
      begins: this.#begins.state,
      ends: this.#ends.state,
    };
  }

  push(text: string): void {
    const length = Buffer.byteLength(text);
    let piece = this.#pieces.at(-1);
    if (!piece || this.#used + length > piece.length) {
      piece = this.#addPiece(length);
      this.#used = 0;
    }
    this.#places.push(this.#pieces.length - 1);
    this.#begins.push(this.#used);
    this.#used += piece.write(text, this.#used);
    this.#ends.push(this.#used);
  }

  /** Returns the text at an existing index. */
  at(index: number): string {
    return this.#pieces[this.#places.at(index)]!.toString(
      "utf8",
      this.#begins.at(index),
      this.#ends.at(index),
    );
  }

  /** Adds a piece of at least `length` bytes. */
  #addPiece(length: number): Buffer {
    const piece = Buffer.alloc(Math.max(length, pieceBytes));
    this.#pieces.push(piece);
    return piece;
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
    this.#places.push(index);
  }

  /** Returns the value at an existing index. */
  at(index: number): T {
    return this.#values[this.#places.at(index)]!;
  }
}
