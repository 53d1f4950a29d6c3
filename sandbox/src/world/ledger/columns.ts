/** Lists of numbers that take no more memory than the numbers. */
type Numbers = Float64Array | BigInt64Array | Uint32Array;
type NumberOf<A extends Numbers> = A[number];

const pieceLength = 256;

/** Grows by pieces, so that nothing is copied. */
export class Column<A extends Numbers> {
  readonly #pieces: A[] = [];
  #length = 0;

  constructor(private readonly kind: new (length: number) => A) {}

  get length(): number {
    return this.#length;
  }

  push(number: NumberOf<A>): void {
    const place = this.#length % pieceLength;
    if (place === 0) this.#pieces.push(new this.kind(pieceLength));
    this.#pieces.at(-1)![place] = number;
    this.#length += 1;
  }

  /** The number at a place that is there. */
  at(place: number): NumberOf<A> {
    return this.#pieces[Math.floor(place / pieceLength)]![place % pieceLength]!;
  }
}

/** The first of so many places from which on something holds, when it holds from some place to the end. */
export function firstPlace(length: number, holds: (place: number) => boolean): number {
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

/** Texts that take no more memory than their bytes. */
export class TextColumn {
  #piece = Buffer.alloc(0);
  #used = 0;
  readonly #pieces: Buffer[] = [];
  // For each text: the piece it is in, where it begins there and where it ends.
  readonly #places = new Column(Uint32Array);
  readonly #begins = new Column(Uint32Array);
  readonly #ends = new Column(Uint32Array);

  push(text: string): void {
    const length = Buffer.byteLength(text);
    if (this.#used + length > this.#piece.length) this.#begin(Math.max(length, pieceBytes));
    this.#places.push(this.#pieces.length - 1);
    this.#begins.push(this.#used);
    this.#used += this.#piece.write(text, this.#used);
    this.#ends.push(this.#used);
  }

  /** The text at a place that is there. */
  at(place: number): string {
    return this.#pieces[this.#places.at(place)]!.toString(
      "utf8",
      this.#begins.at(place),
      this.#ends.at(place),
    );
  }

  #begin(length: number): void {
    this.#piece = Buffer.alloc(length);
    this.#pieces.push(this.#piece);
    this.#used = 0;
  }
}

/** Values of which many are equal: each is kept once. */
export class RepeatedColumn<T> {
  readonly #values: T[] = [];
  readonly #placeOf = new Map<string, number>();
  readonly #places = new Column(Uint32Array);

  push(value: T): void {
    const key = JSON.stringify(value);
    const place = this.#placeOf.get(key) ?? this.#values.push(value) - 1;
    this.#placeOf.set(key, place);
    this.#places.push(place);
  }

  /** The value at a place that is there. */
  at(place: number): T {
    return this.#values[this.#places.at(place)]!;
  }
}
