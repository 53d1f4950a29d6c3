/** Numbers of a response that a JavaScript number cannot hold. */
import { Big } from "big.js";
import type { Violation } from "../declaration/violation";

/** From so many digits on a number may lose some: fewer are always kept. */
const manyDigits = 16;

const code = (char: string) => char.charCodeAt(0);
const [zero, nine, point] = [code("0"), code("9"), code(".")];

const isPartOfNumber = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= zero && byte <= nine) || byte === point);

/** Whether a long number stands anywhere: every sixteenth byte is looked at, for one of them would be in it. */
function hasLongNumber(json: Uint8Array): boolean {
  for (let index = manyDigits - 1; index < json.length; index += manyDigits) {
    if (!isPartOfNumber(json[index])) continue;
    let [first, last] = [index, index];
    while (isPartOfNumber(json[first - 1])) first -= 1;
    while (isPartOfNumber(json[last + 1])) last += 1;
    if (last - first + 1 >= manyDigits) return true;
  }
  return false;
}

/** A number beyond what there is has an exponent of three digits. So may an identifier: then it is not a value. */
const farExponent = /[eE][-+]?\d{3}/;
const farExponentOfValue = /(?:^|[:[,\s])-?\d[\d.]*[eE][-+]?\d{3}/;

/** A string, a number, or a sign that opens, parts or closes. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

const isKept = (digits: string): boolean => {
  const held = Number(digits);
  return Number.isFinite(held) && new Big(digits).eq(new Big(String(held)));
};

/** Where a scan of JSON is: in which field or entry of each object and array around it. */
class Path {
  readonly #keys: (string | number)[] = [];
  /** The last string: a key, when a colon follows. */
  #string = "";

  read(sign: string): void {
    if (sign === "{") this.#keys.push("");
    else if (sign === "[") this.#keys.push(0);
    else if (sign === "}" || sign === "]") this.#keys.pop();
    else if (sign === ":") this.#keys[this.#keys.length - 1] = JSON.parse(this.#string) as string;
    else if (sign === ",") {
      const last = this.#keys.at(-1);
      if (typeof last === "number") this.#keys[this.#keys.length - 1] = last + 1;
    } else this.#string = sign;
  }

  toString(): string {
    return this.#keys.join(".");
  }
}

/**
 * What is wrong with the numbers of a JSON text that has been parsed: the digits that are lost. `bytes` are the text where
 * its digits are those of ASCII.
 */
export function lostDigits(json: string, bytes?: Uint8Array): Violation[] {
  const isFar = farExponent.test(json) && farExponentOfValue.test(json);
  if (!isFar && bytes && !hasLongNumber(bytes)) return [];
  const path = new Path();
  const violations: Violation[] = [];
  for (const [text] of json.matchAll(token)) {
    if (!/^[-\d]/.test(text)) path.read(text);
    else if (!isKept(text))
      violations.push({
        field: String(path),
        message: `is ${text}, of which a number keeps ${Number(text)}`,
      });
  }
  return violations;
}
