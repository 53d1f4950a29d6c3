/** Numbers of a response that a JavaScript number cannot hold. */
import { Big } from "big.js";
import type { Violation } from "../declaration/violation";

/** From so many digits on a number may lose some: fewer are always kept. */
const minUnsafeDigits = 16;

const charCodeOf = (char: string) => char.charCodeAt(0);
const [zero, nine, point] = [charCodeOf("0"), charCodeOf("9"), charCodeOf(".")];

const isPartOfNumber = (byte: number | undefined): boolean =>
  byte !== undefined && ((byte >= zero && byte <= nine) || byte === point);

/** Whether a long number stands anywhere: every sixteenth byte is looked at, for one of them would be in it. */
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

/** A number beyond what there is has an exponent of three digits. So may an identifier: then it is not a value. */
const largeExponent = /[eE][-+]?\d{3}/;
const largeExponentOfValue = /(?:^|[:[,\s])-?\d[\d.]*[eE][-+]?\d{3}/;

/** A string, a number, or a sign that opens, parts or closes. */
const jsonToken = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

const isExact = (digits: string): boolean => {
  const parsed = Number(digits);
  return Number.isFinite(parsed) && new Big(digits).eq(new Big(String(parsed)));
};

/** Where a scan of JSON is: in which field or entry of each object and array around it. */
class JsonPath {
  readonly #keys: (string | number)[] = [];
  /** The last string: a key, when a colon follows. */
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
 * What is wrong with the numbers of a JSON text that has been parsed: the digits that are lost. `bytes` are the text where
 * its digits are those of ASCII.
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
        message: `is ${text}, of which a number keeps ${Number(text)}`,
      });
  }
  return violations;
}
