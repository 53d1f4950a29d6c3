/** What the store keeps secret, in texts: AES-256-GCM where there is a key, else as it is. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

export interface Sealer {
  /** Seals a text for a place in the store: elsewhere it cannot be read. */
  seal(text: string, location: string): string;
  /** Throws where another key closed it, or it is not what was closed for this place. */
  unseal(sealed: string, location: string): string;
}

const algorithm = "aes-256-gcm";
const [ivLength, tagLength] = [12, 16];
/** Begins what is sealed; plain text is JSON, and never begins so. */
const sealedPrefix = "sealed:";

const encryption = { authTagLength: tagLength } as const;

/** Tells one key from another, and nothing about either. */
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

/** What is in plain text is read with a key as well, and sealed when it is written again. */
export function createSealer(key: Buffer | undefined): Sealer {
  const keyPrefix = key && `${sealedPrefix}${keyFingerprint(key)}:`;
  return {
    seal: (text, location) => (key ? keyPrefix + encrypt(key, text, location) : text),
    unseal(sealed, location) {
      if (!sealed.startsWith(sealedPrefix)) return sealed;
      if (!key) throw new Error("The store is encrypted: set FXDESK_STORE_KEY.");
      if (!sealed.startsWith(keyPrefix!))
        throw new Error("The store was encrypted with another FXDESK_STORE_KEY.");
      try {
        return decrypt(key, sealed.slice(keyPrefix!.length), location);
      } catch {
        throw new Error(`What the store holds in ${location.split(" ")[0]} was changed, or is not whole.`);
      }
    },
  };
}
