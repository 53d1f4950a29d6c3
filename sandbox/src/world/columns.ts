/** Lists of numbers that take no more memory than the numbers. */
type Numbers = Float64Array | BigInt64Array | Uint32Array;
type NumberOf<A extends Numbers> = A[number];

export class Column<A extends Numbers> {
  #numbers: A;
  #length = 0;

  constructor(private readonly kind: new (length: number) => A) {
    this.#numbers = new kind(4);
  }

  get length(): number {
    return this.#length;
  }

  push(number: NumberOf<A>): void {
    if (this.#length === this.#numbers.length) this.#grow();
    this.#numbers[this.#length] = number;
    this.#length += 1;
  }

  /** The number at a place that is there. */
  at(place: number): NumberOf<A> {
    return this.#numbers[place]!;
  }

  #grow(): void {
    const larger = new this.kind(this.#numbers.length * 2);
    (larger as { set(numbers: A): void }).set(this.#numbers);
    this.#numbers = larger;
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
