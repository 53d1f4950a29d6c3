/** The secrets a connection knows, and texts without them. */
import { inspect } from "node:util";

/** Shorter ones are ordinary words: cutting them would tear every text apart. */
const minSecretLength = 8;

const redactionMark = "[secret]";

/** A secret as JSON and HTML may spell it: a sign may have a backslash before it, and each character be a number. */
function escapedPattern(secret: string): RegExp {
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
const wholeBase64Bytes = (secret: string) => {
  const bytes = Buffer.from(secret);
  return bytes.subarray(0, bytes.length - (bytes.length % 3));
};

/** As texts, addresses, JSON, HTML and Base64 have it. */
const encodingsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  lowerCodes(encodeURIComponent(secret)),
  JSON.stringify(secret).slice(1, -1),
  secret.replaceAll(/[&"<>]/g, (sign) => entities[sign]!),
  wholeBase64Bytes(secret).toString("base64"),
  wholeBase64Bytes(secret).toString("base64url"),
];

/**
 * A service that echoes what it was sent, and an error that quotes it, must not show a secret to a log, a flow or a model.
 * Everything that comes from outside is cut here before it is looked at.
 */
export class Secrets {
  /** The longest first: one may be the beginning of another. */
  #encodings: string[] = [];
  #escapedPatterns: readonly RegExp[] = [];

  add(secret: string | undefined): void {
    if (secret === undefined || secret.length < minSecretLength || this.#encodings.includes(secret)) return;
    this.#encodings = [...new Set([...this.#encodings, ...encodingsOf(secret)])].toSorted(
      (a, b) => b.length - a.length,
    );
    this.#escapedPatterns = this.#encodings.map(escapedPattern);
  }

  redact(text: string): string {
    let redacted = text;
    for (const secret of this.#encodings)
      if (redacted.includes(secret)) redacted = redacted.replaceAll(secret, redactionMark);
    if (redacted.includes("\\") || redacted.includes("&#"))
      for (const secret of this.#escapedPatterns) redacted = redacted.replace(secret, redactionMark);
    return redacted;
  }

  /** An error as it may be shown: itself where it holds no secret, else its words. What was thrown need not be an error. */
  redactError(error: unknown): Error {
    if (!(error instanceof Error)) return new Error(this.redact(String(error)));
    const all = inspect(error, { depth: Infinity, maxStringLength: Infinity, maxArrayLength: Infinity });
    if (this.redact(all) === all) return error;
    const redacted = new Error(this.redact(error.message));
    redacted.stack = this.redact(error.stack ?? "");
    return redacted;
  }

  /** Overwrites them in the bytes of a file, whose length stays. */
  blank(bytes: Buffer): void {
    for (const secret of this.#encodings)
      for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, at + secret.length))
        bytes.fill("*", at, at + Buffer.byteLength(secret));
  }

  /** Bytes of the longest one: as many may stand at the end of one piece of a file and the beginning of the next. */
  get maxByteLength(): number {
    return Math.max(0, ...this.#encodings.map((secret) => Buffer.byteLength(secret)));
  }
}
