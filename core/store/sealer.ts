/** Encrypts stored texts with AES-256-GCM if a key is set; otherwise they stay plain. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

export interface Sealer {
  /** Encrypts a text and binds it to a location: it cannot be decrypted at another one. */
  readonly seal: (text: string, location: string) => string;
  /** Throws if the text was sealed with another key or for another location, or was tampered with. */
  readonly unseal: (sealed: string, location: string) => string;
}

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
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivLength), encryption)
    .setAAD(Buffer.from(location))
    .setAuthTag(bytes.subarray(-tagLength));
  const content = decipher.update(bytes.subarray(ivLength, -tagLength));
  return Buffer.concat([content, decipher.final()]).toString("utf8");
}

/** Creates a sealer. With a key it still reads plain text, which is sealed at the next write. */
export function createSealer(key: Buffer | undefined): Sealer {
  const keyPrefix = key && `${sealedPrefix}${keyFingerprint(key)}:`;
  return {
    seal: (text, location) => (key ? keyPrefix + encrypt(key, text, location) : text),
    unseal: (sealed, location) => {
      if (!sealed.startsWith(sealedPrefix)) return sealed;
      if (!key) throw new Error("The store is encrypted: set FXDESK_STORE_KEY.");
      if (!sealed.startsWith(keyPrefix!))
        throw new Error("The store was encrypted with another FXDESK_STORE_KEY.");
      try {
        return decrypt(key, sealed.slice(keyPrefix!.length), location);
      } catch {
        throw new Error(`An encrypted text in ${location.split(" ")[0]} was changed or is incomplete.`);
      }
    },
  };
}
