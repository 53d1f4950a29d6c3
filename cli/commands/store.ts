/** The `fxdesk store` commands: check, migrate, move and clean the database of fxdesk. */
import { environmentName, storeSettingFields } from "../../core/call/settings";
import {
  storeExists,
  redactLocation,
  parseStoreSettings,
  type StoreSettings,
} from "../../core/store/settings";
import { type ParsedArguments, UsageError } from "../command-line/arguments";
import { type Command, jsonFlag } from "../command-line/command";
import { asUsageError, settingFlags, settingsFrom, settingsHelp } from "../settings/connection-settings";
import { success } from "../command-line/exit-codes";
import { columns, section } from "../command-line/help";
import { printJson, type Terminal, write } from "../terminal/terminal";

const checkFailed = 1;

const storeSettingsFrom = (parsed: ParsedArguments, terminal: Terminal): StoreSettings =>
  asUsageError(() => parseStoreSettings(settingsFrom(parsed, terminal.environment)));

/** Prints a value as JSON, or rows as text. */
async function print(
  parsed: ParsedArguments,
  terminal: Terminal,
  value: object,
  rows: readonly (readonly [name: string, value: string])[],
): Promise<void> {
  if (parsed.boolean("json")) await printJson(terminal, value);
  else await write(terminal.stdout, `${columns(rows)}\n`);
}

/** Options shared by all store commands. */
const storeOptions = {
  hiddenFlags: settingFlags(storeSettingFields),
  helpSections: [settingsHelp("Store", storeSettingFields)],
};

const check: Command = {
  ...storeOptions,
  usage: "fxdesk store check [flags]",
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
    return found.faults.length === 0 ? success : checkFailed;
  },
};

const migrate: Command = {
  ...storeOptions,
  usage: "fxdesk store migrate [flags]",
  description:
    "Updates the tables of the store to the newest version. The first process that opens the store does this automatically.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const settings = storeSettingsFrom(parsed, terminal);
    const { withStore } = await import("../../core/store/open.js");
    const { store, from, to } = await withStore(settings, async ({ database, migration }) => ({
      store: database.description,
      ...migration,
    }));
    const tables = from === to ? `version ${to} already` : `from version ${from} to ${to}`;
    await print(parsed, terminal, { store, from, to }, [
      ["Store", store],
      ["Tables", tables],
    ]);
    return success;
  },
};

const targetKey = environmentName("storeKeyTo");

/** Returns the settings of the new store; its key defaults to that of the old one. */
function targetSettingsFrom(parsed: ParsedArguments, terminal: Terminal): StoreSettings {
  const { storeKey } = settingsFrom(parsed, terminal.environment);
  const store = parsed.string("to");
  if (!store) throw new UsageError("--to is required: the new location of the store.");
  try {
    return parseStoreSettings({ store, storeKey: terminal.environment[targetKey] || storeKey });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(error.message.replace(/^storeKey\b/, targetKey).replace(/\bstore\b/, "--to"));
  }
}

const move: Command = {
  ...storeOptions,
  usage: "fxdesk store move --to <path or postgres://host/database> [flags]",
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
    return success;
  },
};

const forget = (idOrClient: string): Command => ({
  ...storeOptions,
  usage: `fxdesk store forget ${idOrClient} [flags]`,
  description:
    "Deletes a recorded ID, for example of a consent, from the suggestions in forms, or all recorded IDs of a client. Nothing " +
    "changes at the service. To delete the details of payments in the journal, use fxdesk journal erase.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const settings = storeSettingsFrom(parsed, terminal);
    // Opening a mistyped path would create an empty store and report success.
    if (!storeExists(settings))
      throw new UsageError(
        `There is no store at ${redactLocation(settings.location)}. Nothing was deleted. Set its location with FXDESK_STORE or --store.`,
      );
    const [{ withStore }, { forgetResourceIds }] = await Promise.all([
      import("../../core/store/open.js"),
      import("../../core/store/resource-ids.js"),
    ]);
    const forgotten = await withStore(settings, (store) => forgetResourceIds(store, idOrClient));
    await print(parsed, terminal, { forgotten }, [["Deleted", String(forgotten)]]);
    return success;
  },
});

const commands: Readonly<Record<string, Command>> = {
  check,
  forget: forget("<id or client>"),
  migrate,
  move,
};

const commandNames = Object.keys(commands).join(", ");

const overview: Command = {
  usage: "fxdesk store <command> [flags]",
  description: "The store is the database of fxdesk: journal, tokens, watch positions, releases and halts.",
  flags: [],
  helpSections: [
    section(
      "Commands (add --help for details)",
      columns(Object.entries(commands).map(([name, { description }]) => [name, description] as const)),
    ),
    ...storeOptions.helpSections,
  ],
  run: () =>
    Promise.reject(
      new UsageError(`Name a command: fxdesk store ${commandNames}. Run fxdesk store --help for details.`),
    ),
};

function forgetCommand([idOrClient, ...rest]: readonly string[]): readonly [Command, readonly string[]] {
  if (idOrClient === "--help" || idOrClient === "-h") return [commands.forget!, [idOrClient]];
  if (idOrClient === undefined || idOrClient.startsWith("-"))
    throw new UsageError(
      "Name an ID or a client: fxdesk store forget <id or client> [flags]. Flags come last.",
    );
  // The empty text would match all IDs recorded without a client.
  if (idOrClient === "")
    throw new UsageError('<id or client> must be an ID or a client, not "". Nothing was deleted.');
  return [forget(idOrClient), rest];
}

/** Returns the command named by the first argument, and its remaining arguments. */
export function storeCommand(args: readonly string[]): readonly [Command, readonly string[]] {
  const [subcommand, ...rest] = args;
  if (subcommand === undefined || subcommand.startsWith("-")) return [overview, args];
  const command = Object.hasOwn(commands, subcommand) ? commands[subcommand] : undefined;
  if (!command)
    throw new UsageError(
      `There is no command ${JSON.stringify(subcommand)}. Use fxdesk store ${commandNames}.`,
    );
  return subcommand === "forget" ? forgetCommand(rest) : [command, rest];
}
