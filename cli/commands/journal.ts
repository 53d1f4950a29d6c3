/** The `fxdesk journal` commands. */
import { open } from "node:fs/promises";
import { userInfo } from "node:os";
import type { RecoveredCall } from "../../core/call/response";
import { storeSettingFields } from "../../core/call/settings";
import type { Service } from "../../core/spec/service";
import { EntryRefusal, eraseDetails, resolveEntry } from "../../core/journal/operator-actions";
import { type ChainHead, parseHead, formatHead } from "../../core/journal/hash-chain";
import type { Entry, EntryState } from "../../core/journal/entry";
import { listEvents, exportLines, type RecordedEvent } from "../../core/journal/events";
import { getEntry, listEntries } from "../../core/journal/entry-rows";
import { storeAccessOf, type Store, withStore } from "../../core/store/open";
import { type VerificationResult, verifyExport, verifyStore } from "../../core/journal/verify";
import { parseStoreSettings } from "../../core/store/settings";
import { type Flag, type ParsedArguments, requiredText, UsageError } from "../command-line/arguments";
import { type Command, jsonFlag } from "../command-line/command";
import {
  asUsageError,
  clientOptions,
  connectionHelp,
  settingFlags,
  settingsFrom,
  settingsHelp,
} from "../settings/connection-settings";
import { outcomeUnknown, success } from "../command-line/exit-codes";
import { columns, paragraph, section } from "../command-line/help";
import type { ServiceLoader } from "../settings/extensions";
import { connectionAndProfileFlags, profileHelp, effectiveSettings } from "../settings/profile";
import { table } from "../terminal/table";
import { printable, printJson, type Terminal, write, writeStderr } from "../terminal/terminal";

const verificationFailed = 1;
const defaultLimit = 50;

const joinWords = (words: readonly string[]): string => words.join(", ").replace(/, (\S+)$/, " or $1");

function parseChoice<W extends string>(flag: string, text: string | undefined, words: readonly W[]): W {
  const word = words.find((each) => each === text);
  if (word === undefined) throw new UsageError(`--${flag} must be ${joinWords(words)}.`);
  return word;
}

const storeHelp = settingsHelp("Store", storeSettingFields);

/** Options shared by all commands that open the store. */
const storeOptions = { hiddenFlags: settingFlags(storeSettingFields), helpSections: [storeHelp] } as const;

const readOnlyStoreError = (location: string) =>
  new UsageError(
    `The store ${location} is on a read-only file system, but even reading it writes helper files next to it. Copy it and all ` +
      "files that start with its name to a writable folder, chmod 600 them, and pass the copy with --store or FXDESK_STORE.",
  );

/** Runs `work` on the store. Converts a refusal by an entry to a UsageError. */
async function withJournalStore<T>(
  parsed: ParsedArguments,
  { environment }: Terminal,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const settings = asUsageError(() => parseStoreSettings(settingsFrom(parsed, environment)));
  try {
    return await withStore(settings, work);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EROFS") throw readOnlyStoreError(settings.location);
    throw error instanceof EntryRefusal ? new UsageError(error.message) : error;
  }
}

const states: readonly EntryState[] = ["intended", "sent", "done", "rejected", "not-sent", "unknown"];

function limitFrom(parsed: ParsedArguments): number {
  const text = parsed.string("limit") ?? String(defaultLimit);
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError(`--limit must be a whole number of at least 1, not ${JSON.stringify(text)}.`);
  return Number(text);
}

const time = (milliseconds: number): string => new Date(milliseconds).toISOString();

const toRow = ({ id, begunAt, operation, environment, key, state, reference, ending }: Entry) => ({
  started: time(begunAt),
  entry: id,
  operation,
  state,
  identity: ending?.identity,
  reference,
  key,
  environment,
});

