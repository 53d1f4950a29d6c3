/** fxdesk journal: what is known of the calls that commit money. */
import { open } from "node:fs/promises";
import { userInfo } from "node:os";
import type { RecoveredCall } from "../../core/client/response";
import { storeSettingFields } from "../../core/client/settings";
import type { Service } from "../../core/declaration/service";
import { EntryRefusal, eraseDetails, resolveEntry } from "../../core/journal/operator-actions";
import { type ChainHead, parseHead, formatHead } from "../../core/journal/hash-chain";
import type { Entry, EntryState } from "../../core/journal/entry";
import { listEvents, exportLines, type RecordedEvent } from "../../core/journal/events";
import { getEntry, listEntries, storeAccessOf } from "../../core/journal/entry-rows";
import { type VerificationResult, verifyExport, verifyStore } from "../../core/journal/verify";
import { type Store, withStore } from "../../core/store/open";
import { parseStoreSettings } from "../../core/store/settings";
import { type Flag, type ParsedArguments, UsageError } from "../arguments";
import { type Command, jsonFlag } from "../command";
import {
  asUsageError,
  clientOptions,
  connectionHelp,
  settingFlags,
  settingsFrom,
  settingsHelp,
} from "../connection-settings";
import { outcomeUnknown, success } from "../exit-codes";
import { columns, paragraph, section } from "../help";
import { connectionAndProfileFlags, profileHelp, effectiveSettings } from "../profile";
import { table } from "../table";
import { printable, printJson, type Terminal, write, writeStderr } from "../terminal";

const verificationFailed = 1;
const defaultLimit = 50;

const joinWords = (words: readonly string[]): string => words.join(", ").replace(/, (\S+)$/, " or $1");

function parseChoice<W extends string>(flag: string, text: string | undefined, words: readonly W[]): W {
  const word = words.find((each) => each === text);
  if (word === undefined) throw new UsageError(`--${flag} must be ${joinWords(words)}.`);
  return word;
}

const storeHelp = settingsHelp("Store", storeSettingFields);

/** The parts that all commands over the store have. */
const storeOptions = { hiddenFlags: settingFlags(storeSettingFields), helpSections: [storeHelp] } as const;

const readOnlyStoreError = (location: string) =>
  new UsageError(
    `The store ${location} is on a file system that is read-only, and whoever reads the store writes beside it as well. Copy ` +
      "it, with the files beside it that begin with its name, to where you may write, chmod 600, and name the copy with " +
      "--store or FXDESK_STORE.",
  );

/** Does something with the store; an entry that does not allow it is a mistake of usage. */
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
    throw new UsageError(`--limit must be a whole number above zero, not ${JSON.stringify(text)}.`);
  return Number(text);
}

const time = (milliseconds: number): string => new Date(milliseconds).toISOString();

