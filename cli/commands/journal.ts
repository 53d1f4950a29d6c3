/** The `fxdesk journal` commands. */
import { open } from "node:fs/promises";
import { userInfo } from "node:os";
import type { RecoveredCall } from "../../core/call/response";
import { EntryRefusal, eraseDetails, resolveEntry } from "../../core/journal/operator-actions";
import { type ChainHead, parseHead, formatHead } from "../../core/journal/hash-chain";
import type { Entry } from "../../core/journal/entry";
import { listEvents, exportLines, type RecordedEvent } from "../../core/journal/events";
import { getEntry } from "../../core/journal/entry-rows";
import type { VerificationResult } from "../../core/journal/verify";
import { verifyExport } from "../../core/journal/verify-export";
import { verifyStore } from "../../core/journal/verify-store";
import {
  choiceFrom,
  type Flag,
  type ParsedArguments,
  requiredText,
  UsageError,
} from "../command-line/arguments";
import {
  columns,
  commandGroup,
  type FindCommand,
  jsonFlag,
  type MemberCommand,
  paragraph,
  printResult,
  section,
} from "../command-line/command";
import { withClient } from "../settings/connected-client";
import {
  readStore,
  refusalAsUsage,
  type ServiceLoader,
  storeOptions,
  storeSettingsFrom,
  useStore,
} from "../settings/connection-settings";
import { checkSecret, personFlag } from "../settings/people-settings";
import { outcomeUnknown } from "../command-line/exit-codes";
import { connectionAndProfileOptions } from "../settings/profile";
import { list } from "./journal-list";
import { reconcile } from "./journal-reconcile";
import { receipt } from "./journal-receipt";
import { printable, type Terminal, write, writeStderr } from "../terminal/terminal";

const verificationFailed = 1;
const time = (milliseconds: number): string => new Date(milliseconds).toISOString();

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
  return `${columns(facts)}\n\n${section("Events", eventRows)}\n`;
}

/** Run a command on an entry of the store and convert its refusal to a UsageError. */
const readEntry: typeof readStore = (...args) => refusalAsUsage(EntryRefusal, () => readStore(...args));
const useEntry: typeof useStore = (...args) => refusalAsUsage(EntryRefusal, () => useStore(...args));

const show: MemberCommand = {
  operand: "<id>",
  description: "Shows an entry with all its events.",
  flags: [jsonFlag],
  run: (parsed, terminal) =>
    readEntry(parsed, terminal, async (store) => {
      const id = parsed.operand;
      const found = await getEntry(store, id);
      if (!found)
        throw new EntryRefusal(
          `Journal entry ${id} does not exist. List entries with \`fxdesk journal list\`.`,
        );
      const events = await listEvents(store, id);
      await printResult(parsed, terminal, { ...found, events }, renderEntry(found, events));
    }),
};

const resolutions = ["done", "rejected", "not-sent"] as const;
const keyFreedNote = "Its key is free again: repeating the call with this key sends it.\n";

/** Returns the name of the person who resolves: with a people file only after their secret, otherwise by default that of the user. */
async function resolverOf(parsed: ParsedArguments, terminal: Terminal): Promise<string | undefined> {
  const { people } = storeSettingsFrom(parsed, terminal);
  if (people !== undefined) {
    const by = requiredText(parsed, personFlag);
    await checkSecret(people, by, terminal);
    return by;
  }
  const named = parsed.string(personFlag.name) ?? terminal.environment.FXDESK_ACTOR;
  if (named) return named;
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

const resolve: MemberCommand = {
  operand: "<id>",
  requiredFlags: `--outcome <${resolutions.join("|")}> --note <text>`,
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
    personFlag,
    jsonFlag,
  ],
  async run(parsed, terminal) {
    requiredText(parsed, outcomeFlag);
    const resolution = {
      state: choiceFrom(parsed, "outcome", resolutions)!,
      note: requiredText(parsed, noteFlag),
      identity: parsed.string("identity"),
      actor: await resolverOf(parsed, terminal),
    };
    const entry = await useEntry(parsed, terminal, (store) =>
      resolveEntry(store, parsed.operand, resolution),
    );
    await printResult(parsed, terminal, entry, `Entry ${entry.id} is ${entry.state}.\n`);
    if (entry.state === "not-sent") await writeStderr(terminal, keyFreedNote);
  },
};

const erase: MemberCommand = {
  operand: "<id>",
  description:
    "Permanently deletes the details of an entry: requester, request and response. Its key, its outcome and the ID of its " +
    "result stay, and the journal can still be verified.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const entry = await useEntry(parsed, terminal, (store) => eraseDetails(store, parsed.operand));
    await printResult(parsed, terminal, entry, `The details of entry ${entry.id} are erased.\n`);
  },
};

