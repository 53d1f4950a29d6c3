/** The Ed25519 key with which this installation signs receipts: a file that only its owner can read. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { stateFolder } from "../store/settings";

/** Returns the path of the key: beside the people file, or in the state folder of the user if none is set. */
export const receiptKeyPath = (people: string | undefined): string =>
  people === undefined
    ? join(stateFolder(process.env), "fxdesk/receipt-key.pem")
    : `${people}.receipt-key.pem`;

/** Creates the file unless it exists. Another process that creates it at the same time wins or loses as a whole. */
async function createKeyFile(path: string): Promise<void> {
  const { privateKey } = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { format: "pem", type: "pkcs8" },
    publicKeyEncoding: { format: "pem", type: "spki" },
  });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const written = `${path}.${randomUUID()}`;
  try {
    await writeFile(written, privateKey, { mode: 0o600, flag: "wx", flush: true });
    await link(written, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(written, { force: true });
  }
}

async function readKeyFile(path: string): Promise<KeyObject> {
  const { uid, mode } = await stat(path);
  const isOwn = [0, uid].includes(process.getuid?.() ?? 0);
  if (process.platform !== "win32" && (!isOwn || (mode & 0o077) !== 0))
    throw new TypeError(
      `people: other users can use the receipt key ${path}. Run \`chmod 600 ${path}\` as its owner.`,
    );
  const key = createPrivateKey(await readFile(path));
  if (key.asymmetricKeyType !== "ed25519") throw new TypeError(`people: ${path} is not an Ed25519 key.`);
  return key;
}

/** Loads the key and creates it at first use. Throws a TypeError that starts with the setting if the file is unsafe. */
export async function loadReceiptKey(path: string): Promise<KeyObject> {
  const isMissing = await stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENOENT",
  );
  if (isMissing) await createKeyFile(path);
  return readKeyFile(path);
}
