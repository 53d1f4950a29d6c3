/** Detects numbers in a response that lose digits as JavaScript numbers. */
import { Big } from "big.js";
import type { Violation } from "../spec/errors";

/** Long numbers, and large exponents, which may overflow. All other numbers are exact. */
const suspiciousNumber = /\d[\d.]{15}|\d[eE][-+]?\d{3}/;

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

/** Returns the numbers of a JSON text that lose digits. */
export function findLostDigits(json: string): Violation[] {
  if (!suspiciousNumber.test(json)) return [];
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
