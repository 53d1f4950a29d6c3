/** Numbers of a response that a JavaScript number cannot hold. */
import { Big } from "big.js";
import type { Problem } from "../operations/check";

/** From so many digits on a number may lose some. */
const manyDigits = 16;

const code = (char: string) => char.charCodeAt(0);
const [zero, nine, point, minus, e] = [code("0"), code("9"), code("."), code("-"), code("e")];
/** What stands in front of a value: in an identifier, digits in front of an e stand behind something else. */
const valueStarts = new Set(["[", ",", ":", " ", "\t", "\r", "\n"].map(code));

/**
 * Whether there may be such a number: it is long, or has an exponent. One look at each byte costs far less than one at each
 * number; what is found in a string is sorted out afterwards.
 */
function isSuspicious(json: Uint8Array): boolean {
  let digits = 0;
  for (let index = 0; index < json.length; index += 1) {
    const char = json[index]!;
    if ((char >= zero && char <= nine) || char === point) {
      digits += 1;
      if (digits >= manyDigits) return true;
    } else if (digits > 0) {
      if ((char | 32) === e && beginsValue(json, index - digits)) return true;
      digits = 0;
    }
  }
  return false;
}

const beginsValue = (json: Uint8Array, digit: number): boolean =>
  valueStarts.has(json[digit - 1] === minus ? json[digit - 2]! : json[digit - 1]!);

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
export function lostDigits(json: string, bytes?: Uint8Array): Problem[] {
  if (bytes && !isSuspicious(bytes)) return [];
  const path = new Path();
  const problems: Problem[] = [];
  for (const [text] of json.matchAll(token)) {
    if (!/^[-\d]/.test(text)) path.read(text);
    else if (!isKept(text))
      problems.push({ field: String(path), says: `is ${text}, of which a number keeps ${Number(text)}` });
  }
  return problems;
}