const list: Command = {
  ...storeOptions,
  usage: "fxdesk journal list [flags]",
  description: "Lists calls that commit money with their outcomes, newest first.",
  flags: [
    {
      name: "state",
      value: "<state>",
      repeats: true,
      description: `Only entries in this state: ${joinWords(states)}. May be repeated.`,
    },
    { name: "limit", value: "<number>", description: `Maximum number of entries. Default: ${defaultLimit}.` },
    jsonFlag,
  ],
  async run(parsed, terminal) {
    const given = parsed.strings("state")?.map((text) => parseChoice("state", text, states));
    const filter = { limit: limitFrom(parsed), ...(given && { state: given }) };
    const entries = await withJournalStore(parsed, terminal, (store) =>
      listEntries(storeAccessOf(store), filter),
    );
    const { stdout } = terminal;
    if (parsed.boolean("json")) await printJson(terminal, entries);
    else await write(stdout, table(entries.map(toRow), stdout.isTTY ? stdout.columns : undefined));
    return success;
  },
};

/** Renders the facts of an event on one line, without those in the header of the entry. */
function eventText({ kind, content, details }: RecordedEvent): string {
  const { details: hash, ...facts } = content;
  const detailFacts = hash === undefined ? {} : (details?.content ?? { details: "erased" });
  const shownFacts = kind === "intent" ? detailFacts : { ...facts, ...detailFacts };
  return Object.keys(shownFacts).length > 0 ? printable(JSON.stringify(shownFacts)) : "";
}

/** Renders an entry with its events. */
function renderEntry(entry: Entry, events: readonly RecordedEvent[]): string {
  const facts = Object.entries({
    Entry: entry.id,
    Operation: entry.operation,
    State: entry.state,
    Identity: entry.ending?.identity,
    Environment: entry.environment,
    Client: entry.client,
    Key: entry.key,
    Reference: entry.reference,
    Surface: entry.surface,
    Actor: entry.intent?.actor,
  }).flatMap(([name, value]) => (value ? [[name, printable(value)] as const] : []));
  const eventRows = events.map(
    (event) => [`${event.seq}  ${time(event.at)}  ${event.kind}`, eventText(event)] as const,
  );
  return `${columns(facts)}\n\n${section("Events", columns(eventRows))}\n`;
}

const show = (id: string): Command => ({
  ...storeOptions,
  usage: `fxdesk journal show ${id} [flags]`,
  description: "Shows an entry with all its events.",
  flags: [jsonFlag],
  run: (parsed, terminal) =>
    withJournalStore(parsed, terminal, async (store) => {
      const source = storeAccessOf(store);
      const found = await getEntry(source, id);
      if (!found)
        throw new EntryRefusal(
          `Journal entry ${id} does not exist. List entries with \`fxdesk journal list\`.`,
        );
      const events = await listEvents(source, id);
      if (parsed.boolean("json")) await printJson(terminal, { ...found.entry, events });
      else await write(terminal.stdout, renderEntry(found.entry, events));
      return success;
    }),
});

const resolutions = ["done", "rejected", "not-sent"] as const;
const keyFreedNote = "Its key is free again: repeating the call with this key sends it.\n";

/** Returns the name of the person who resolves: FXDESK_ACTOR, otherwise the user of the operating system. */
function actorOf({ environment }: Terminal): string | undefined {
  if (environment.FXDESK_ACTOR) return environment.FXDESK_ACTOR;
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

const outcomeFlag: Flag = {
  name: "outcome",
  value: `<${resolutions.join("|")}>`,
  description: "Outcome of the call. not-sent frees its key, so that the same call can be sent again.",
};
const noteFlag: Flag = {
  name: "note",
  value: "<text>",
  description: "How you know the outcome; stored with the entry.",
};

const resolve = (id: string): Command => ({
  ...storeOptions,
  usage: `fxdesk journal resolve ${id} --outcome <${resolutions.join("|")}> --note <text> [flags]`,
  description:
    "Records the outcome of a call whose outcome is unknown. Look it up at the service first: repeating the call returns the " +
    "outcome that you record here.",
  flags: [
    outcomeFlag,
    noteFlag,
    {
      name: "identity",
      value: "<text>",
      description: "ID of the result at the service, for example the trade ID.",
    },
    jsonFlag,
  ],
  async run(parsed, terminal) {
    const resolution = {
      state: parseChoice("outcome", requiredText(parsed, outcomeFlag), resolutions),
      note: requiredText(parsed, noteFlag),
      identity: parsed.string("identity"),
      actor: actorOf(terminal),
    };
    const entry = await withJournalStore(parsed, terminal, (store) => resolveEntry(store, id, resolution));
    if (parsed.boolean("json")) await printJson(terminal, entry);
    else await write(terminal.stdout, `Entry ${id} is ${entry.state}.\n`);
    if (entry.state === "not-sent") await writeStderr(terminal, keyFreedNote);
    return success;
  },
});

const erase = (id: string): Command => ({
  ...storeOptions,
  usage: `fxdesk journal erase ${id} [flags]`,
  description:
    "Permanently deletes the details of an entry: requester, request and response. Its key, its outcome and the ID of its " +
    "result stay, and the journal can still be verified.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const entry = await withJournalStore(parsed, terminal, (store) => eraseDetails(store, id));
    if (parsed.boolean("json")) await printJson(terminal, entry);
    else await write(terminal.stdout, `The details of entry ${id} are erased.\n`);
    return success;
  },
});