const toRow = ({ id, begunAt, operation, environment, key, state, reference, ending }: Entry) => ({
  begun: time(begunAt),
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
  description: "Lists the calls that commit money, the newest first, and what became of each.",
  flags: [
    {
      name: "state",
      value: "<state>",
      repeats: true,
      description: `Only those that are ${joinWords(states)}; may be given several times.`,
    },
    { name: "limit", value: "<number>", description: `How many at most; ${defaultLimit} by default.` },
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

/** What an event says, on one line; what stands above it is left out. */
function eventText({ kind, content, details }: RecordedEvent): string {
  const { details: hash, ...facts } = content;
  const detailFacts = hash === undefined ? {} : (details?.content ?? { details: "erased" });
  const shownFacts = kind === "intent" ? detailFacts : { ...facts, ...detailFacts };
  return Object.keys(shownFacts).length > 0 ? printable(JSON.stringify(shownFacts)) : "";
}

/** An entry for people: what it is, and what happened to it. */
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
  description: "Shows an entry and all that happened to it.",
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
const keyFreedNote = "Its key is free: the same call under it is sent.\n";

/** Who resolves: as it is configured, else the user of the operating system. */
function actorOf({ environment }: Terminal): string | undefined {
  if (environment.FXDESK_ACTOR) return environment.FXDESK_ACTOR;
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

function requiredText(parsed: ParsedArguments, { name, value }: Flag): string {
  const text = parsed.string(name)?.trim();
  if (!text) throw new UsageError(`--${name} is needed: --${name} ${value}.`);
  return text;
}

const outcomeFlag: Flag = {
  name: "outcome",
  value: `<${resolutions.join("|")}>`,
  description: "What became of it. not-sent frees its key: the same call is sent again under it.",
};
const noteFlag: Flag = { name: "note", value: "<text>", description: "How you know; kept with the entry." };

const resolve = (id: string): Command => ({
  ...storeOptions,
  usage: `fxdesk journal resolve ${id} --outcome <${resolutions.join("|")}> --note <text> [flags]`,
  description:
    "Says what became of a call whose outcome is unknown. Look it up at the service first: what is said here is given " +
    "to who makes the same call again.",
  flags: [
    outcomeFlag,
    noteFlag,
    { name: "identity", value: "<text>", description: "What identifies what was done, such as a trade ID." },
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
    "Removes the details of an entry for good: who asked, what was sent, what came back. Its key, its outcome and what " +
    "identifies what was done stay, and the chain stays whole.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const entry = await withJournalStore(parsed, terminal, (store) => eraseDetails(store, id));
    if (parsed.boolean("json")) await printJson(terminal, entry);
    else await write(terminal.stdout, `The details of entry ${id} are erased.\n`);
    return success;
  },
});

const recoveryHelp = paragraph(
  "A booking is found by its reference among the trades of the service. A payment is sent once more under its request ID, " +
    "where replays_by_request_id says that the service then does nothing anew. What is not found stays unknown.",
);

async function recoverEntries(
  id: string | undefined,
  service: Service,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<readonly RecoveredCall[]> {
  const { createClient } = await import("../../core/client/client.js");
  const options = clientOptions(await effectiveSettings(parsed, terminal, service), service);
  // What is found is printed: no line of its own tells it.
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

/** Looks for what became of one call, or of all that are unknown. */
const recover = (id: string | undefined, services: Services): Command => ({
  usage: `fxdesk journal recover [${id ?? "<id>"}] [flags]`,
  description:
    "Looks now for what became of a call whose outcome is unknown, or of all of this connection. Whoever commits money " +
    "by fxdesk looks for them in the background as well, again and again.",
  flags: [jsonFlag],
  hiddenFlags: connectionAndProfileFlags(),
  helpSections: [recoveryHelp, connectionHelp(), paragraph(profileHelp)],
  async run(parsed, terminal) {
    const found = await recoverEntries(id, await services.extended(), parsed, terminal);
    const { stdout } = terminal;
    if (parsed.boolean("json")) await printJson(terminal, found);
    else if (found.length === 0) await write(stdout, "Nothing is unknown.\n");
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
    "Prints the journal as JSON Lines: a line for each event, with its details unless they are erased, and one that says " +
    "how many they are. The details are in plain text: keep them as the store is kept.",
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
    throw new UsageError("--head must be a number, a colon and 64 hex digits, as verify prints it.");
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
    "Says whether the journal is whole, and what in it was changed; the exit code is 1 then. It prints the head, which you " +
    "keep elsewhere: given as --head later, it shows that nothing before it was changed and no end was cut off.",
  flags: [
    { name: "file", value: "<path>", description: "Verify an export instead of the store." },
    { name: "head", value: "<number:hash>", description: "A head that was kept elsewhere, to compare with." },
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

/** Of who only reads help. */
const noServices: Services = { extended: () => Promise.reject(new Error("There is no service.")) };

const overview: Command = {
  usage: "fxdesk journal <command> [flags]",
  description: "What is known of the calls that commit money: on disk before they leave, and how they ended.",
  flags: [],
  helpSections: [
    section(
      "Commands, each with its own --help",
      columns([
        ...Object.entries(journalCommands).map(([name, { description }]) => [name, description] as const),
        ...Object.entries(entryCommands).map(
          ([name, of]) => [`${name} <id>`, of("<id>").description] as const,
        ),
        ["recover [id]", recover(undefined, noServices).description],
      ]),
    ),
    storeHelp,
  ],
  run: () => {
    throw new UsageError(`Which command? ${commandNames()}.`);
  },
};

const commandNames = () =>
  `fxdesk journal ${joinWords([...Object.keys(journalCommands), ...Object.keys(entryCommands), "recover"])}`;

/** Loads the operations for the command that needs them. */
interface Services {
  readonly extended: () => Promise<Service>;
}

function recoverCommand(args: readonly string[], services: Services): readonly [Command, readonly string[]] {
  const [id, ...rest] = args;
  return id === undefined || id.startsWith("-")
    ? [recover(undefined, services), args]
    : [recover(id, services), rest];
}

/** The command that the first words name, and its arguments. */
export function journalCommand(
  [subcommand, ...args]: readonly string[],
  services: Services,
): readonly [Command, readonly string[]] {
  if (subcommand === undefined) return [overview, []];
  if (subcommand === "recover") return recoverCommand(args, services);
  if (subcommand.startsWith("-")) return [overview, [subcommand, ...args]];
  if (Object.hasOwn(journalCommands, subcommand)) return [journalCommands[subcommand]!, args];
  if (!Object.hasOwn(entryCommands, subcommand))
    throw new UsageError(`There is no command ${JSON.stringify(subcommand)}. There is ${commandNames()}.`);
  const [id, ...rest] = args;
  if (id !== undefined && !id.startsWith("-")) return [entryCommands[subcommand]!(id), rest];
  if (id === "--help" || id === "-h") return [entryCommands[subcommand]!("<id>"), ["--help"]];
  throw new UsageError(`Of which entry? fxdesk journal ${subcommand} <id>; fxdesk journal list lists them.`);
}
