/** Challenges for passkeys, each for one purpose and one use. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const lifetimeMs = 10 * 60_000;
const [expiryLength, randomLength, macLength] = [6, 16, 32];
const signedLength = expiryLength + randomLength;

/** The challenges of one process. They are derived, so that open pages need no memory; used ones are kept until they expire. */
export class Challenges {
  readonly #key = randomBytes(32);
  readonly #used = new Map<string, number>();

  /** Returns a challenge in base64url. */
  create(purpose: readonly string[]): string {
    const signed = Buffer.concat([Buffer.alloc(expiryLength), randomBytes(randomLength)]);
    signed.writeUIntBE(Date.now() + lifetimeMs, 0, expiryLength);
    return Buffer.concat([signed, this.#sign(signed, purpose)]).toString("base64url");
  }

  /** True once for a challenge that was made for the purpose and has not expired. */
  use(challenge: string, purpose: readonly string[]): boolean {
    const now = Date.now();
    for (const [used, expiry] of this.#used) if (expiry <= now) this.#used.delete(used);
    const bytes = Buffer.from(challenge, "base64url");
    // The same bytes can be written in several ways.
    if (bytes.length !== signedLength + macLength || bytes.toString("base64url") !== challenge) return false;
    const [signed, mac] = [bytes.subarray(0, signedLength), bytes.subarray(signedLength)];
    const expiry = signed.readUIntBE(0, expiryLength);
    if (!timingSafeEqual(mac, this.#sign(signed, purpose)) || expiry <= now || this.#used.has(challenge))
      return false;
    this.#used.set(challenge, expiry);
    return true;
  }

  #sign(signed: Buffer, purpose: readonly string[]): Buffer {
    return createHmac("sha256", this.#key).update(signed).update(JSON.stringify(purpose)).digest();
  }
}
