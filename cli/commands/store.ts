/** The `fxdesk store` commands: back up, check, move and clean the database of fxdesk. */
import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { environmentName } from "../../core/call/settings";
import {
  isPostgres,
  storeExists,
  redactLocation,
  parseStoreSettings,
  type StoreSettings,
} from "../../core/store/settings";
import { type ParsedArguments, requiredText, UsageError } from "../command-line/arguments";
import { columns, commandGroup, jsonFlag, type MemberCommand, printResult } from "../command-line/command";
import { settingsFrom, storeOptions, storeSettingsFrom, useStore } from "../settings/connection-settings";
import { checkSecret, personFlag } from "../settings/people-settings";
import type { Terminal } from "../terminal/terminal";

const checkFailed = 1;

/** Prints a value as JSON, or rows as text. */
const print = (
  parsed: ParsedArguments,
  terminal: Terminal,
  value: object,
  rows: readonly (readonly [name: string, value: string])[],
): Promise<void> => printResult(parsed, terminal, value, `${columns(rows)}\n`);

const check: MemberCommand = {
  description:
    "Opens the store, creating it if needed, and lists entries that cannot be read or were changed. Exits with code 1 if there are any.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const settings = storeSettingsFrom(parsed, terminal);
    const { checkStore } = await import("../../core/client/check-store.js");
    const found = await checkStore(settings);
    await print(parsed, terminal, found, [
      ["Store", found.store],
      ["Tables", `version ${found.version}`],
      ["Encrypted", found.encrypted ? "yes" : "no"],
      ["Connections with tokens", String(found.tokens)],
      ["Calls in the journal", String(found.entries)],
      ...found.halts.map((halted) => ["Halted", halted] as const),
      ...found.faults.map((fault) => ["Fault", fault] as const),
    ]);
    return found.faults.length === 0 ? undefined : checkFailed;
  },
};

const targetKey = environmentName("storeKeyTo");