const recoverDescription =
  "Looks up the outcome of a call whose outcome is unknown, or of all such calls of this connection. Running fxdesk processes " +
  "that commit money also do this in the background.";

const recoveryHelp = paragraph(
  "Bookings are looked up by reference among the trades of the service. Payments are sent again with the same request ID, but " +
    "only if FXDESK_REPLAYS_BY_REQUEST_ID states that the service does not execute them twice. Calls that are not found stay unknown.",
);

async function recoverEntries(
  id: string | undefined,
  service: Service,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<readonly RecoveredCall[]> {
  const { createClient } = await import("../../core/client/client.js");
  const options = clientOptions(await effectiveSettings(parsed, terminal, service), service);
  // The command prints the results itself.
  const client = asUsageError(
    () => createClient({ ...options, onRecovered: () => undefined }, service),
    service,
  );
  try {
    return await client.recover(id);
  } catch (error) {
    throw error instanceof EntryRefusal ? new UsageError(error.message) : error;
  } finally {
    await client.close();
  }
}

/** Returns the command that looks up the outcome of one call, or of all unknown ones. */
const recover = (id: string | undefined, loadService: ServiceLoader): Command => ({
  usage: `fxdesk journal recover [${id ?? "<id>"}] [flags]`,
  description: recoverDescription,
  flags: [jsonFlag],
  hiddenFlags: connectionAndProfileFlags(),
  helpSections: [recoveryHelp, connectionHelp(), paragraph(profileHelp)],
  async run(parsed, terminal) {
    const found = await recoverEntries(id, await loadService(), parsed, terminal);
    const { stdout } = terminal;
    if (parsed.boolean("json")) await printJson(terminal, found);
    else if (found.length === 0) await write(stdout, "No call has an unknown outcome.\n");
    else await write(stdout, `${found.map(recoveredLine).join("\n")}\n`);
    return found.some(({ state }) => state === "unknown") ? outcomeUnknown : success;
  },
});

const recoveredLine = ({ entry, operation, state, identity = "", remark }: RecoveredCall): string =>
  printable([entry, operation, state, identity, remark].filter(Boolean).join("  "));

const exportCommand: Command = {
  ...storeOptions,
  usage: "fxdesk journal export [flags] > journal.jsonl",
  description:
    "Prints the journal as JSON Lines: one line per event, with its details unless they were erased, and a last line with the " +
    "number of events. Details are not encrypted: protect the file like the store.",
  flags: [],
  async run(parsed, terminal) {
    await withJournalStore(parsed, terminal, async (store) => {
      for await (const line of exportLines(storeAccessOf(store))) await write(terminal.stdout, line);
    });
    return success;
  },
};

function headFromFlag(parsed: ParsedArguments): ChainHead | undefined {
  const text = parsed.string("head");
  const head = text === undefined ? undefined : parseHead(text);
  if (text !== undefined && !head)
    throw new UsageError(
      "--head must be a number, a colon and 64 hex digits, as printed by fxdesk journal verify.",
    );
  return head;
}

async function verifyFile(path: string, head: ChainHead | undefined): Promise<VerificationResult> {
  const file = await open(path).catch((error: Error) => {
    throw new UsageError(`--file cannot be read: ${error.message}.`);
  });
  return verifyExport(file.createReadStream(), head);
}

const verify: Command = {
  ...storeOptions,
  usage: "fxdesk journal verify [flags]",
  description:
    "Checks whether journal events were changed or removed. If so, lists the faults and exits with code 1. Store the printed " +
    "head elsewhere and pass it as --head later, to prove that no event before it was changed or cut off.",
  flags: [
    { name: "file", value: "<path>", description: "Verify an export instead of the store." },
    {
      name: "head",
      value: "<number:hash>",
      description: "Head printed by an earlier verification, to compare with.",
    },
    jsonFlag,
  ],
  async run(parsed, terminal) {
    const [path, head] = [parsed.string("file"), headFromFlag(parsed)];
    const verified = path
      ? await verifyFile(path, head)
      : await withJournalStore(parsed, terminal, (store) => verifyStore(store, head));
    if (parsed.boolean("json")) await printJson(terminal, { ...verified, head: formatHead(verified.head) });
    else await write(terminal.stdout, renderVerification(verified));
    return verified.faultCount === 0 ? success : verificationFailed;
  },
};

function renderVerification({ events, entries, head, faults, faultCount }: VerificationResult): string {
  const rows = [
    ["Events", String(events)],
    ["Entries", String(entries)],
    ["Head", formatHead(head)],
    ["Faults", String(faultCount)],
    ...faults.map(({ where, message }) => [`  ${where}`, printable(`${message}.`)] as const),
  ] as const;
  return `${columns(rows)}\n`;
}

const journalCommands: Readonly<Record<string, Command>> = { list, export: exportCommand, verify };
const entryCommands: Readonly<Record<string, (id: string) => Command>> = { show, resolve, erase };

const overview: Command = {
  usage: "fxdesk journal <command> [flags]",
  description:
    "The journal records each call that commits money: its intent before it is sent, and its outcome.",
  flags: [],
  helpSections: [
    section(
      "Commands (add --help for details)",
      columns([
        ...Object.entries(journalCommands).map(([name, { description }]) => [name, description] as const),
        ...Object.entries(entryCommands).map(
          ([name, of]) => [`${name} <id>`, of("<id>").description] as const,
        ),
        ["recover [id]", recoverDescription],
      ]),
    ),
    storeHelp,
  ],
  run: () => {
    throw new UsageError(`Name a command: ${commandNames()}.`);
  },
};

const commandNames = () =>
  `fxdesk journal ${joinWords([...Object.keys(journalCommands), ...Object.keys(entryCommands), "recover"])}`;

function recoverCommand(
  args: readonly string[],
  loadService: ServiceLoader,
): readonly [Command, readonly string[]] {
  const [id, ...rest] = args;
  return id === undefined || id.startsWith("-")
    ? [recover(undefined, loadService), args]
    : [recover(id, loadService), rest];
}

/** Returns the command named by the first arguments, and its remaining arguments. */
export function journalCommand(
  [subcommand, ...args]: readonly string[],
  loadService: ServiceLoader,
): readonly [Command, readonly string[]] {
  if (subcommand === undefined) return [overview, []];
  if (subcommand === "recover") return recoverCommand(args, loadService);
  if (subcommand.startsWith("-")) return [overview, [subcommand, ...args]];
  if (Object.hasOwn(journalCommands, subcommand)) return [journalCommands[subcommand]!, args];
  if (!Object.hasOwn(entryCommands, subcommand))
    throw new UsageError(`There is no command ${JSON.stringify(subcommand)}. Use ${commandNames()}.`);
  const [id, ...rest] = args;
  if (id !== undefined && !id.startsWith("-")) return [entryCommands[subcommand]!(id), rest];
  if (id === "--help" || id === "-h") return [entryCommands[subcommand]!("<id>"), ["--help"]];
  throw new UsageError(
    `Name an entry: fxdesk journal ${subcommand} <id>. Run fxdesk journal list for a list.`,
  );
}
