/** Detects numbers in a response that lose digits as JavaScript numbers. */
import { Big } from "big.js";
import type { Violation } from "../spec/errors";

/** Numbers with fewer digits are always exact. */
const minUnsafeDigits = 16;

const charCodeOf = (char: string) => char.charCodeAt(0);
const [zero, nine, point] = [charCodeOf("0"), charCodeOf("9"), charCodeOf(".")];

const isPartOfNumber = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= zero && byte <= nine) || byte === point);

/** Returns true if the text contains a long number. Checking every sixteenth byte is enough to find one. */
function hasLongNumber(json: Uint8Array): boolean {
  for (let index = minUnsafeDigits - 1; index < json.length; index += minUnsafeDigits) {
    if (!isPartOfNumber(json[index])) continue;
    let [first, last] = [index, index];
    while (isPartOfNumber(json[first - 1])) first -= 1;
    while (isPartOfNumber(json[last + 1])) last += 1;
    if (last - first + 1 >= minUnsafeDigits) return true;
  }
  return false;
}

/** Overflowing numbers have exponents of three digits. So may identifiers, which are not values. */
const largeExponent = /[eE][-+]?\d{3}/;
const largeExponentOfValue = /(?:^|[:[,\s])-?\d[\d.]*[eE][-+]?\d{3}/;

/** A string, a number or a structural character. */
const jsonToken = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

const isExact = (digits: string): boolean => {
  const parsed = Number(digits);
  return Number.isFinite(parsed) && new Big(digits).eq(new Big(String(parsed)));
};

/** Path of the current token while scanning JSON. */
class JsonPath {
  readonly #keys: (string | number)[] = [];
  /** The last string token, which is a key if a colon follows. */
  #string = "";

  read(token: string): void {
    if (token === "{") this.#keys.push("");
    else if (token === "[") this.#keys.push(0);
    else if (token === "}" || token === "]") this.#keys.pop();
    else if (token === ":") this.#keys[this.#keys.length - 1] = JSON.parse(this.#string) as string;
    else if (token === ",") {
      const last = this.#keys.at(-1);
      if (typeof last === "number") this.#keys[this.#keys.length - 1] = last + 1;
    } else this.#string = token;
  }

  toString(): string {
    return this.#keys.join(".");
  }
}

/**
 * Returns the numbers of a parsed JSON text that lose digits. `bytes` is the same text in an ASCII-compatible encoding and
 * allows a faster check.
 */
export function findLostDigits(json: string, bytes?: Uint8Array): Violation[] {
  const hasLargeExponent = largeExponent.test(json) && largeExponentOfValue.test(json);
  if (!hasLargeExponent && bytes && !hasLongNumber(bytes)) return [];
  const path = new JsonPath();
  const violations: Violation[] = [];
  for (const [text] of json.matchAll(jsonToken)) {
    if (!/^[-\d]/.test(text)) path.read(text);
    else if (!isExact(text))
      violations.push({
        field: String(path),
        message: `is ${text}, which JavaScript can only represent as ${Number(text)}`,
      });
  }
  return violations;
}
