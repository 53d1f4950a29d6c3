/** The `fxdesk journal receipt` command. */
import { createPublicKey } from "node:crypto";
import { releaseSettingFields, storeSettingFields } from "../../core/call/settings";
import { EntryRefusal } from "../../core/journal/operator-actions";
import { type ParsedArguments, UsageError } from "../command-line/arguments";
import type { MemberCommand } from "../command-line/command";
import { readStore, refusalAsUsage, settingOptions, settingsFrom } from "../settings/connection-settings";
import { type Terminal, write } from "../terminal/terminal";

/** The people file verifies who released, and the key of the receipts is beside it. */
const settings = [...storeSettingFields, ...releaseSettingFields.filter(({ name }) => name === "people")];

async function render(parsed: ParsedArguments, terminal: Terminal): Promise<string> {
  const [{ createReceipt }, { loadReceiptKey, receiptKeyPath }, { loadPeople }] = await Promise.all([
    import("../../core/releases/receipt.js"),
    import("../../core/releases/receipt-key.js"),
    import("../../core/people/people-file.js"),
  ]);
  const { people: path } = settingsFrom(parsed, terminal.environment);
  const key = await loadReceiptKey(receiptKeyPath(path));
  if (parsed.operand === "") return createPublicKey(key).export({ format: "pem", type: "spki" }).toString();
  const people = path === undefined ? undefined : await loadPeople(path);
  return readStore(parsed, terminal, async (store) => {
    const receipt = await createReceipt(store, parsed.operand, { key, people });
    return `${receipt}\n`;
  });
}

export const receipt: MemberCommand = {
  ...settingOptions("Store and people", settings),
  operand: "[id]",
  description:
    "Prints a signed receipt of a money call: who requested and released it, what was sent, what came back, and its place in " +
    "the journal. Anyone who has the public key can verify it.",
  flags: [
    {
      name: "public-key",
      description: "Print the public key that verifies the receipts of this installation.",
    },
  ],
  async run(parsed, terminal) {
    if (Boolean(parsed.boolean("public-key")) === (parsed.operand !== ""))
      throw new UsageError("Name a journal entry, or print the public key with --public-key.");
    await write(terminal.stdout, await refusalAsUsage(EntryRefusal, () => render(parsed, terminal)));
  },
};
