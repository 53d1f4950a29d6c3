/** fxdesk store: the database in which fxdesk keeps what has to outlive a process. */
import { environmentName, storeSettingFields } from "../../core/client/settings";
import {
  storeExists,
  redactLocation,
  parseStoreSettings,
  type StoreSettings,
} from "../../core/store/settings";
import { type ParsedArguments, UsageError } from "../arguments";
import { type Command, jsonFlag } from "../command";
import { asUsageError, settingFlags, settingsFrom, settingsHelp } from "../connection-settings";
import { success } from "../exit-codes";
import { columns, section } from "../help";
import { printJson, type Terminal, write } from "../terminal";

const checkFailed = 1;

const storeSettingsFrom = (parsed: ParsedArguments, terminal: Terminal): StoreSettings =>
  asUsageError(() => parseStoreSettings(settingsFrom(parsed, terminal.environment)));

/** Prints what is known as JSON, or in rows. */
async function print(
  parsed: ParsedArguments,
  terminal: Terminal,
  value: object,
  rows: readonly (readonly [name: string, value: string])[],
): Promise<void> {
  if (parsed.boolean("json")) await printJson(terminal, value);
  else await write(terminal.stdout, `${columns(rows)}\n`);
}

/** What all commands of the store take. */
const storeOptions = {
  hiddenFlags: settingFlags(storeSettingFields),
  helpSections: [settingsHelp("Store", storeSettingFields)],
};

const check: Command = {
  ...storeOptions,
  usage: "fxdesk store check [flags]",
  description:
    "Opens the store, makes it where there is none, and says what in it cannot be read or was changed.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const settings = storeSettingsFrom(parsed, terminal);
    const { checkStore } = await import("../../core/store/check.js");
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
    "Brings the tables of the store to the newest version, as the first process to use it does by itself, and says from which.",
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

/** Where the store moves to, with its own key or that of the old one. */
function targetSettingsFrom(parsed: ParsedArguments, terminal: Terminal): StoreSettings {
  const { storeKey } = settingsFrom(parsed, terminal.environment);
  const store = parsed.string("to");
  if (!store) throw new UsageError("--to is needed: where the store moves to.");
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
    "Moves everything in the store to an empty place, whole or not at all. What still uses the old one is refused from then on, and " +
    `told where it is. ${targetKey} in the environment encrypts the new one; by default FXDESK_STORE_KEY does.`,
  flags: [
    {
      name: "to",
      value: "<place>",
      description: "The absolute path of a file that is not there yet, or an empty PostgreSQL database.",
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
      ["Next", "Set FXDESK_STORE to the new place wherever the store is used."],
    ]);
    return success;
  },
};

const forget = (idOrClient: string): Command => ({
  ...storeOptions,
  usage: `fxdesk store forget ${idOrClient} [flags]`,
  description:
    "Removes an identifier that a call created, such as that of a consent, from what forms offer; or all of a client. " +
    "The service is told nothing. Payments stand in the journal: fxdesk journal erase removes their details.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const settings = storeSettingsFrom(parsed, terminal);
    // Opened, it would be made, and nothing be forgotten where the path is mistyped.
    if (!storeExists(settings))
      throw new UsageError(
        `There is no store at ${redactLocation(settings.location)}: nothing is forgotten. FXDESK_STORE or --store says where it is.`,
      );
    const [{ withStore }, { forgetResourceIds }] = await Promise.all([
      import("../../core/store/open.js"),
      import("../../core/store/resource-ids.js"),
    ]);
    const forgotten = await withStore(settings, (store) => forgetResourceIds(store, idOrClient));
    await print(parsed, terminal, { forgotten }, [["Forgotten", String(forgotten)]]);
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
  description: "The store keeps what has to outlive a process.",
  flags: [],
  helpSections: [
    section(
      "Commands",
      columns(Object.entries(commands).map(([name, { description }]) => [name, description] as const)),
    ),
    ...storeOptions.helpSections,
  ],
  run: () =>
    Promise.reject(
      new UsageError(`Say what to do with the store: ${commandNames}. fxdesk store --help explains them.`),
    ),
};

function forgetCommand([idOrClient, ...rest]: readonly string[]): readonly [Command, readonly string[]] {
  if (idOrClient === "--help" || idOrClient === "-h") return [commands.forget!, [idOrClient]];
  if (idOrClient === undefined || idOrClient.startsWith("-"))
    throw new UsageError("Forget what? fxdesk store forget <id or client> [flags]: flags come after it.");
  // What is noted without a client would be all of the empty one.
  if (idOrClient === "")
    throw new UsageError('<id or client> must be an identifier or a client, not "": nothing is forgotten.');
  return [forget(idOrClient), rest];
}

/** The command that the first word names, and its arguments. */
export function storeCommand(args: readonly string[]): readonly [Command, readonly string[]] {
  const [subcommand, ...rest] = args;
  if (subcommand === undefined || subcommand.startsWith("-")) return [overview, args];
  const command = Object.hasOwn(commands, subcommand) ? commands[subcommand] : undefined;
  if (!command)
    throw new UsageError(`fxdesk store has no ${JSON.stringify(subcommand)}; it has ${commandNames}.`);
  return subcommand === "forget" ? forgetCommand(rest) : [command, rest];
}