/** Returns the settings of the new store; its key defaults to that of the old one. */
function targetSettingsFrom(parsed: ParsedArguments, terminal: Terminal): StoreSettings {
  const { storeKey } = settingsFrom(parsed, terminal.environment);
  const store = parsed.string("to");
  if (!store) throw new UsageError("--to is required: the new location of the store.");
  if (statSync(store, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--to must name a file; ${store} is a folder.`);
  try {
    return parseStoreSettings({ store, storeKey: terminal.environment[targetKey] || storeKey });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(error.message.replace(/^storeKey\b/, targetKey).replace(/\bstore\b/, "--to"));
  }
}

const move: MemberCommand = {
  requiredFlags: "--to <path or postgres://host/database>",
  description:
    "Moves the complete store to a new, empty location, or changes nothing if that fails. Afterwards, processes that still use " +
    `the old location are refused; the error names the new location. ${targetKey} in the environment is the key of the new store; default is FXDESK_STORE_KEY.`,
  flags: [
    {
      name: "to",
      value: "<location>",
      description: "Absolute path of a new file, or an empty PostgreSQL database (postgres://host/database).",
    },
    jsonFlag,
  ],
  async run(parsed, terminal) {
    const [from, to] = [storeSettingsFrom(parsed, terminal), targetSettingsFrom(parsed, terminal)];
    const { moveStore } = await import("../../core/store/move.js");
    const moved = await moveStore(from, to);
    await print(parsed, terminal, moved, [
      ["From", moved.from],
      ["To", moved.to],
      ...Object.entries(moved.rows).map(([table, count]) => [table, `${count} rows`] as const),
      ["Next", "Set FXDESK_STORE to the new location in every process that uses the store."],
    ]);
  },
};

/** Returns the settings of a store that exists: opening a mistyped path would create an empty one. */
function existingStoreFrom(parsed: ParsedArguments, terminal: Terminal, nothing: string): StoreSettings {
  const settings = storeSettingsFrom(parsed, terminal);
  if (storeExists(settings)) return settings;
  throw new UsageError(
    `There is no store at ${redactLocation(settings.location)}. ${nothing} Set its location with FXDESK_STORE or --store.`,
  );
}

const backup: MemberCommand = {
  operand: "<file>",
  description:
    "Copies the store to a new file that only you can read, while other processes use the store. The copy needs the same " +
    "FXDESK_STORE_KEY. Back up a store in PostgreSQL with pg_dump.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const settings = existingStoreFrom(parsed, terminal, "Nothing was written.");
    if (isPostgres(settings.location))
      throw new UsageError("Back up a store in PostgreSQL with pg_dump. Nothing was written.");
    const path = resolve(parsed.operand);
    if (existsSync(path)) throw new UsageError(`${path} exists. Nothing was written: name a new file.`);
    const { backUpStore } = await import("../../core/client/backup.js");
    const { store, entries } = await backUpStore(settings, path);
    await print(parsed, terminal, { store, backup: path, entries }, [
      ["Store", store],
      ["Backup", path],
      ["Calls in the journal", String(entries)],
    ]);
  },
};

const restore: MemberCommand = {
  operand: "<file>",
  description:
    "Replaces the store by a backup. No process sends money from it until a person confirms the restore with fxdesk store confirm. " +
    "Restore a store in PostgreSQL with pg_restore.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const settings = storeSettingsFrom(parsed, terminal);
    if (isPostgres(settings.location))
      throw new UsageError("Restore a store in PostgreSQL with pg_restore. Nothing was changed.");
    const path = resolve(parsed.operand);
    if (!existsSync(path)) throw new UsageError(`${path} does not exist. Nothing was changed.`);
    const { restoreStore } = await import("../../core/client/backup.js");
    const { store, entries } = await restoreStore(settings, path);
    await print(parsed, terminal, { store, backup: path, entries }, [
      ["Store", store],
      ["Backup", path],
      ["Calls in the journal", String(entries)],
      ["Next", "Compare it with the service, then run fxdesk store confirm --by <name>."],
    ]);
  },
};

const confirm: MemberCommand = {
  requiredFlags: "--by <name>",
  description:
    "Confirms that the store was restored, so that this machine sends money from it again. The journal records who confirmed. " +
    "Until --payments-checked, bookings are first searched at the service, and other money calls are refused.",
  flags: [
    personFlag,
    {
      name: "payments-checked",
      description:
        "Also confirms that you have compared all payments and trades since the backup with the service.",
    },
    jsonFlag,
  ],
  async run(parsed, terminal) {
    const by = requiredText(parsed, personFlag);
    const settings = existingStoreFrom(parsed, terminal, "Nothing was confirmed.");
    const arePaymentsChecked = parsed.boolean("payments-checked") ?? false;
    await checkSecret(settings.people, by, terminal);
    const { confirmRestore } = await import("../../core/journal/restores.js");
    const recorded = await useStore(parsed, terminal, (store) =>
      confirmRestore(store, settings, { by, arePaymentsChecked }),
    );
    const text = recorded.length > 0 ? recorded.join(", ") : "nothing, because the store was not restored";
    await print(parsed, terminal, { recorded }, [["Recorded", text]]);
  },
};

const forget: MemberCommand = {
  operand: "<id or client>",
  description:
    "Deletes a recorded ID, for example of a consent, from the suggestions in forms, or all recorded IDs of a client. Nothing " +
    "changes at the service. To delete the details of payments in the journal, use fxdesk journal erase.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    existingStoreFrom(parsed, terminal, "Nothing was deleted.");
    const { forgetResourceIds } = await import("../../core/store/resource-ids.js");
    const forgotten = await useStore(parsed, terminal, (store) => forgetResourceIds(store, parsed.operand));
    await print(parsed, terminal, { forgotten }, [["Deleted", String(forgotten)]]);
  },
};

export const storeCommands = commandGroup({
  name: "fxdesk store",
  description: "The store is the database of fxdesk: journal, tokens, watch positions, releases and halts.",
  options: storeOptions,
  commands: { backup, check, confirm, forget, move, restore },
});
