/** The secrets a connection knows, and texts without them. */
import { inspect } from "node:util";

/** Shorter ones are ordinary words: cutting them would tear every text apart. */
const shortest = 8;

const cutMark = "[secret]";

/** A secret as JSON and HTML may spell it: a sign may have a backslash before it, and each character be a number. */
function escapedIn(secret: string): RegExp {
  const characters = secret.split("").map((character) => {
    const code = character.charCodeAt(0);
    const hex = code.toString(16).padStart(4, "0");
    const digits = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    const numbers = [String.raw`\\u${digits}`, `&#[xX]0*${digits.replace(/^0+/, "")};`, `&#0*${code};`];
    return `(?:${/\w/.test(character) ? "" : String.raw`\\?`}\\u${hex}|${numbers.join("|")})`;
  });
  return new RegExp(characters.join(""), "g");
}

const lowerCodes = (text: string) => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

const entities: Readonly<Record<string, string>> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };

/** What of it stands in Base64 whatever comes after it. */
const inBase64 = (secret: string) => {
  const bytes = Buffer.from(secret);
  return bytes.subarray(0, bytes.length - (bytes.length % 3));
};

/** As texts, addresses, JSON, HTML and Base64 have it. */
const spellingsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  lowerCodes(encodeURIComponent(secret)),
  JSON.stringify(secret).slice(1, -1),
  secret.replaceAll(/[&"<>]/g, (sign) => entities[sign]!),
  inBase64(secret).toString("base64"),
  inBase64(secret).toString("base64url"),
];

/**
 * A service that echoes what it was sent, and an error that quotes it, must not show a secret to a log, a flow or a model.
 * Everything that comes from outside is cut here before it is looked at.
 */
export class Secrets {
  /** The longest first: one may be the beginning of another. */
  #known: string[] = [];
  #escaped: readonly RegExp[] = [];

  add(secret: string | undefined): void {
    if (secret === undefined || secret.length < shortest || this.#known.includes(secret)) return;
    this.#known = [...new Set([...this.#known, ...spellingsOf(secret)])].toSorted(
      (a, b) => b.length - a.length,
    );
    this.#escaped = this.#known.map(escapedIn);
  }

  redact(text: string): string {
    let left = text;
    for (const secret of this.#known) if (left.includes(secret)) left = left.replaceAll(secret, cutMark);
    if (left.includes("\\") || left.includes("&#"))
      for (const secret of this.#escaped) left = left.replace(secret, cutMark);
    return left;
  }

  /** An error as it may be shown: itself where it holds no secret, else its words. What was thrown need not be an error. */
  redactError(error: unknown): Error {
    if (!(error instanceof Error)) return new Error(this.redact(String(error)));
    const all = inspect(error, { depth: Infinity, maxStringLength: Infinity, maxArrayLength: Infinity });
    if (this.redact(all) === all) return error;
    const words = new Error(this.redact(error.message));
    words.stack = this.redact(error.stack ?? "");
    return words;
  }

  /** Overwrites them in the bytes of a file, whose length stays. */
  blank(bytes: Buffer): void {
    for (const secret of this.#known)
      for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, at + secret.length))
        bytes.fill("*", at, at + Buffer.byteLength(secret));
  }

  /** Bytes of the longest one: as many may stand at the end of one piece of a file and the beginning of the next. */
  get longest(): number {
    return Math.max(0, ...this.#known.map((secret) => Buffer.byteLength(secret)));
  }
}
