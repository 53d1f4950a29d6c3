/** Redaction of a connection's secrets. */
import { inspect } from "node:util";

/** Shorter secrets may be ordinary words; redacting them would damage unrelated text. */
const minSecretLength = 8;

const redactionMark = "[secret]";

/** Returns a pattern for a secret in JSON and HTML: characters may be backslash-escaped or written as numeric escapes. */
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

/** Returns the bytes whose Base64 form does not depend on what follows. */
const wholeBase64Bytes = (secret: string) => {
  const bytes = Buffer.from(secret);
  return bytes.subarray(0, bytes.length - (bytes.length % 3));
};

/** Returns the spellings of a secret in text, URLs, JSON, HTML and Base64. */
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
 * Redacts secrets from everything received, before it is used. A service may echo its request, and an error may quote it;
 * neither must reach a log, a flow or a model.
 */
export class Secrets {
  /** Longest first, because one may be a prefix of another. */
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

  /** Returns the error itself if it contains no secret, otherwise a redacted copy. Accepts any thrown value. */
  redactError(error: unknown): Error {
    if (!(error instanceof Error)) return new Error(this.redact(String(error)));
    const all = inspect(error, { depth: Infinity, maxStringLength: Infinity, maxArrayLength: Infinity });
    if (this.redact(all) === all) return error;
    const redacted = new Error(this.redact(error.message));
    redacted.stack = this.redact(error.stack ?? "");
    return redacted;
  }

  /** Overwrites secrets in place, without changing the length. */
  blank(bytes: Buffer): void {
    for (const secret of this.#encodings)
      for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, at + secret.length))
        bytes.fill("*", at, at + Buffer.byteLength(secret));
  }

  /** Length of the longest spelling in bytes: a secret may span two chunks by up to this much. */
  get maxByteLength(): number {
    return Math.max(0, ...this.#encodings.map((secret) => Buffer.byteLength(secret)));
  }
}
