/** Receipts of random calls, altered ones, and the verifiers of docs/receipts.md. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createPublicKey } from "node:crypto";
import type { EntryOutcome } from "../../../core/journal/entry";
import { openJournal } from "../../../core/journal/journal";
import { createReceipt } from "../../../core/releases/receipt";
import { loadReceiptKey } from "../../../core/releases/receipt-key";
import { withStore } from "../../../core/store/open";
import { seededRandom, type SeededRandom } from "../../chaos/seeded-random";
import { closeLater, tempFolder } from "../../support/resources";
import { done, intent, longMs, rejected, unknown } from "../journal/fixtures";
import { key as storeKey } from "../store/engines";

const outcomes: readonly EntryOutcome[] = [done, rejected, unknown];
const letters = ["a", "Z", "0", '"', "\\", "\n", "ü", "€", "\u2028", "🏦", "{", "}"];

const randomText = (random: SeededRandom): string =>
  Array.from({ length: random.integer(0, 40) }, () => letters[random.integer(0, letters.length - 1)]).join(
    "",
  );

/** Records so many random calls, and returns their receipts and the public key as PEM. */
export async function makeReceipts(count: number, seed: number) {
  const random = seededRandom(seed);
  const folder = await tempFolder();
  const settings = { location: join(folder, "store.db"), key: storeKey };
  const journal = closeLater(await openJournal(settings));
  const record = async (_: unknown, index: number): Promise<string> => {
    const call = {
      method: "POST",
      address: "https://api.example.com",
      target: `/trades?note=${random.integer(1, 9)}`,
      headers: { "content-type": "application/json" },
      ...(random.next() < 0.9 && { body: JSON.stringify({ note: randomText(random) }) }),
    };
    const { entry } = await journal.claim(
      intent({ key: `key-${index}`, reference: `FX-${index}`, details: { actor: randomText(random), call } }),
      longMs,
    );
    await journal.recordSent(entry);
    const outcome = outcomes[random.integer(0, outcomes.length - 1)]!;
    const details = { body: { note: randomText(random), rate: random.next() } };
    await journal.recordOutcome(entry, { ...outcome, details });
    return entry.id;
  };
  const entries = await Promise.all(Array.from({ length: count }, record));
  const key = await loadReceiptKey(join(folder, "receipt-key.pem"));
  const receipts = await withStore(settings, (store) =>
    Promise.all(entries.map((entry) => createReceipt(store, entry, { key, people: undefined }))),
  );
  return { receipts, publicKey: createPublicKey(key).export({ format: "pem", type: "spki" }).toString() };
}

/** Returns each receipt with one random alteration: of a byte, of a value, or with the signature of another receipt. */
export function alter(receipts: readonly string[], seed: number): Buffer[] {
  const random = seededRandom(seed);
  return receipts.map((receipt, index) => {
    const bytes = Buffer.from(receipt);
    const at = random.integer(0, bytes.length - 1);
    const other = receipts[(index + 1) % receipts.length]!;
    // A line feed would end the line.
    const byte = Buffer.of((bytes[at]! + random.integer(1, 200)) % 256 || 1);
    const rest = [bytes.subarray(0, at), bytes.subarray(at + 1)] as const;
    const altered = {
      replaced: () => Buffer.concat([rest[0], byte, rest[1]]),
      inserted: () => Buffer.concat([rest[0], byte, bytes.subarray(at)]),
      removed: () => Buffer.concat(rest),
      signature: () => Buffer.from(receipt.replace(/[0-9a-f]{128}/, other.slice(-130, -2))),
      value: () => Buffer.from(receipt.replace(/"(client|operation|requester)":"/, "$&x")),
    };
    const made = altered[random.pick({ replaced: 3, inserted: 1, removed: 1, signature: 1, value: 1 })]();
    return made.includes("\n") || made.equals(bytes) ? Buffer.concat([bytes, Buffer.from("x")]) : made;
  });
}

/** Returns the code block of a language in docs/receipts.md. */
export async function verifierOf(language: "js" | "python"): Promise<string> {
  const page = await readFile(join(__dirname, "../../../docs/receipts.md"), "utf8");
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(page)![1]!;
}

const programs = { js: [process.execPath, "verify-receipts.mjs"], python: ["python3", "verify.py"] } as const;

/** Runs a verifier of the page. Returns its exit code, and for each line the word that follows the number. */
export async function verifyReceipts(
  language: "js" | "python",
  publicKey: string,
  receipts: readonly (string | Buffer)[],
): Promise<{ readonly code: number; readonly words: readonly string[] }> {
  const folder = await tempFolder();
  const [program, name] = programs[language];
  await writeFile(join(folder, name), await verifierOf(language));
  await writeFile(join(folder, "key.pem"), publicKey);
  const lines = receipts.flatMap((receipt) => [Buffer.from(receipt), Buffer.from("\n")]);
  await writeFile(join(folder, "receipts.jsonl"), Buffer.concat(lines));
  return new Promise((resolve) => {
    const child = execFile(
      program,
      [name, "key.pem", "receipts.jsonl"],
      { cwd: folder, maxBuffer: 2 ** 26 },
      (_, stdout) =>
        resolve({
          code: child.exitCode ?? -1,
          words: stdout
            .trimEnd()
            .split("\n")
            .map((line) => line.split(" ")[1]!),
        }),
    );
  });
}

/** Verifies receipts and altered ones with a verifier of the page. */
export async function expectAlterationsFound(language: "js" | "python", count: number): Promise<void> {
  const seed = Number(process.env.FXDESK_SEED ?? 20_260_316);
  const { receipts, publicKey } = await makeReceipts(count, seed);
  const whole = await verifyReceipts(language, publicKey, receipts);
  expect(whole).toEqual({ code: 0, words: receipts.map(() => "valid") });
  const altered = await verifyReceipts(language, publicKey, alter(receipts, seed + 1));
  expect(altered).toEqual({ code: 1, words: receipts.map(() => "INVALID") });
}