const recoveryHelp = paragraph(
  "Bookings are looked up by reference among the trades of the service. Payments are sent again with the same request ID, but " +
    "only if FXDESK_REPLAYS_BY_REQUEST_ID states that the service does not execute them twice. Calls that are not found stay unknown.",
);

const recover = (loadService: ServiceLoader): MemberCommand => ({
  ...connectionAndProfileOptions(),
  operand: "[id]",
  description:
    "Looks up the outcome of a call whose outcome is unknown, or of all such calls, and names those that it cannot look up. " +
    "Exits with code 7 if any stays unknown. Running fxdesk processes that make money calls also look up calls in the background.",
  flags: [jsonFlag],
  helpSections: [recoveryHelp, ...connectionAndProfileOptions().helpSections],
  async run(parsed, terminal) {
    const found = await withClient(await loadService(), parsed, terminal, (client) =>
      refusalAsUsage(EntryRefusal, () => client.recover(parsed.operand || undefined)),
    );
    const lines = found.length === 0 ? ["No call has an unknown outcome."] : found.map(recoveredLine);
    await printResult(parsed, terminal, found, `${lines.join("\n")}\n`);
    return found.some(({ state }) => state === "unknown") ? outcomeUnknown : undefined;
  },
});

const recoveredLine = ({ entry, operation, state, identity = "", remark }: RecoveredCall): string =>
  printable([entry, operation, state, identity, remark].filter(Boolean).join("  "));

const exportCommand: MemberCommand = {
  description:
    "Prints the journal as JSON Lines, to redirect to a file: one line per event, with its details unless they were erased, and a last line with the " +
    "number of events. Details are not encrypted: protect the file like the store.",
  flags: [],
  async run(parsed, terminal) {
    await readStore(parsed, terminal, async (store) => {
      for await (const line of exportLines(store)) await write(terminal.stdout, line);
    });
  },
};

function headsFrom(parsed: ParsedArguments, flag: "head" | "from"): ChainHead[] {
  return (parsed.strings(flag) ?? []).map((text) => {
    const head = parseHead(text);
    if (!head)
      throw new UsageError(
        `--${flag} must be a number, a colon and 64 hex digits, as printed by fxdesk journal verify.`,
      );
    return head;
  });
}

async function verifyFile(path: string, heads: readonly ChainHead[]): Promise<VerificationResult> {
  const file = await open(path).catch((error: Error) => {
    throw new UsageError(`--file cannot be read: ${error.message}.`);
  });
  return verifyExport(file.createReadStream(), heads);
}

const verify: MemberCommand = {
  description:
    "Checks whether journal events were changed or removed. If so, lists the faults and exits with code 1. Store the printed " +
    "head elsewhere and pass it as --head later, to prove that no event before it was changed or cut off.",
  flags: [
    { name: "file", value: "<path>", description: "Verify an export instead of the store." },
    {
      name: "head",
      value: "<number:hash>",
      repeats: true,
      description: "Head printed by an earlier verification, to compare with. May be repeated.",
    },
    {
      name: "from",
      value: "<number:hash>",
      repeats: true,
      description:
        "Head up to which the store was verified before. Only later events, and their entries, are verified. May be repeated.",
    },
    jsonFlag,
  ],
  async run(parsed, terminal) {
    const path = parsed.string("file");
    const [heads, from] = [headsFrom(parsed, "head"), headsFrom(parsed, "from")];
    if (path && from.length > 0)
      throw new UsageError("--from is for a store, and cannot be used with --file.");
    const verified = path
      ? await verifyFile(path, heads)
      : await readStore(parsed, terminal, (store) =>
          verifyStore(store, { heads, from, settings: storeSettingsFrom(parsed, terminal) }),
        );
    const found = verified.heads.map((each) => ({ environment: each.environment, head: formatHead(each) }));
    await printResult(parsed, terminal, { ...verified, heads: found }, renderVerification(verified));
    return verified.faultCount === 0 ? undefined : verificationFailed;
  },
};

function renderVerification({ events, entries, heads, faults, faultCount }: VerificationResult): string {
  const rows = [
    ["Events", String(events)],
    ["Entries", String(entries)],
    ...heads.map((head) => ["Head", `${formatHead(head)} ${printable(head.environment)}`] as const),
    ["Faults", String(faultCount)],
    ...faults.map(({ where, message }) => [`  ${where}`, printable(`${message}.`)] as const),
  ] as const;
  return `${columns(rows)}\n`;
}

export const journalCommands = (loadService: ServiceLoader): FindCommand =>
  commandGroup({
    name: "fxdesk journal",
    description:
      "The journal records each money call and each released change: its intent before it is sent, and its outcome.",
    options: storeOptions,
    commands: {
      list,
      export: exportCommand,
      verify,
      show,
      receipt,
      resolve,
      erase,
      recover: recover(loadService),
      reconcile: reconcile(loadService),
    },
  });
