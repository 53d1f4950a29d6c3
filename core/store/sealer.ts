/** Encrypts stored texts with AES-256-GCM if a key is set; otherwise they stay plain. */
import { createCipheriv, createDecipheriv, createHash, createHmac, hash, randomBytes } from "node:crypto";

export interface Sealer {
  /** True if a key is set. */
  readonly isKeyed: boolean;
  readonly isSealed: (text: string) => boolean;
  /** Encrypts a text and binds it to a location: it cannot be decrypted at another one. */
  readonly seal: (text: string, location: string) => string;
  /** Throws if the text is plain although a key is set, was sealed with another key or for another location, or was changed. */
  readonly unseal: (sealed: string, location: string) => string;
  /** Hashes a text for a location, in hex. With a key, only its holders can compute the hash. */
  readonly mac: (text: string, location: string) => string;
}

/** Returns the location of a value: table, column and primary key. */
export const sealLocation = (table: string, column: string, ...key: readonly unknown[]): string =>
  JSON.stringify([table, column, ...key.map(String)]);

const tableOf = (location: string): string => String((JSON.parse(location) as unknown[])[0]);

const algorithm = "aes-256-gcm";
const [ivLength, tagLength] = [12, 16];
/** Marks sealed text. Plain text is JSON, which never starts like this. */
const sealedPrefix = "sealed:";

const encryption = { authTagLength: tagLength } as const;

/** Identifies a key without revealing it. */
const keyFingerprint = (key: Buffer) =>
  createHash("sha256").update("fxdesk store").update(key).digest("hex").slice(0, 8);

function encrypt(key: Buffer, text: string, location: string): string {
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv(algorithm, key, iv, encryption).setAAD(Buffer.from(location));
  const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, content, cipher.getAuthTag()]).toString("base64");
}

function decrypt(key: Buffer, sealed: string, location: string): string {
  const bytes = Buffer.from(sealed, "base64");
  // Buffer ignores what is not Base64.
  if (bytes.toString("base64") !== sealed) throw new Error("This is not Base64.");
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivLength), encryption)
    .setAAD(Buffer.from(location))
    .setAuthTag(bytes.subarray(-tagLength));
  const content = decipher.update(bytes.subarray(ivLength, -tagLength));
  return Buffer.concat([content, decipher.final()]).toString("utf8");
}

export function createSealer(key: Buffer | undefined): Sealer {
  const keyPrefix = key && `${sealedPrefix}${keyFingerprint(key)}:`;
  const hashKey = key && createHmac("sha256", key).update("fxdesk row hashes").digest();
  const isSealed = (text: string) => text.startsWith(sealedPrefix);
  return {
    isKeyed: key !== undefined,
    isSealed,
    seal: (text, location) => (key ? keyPrefix + encrypt(key, text, location) : text),
    unseal: (sealed, location) => {
      if (!key) {
        if (isSealed(sealed)) throw new Error("The store is encrypted: set FXDESK_STORE_KEY.");
        return sealed;
      }
      if (!isSealed(sealed))
        throw new Error(
          `A text in ${tableOf(location)} is not encrypted, although FXDESK_STORE_KEY is set: it was changed in the store.`,
        );
      if (!sealed.startsWith(keyPrefix!))
        throw new Error("The store was encrypted with another FXDESK_STORE_KEY.");
      try {
        return decrypt(key, sealed.slice(keyPrefix!.length), location);
      } catch {
        throw new Error(`An encrypted text in ${tableOf(location)} was changed or is incomplete.`);
      }
    },
    mac: (text, location) => {
      const located = `${location}\n${text}`;
      return hashKey ? createHmac("sha256", hashKey).update(located).digest("hex") : hash("sha256", located);
    },
  };
}
