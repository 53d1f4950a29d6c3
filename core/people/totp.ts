/** One-time codes by the clock (TOTP, RFC 6238): SHA-1, 30 seconds, 6 digits, as authenticator apps use them. */
import { createHmac, randomBytes } from "node:crypto";

const stepMs = 30_000;
const digits = 6;
/** Accepted deviation of a clock, in steps. */
const tolerance = 1;

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Returns a new shared secret of 160 bits, in base32 for authenticator apps. */
export const createTotpSeed = (): string => Array.from(randomBytes(32), (byte) => base32[byte & 31]).join("");

function decodeBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => base32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Returns the code of a step (RFC 4226). */
export function totpCode(seed: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", decodeBase32(seed)).update(counter).digest();
  const number = mac.readUInt32BE(mac.at(-1)! & 0xf) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** Returns the step of a valid code that is later than the last one used; undefined if the code is wrong or was used. */
export function findTotpStep(seed: string, code: string, now: number, lastStep: number): number | undefined {
  const given = code.replace(/\s/g, "");
  const current = Math.floor(now / stepMs);
  for (let step = Math.max(current - tolerance, lastStep + 1); step <= current + tolerance; step += 1)
    if (totpCode(seed, step) === given) return step;
  return undefined;
}

/** Returns the URI from which an authenticator app reads the seed. */
export const totpUri = (person: string, seed: string): string =>
  `otpauth://totp/fxdesk:${encodeURIComponent(person)}?secret=${seed}&issuer=fxdesk`;
