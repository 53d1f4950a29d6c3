/** Numbers of a response that a JavaScript number cannot hold. */
import { Big } from "big.js";
import type { Problem } from "../operations/check";

/** A number with so many digits, or an exponent, that it may be one; far cheaper than to look at each. */
const suspicious = /(?:^|[:[,\s])-?(?:\d[\d.]{15}|[\d.]+[eE])/;

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

/** What is wrong with the numbers of a JSON text that has been parsed: the digits that are lost. */
export function lostDigits(json: string): Problem[] {
  if (!suspicious.test(json)) return [];
  const path = new Path();
  const problems: Problem[] = [];
  for (const [text] of json.matchAll(token)) {
    if (!/^[-\d]/.test(text)) path.read(text);
    else if (!isKept(text))
      problems.push({ field: String(path), says: `is ${text}, of which a number keeps ${Number(text)}` });
  }
  return problems;
}
