/** Verifies a journal or an export: the hash chain, the details, and the entries derived from the events. */
import type { Store } from "../store/open";
import {
  type EventDetails,
  hashEvent,
  hashDetails,
  type ChainHead,
  emptyHead,
  storeEvents,
  unsealDetails,
} from "./hash-chain";
import type { EntryState } from "./entry";
import { parseEvent, parseLine, readEventRows, readLines, type RecordedEvent } from "./events";

/** A deviation from what fxdesk writes. */
export interface Fault {
  /** Line of the export, or event or entry of the store. */
  readonly where: string;
  readonly message: string;
}

export interface VerificationResult {
  readonly events: number;
  readonly entries: number;
  /** Store it elsewhere. As long as a later journal contains it, no event up to it was changed or removed. */
  readonly head: ChainHead;
  /** The first 100 faults. */
  readonly faults: readonly Fault[];
  readonly faultCount: number;
}

const maxFaults = 100;

/** State of an entry, derived from its events. */
interface EntrySummary {
  readonly key: string;
  readonly intent: number;
  readonly latest: number;
  readonly state: EntryState;
}

/** Event kinds allowed in each state. The first event of an entry is its intent. */
const allowedNext: Readonly<Record<EntryState, readonly string[]>> = {
  intended: ["sent", "ended"],
  sent: ["ended"],
  unknown: ["ended", "erased"],
  done: ["erased"],
  rejected: ["erased", "intent"],
  "not-sent": ["erased", "intent"],
};

const storeKinds: ReadonlySet<string> = new Set(["restored", "confirmed", "checked"]);

const serializeKey = ({ environment, client, operation, key }: RecordedEvent["content"]): string =>
  JSON.stringify([environment, client, operation, key]);

class Verifier {
  readonly #faults: Fault[] = [];
  #faultCount = 0;
  #events = 0;
  /** The previous event; undefined if it was unreadable. */
  last: ChainHead | undefined = emptyHead;
  readonly entries = new Map<string, EntrySummary>();
  readonly #keys = new Map<string, string>();
  /** Events without their details, by entry. */
  readonly #missingDetails = new Map<string, string[]>();

  constructor(private readonly expected: ChainHead | undefined) {}

  addFault(where: string, message: string): void {
    this.#faultCount += 1;
    if (this.#faults.length < maxFaults) this.#faults.push({ where, message });
  }

  addUnreadable(where: string, message: string): void {
    this.addFault(where, message);
    this.last = undefined;
  }

  checkEvent(where: string, event: RecordedEvent): void {
    this.#events += 1;
    if (this.last) this.#checkLink(where, this.last, event);
    this.last = { seq: event.seq, hash: event.hash };
    const { expected } = this;
    if (expected?.seq === event.seq && expected.hash !== event.hash)
      this.addFault(where, `the hash of event ${event.seq} differs from the given head`);
    this.#checkTransition(where, event);
  }

  /** Checks the details of an event. `read` returns undefined if they are missing. */
  checkDetails(
    where: string,
    { content, entry, kind }: RecordedEvent,
    read: () => EventDetails | undefined,
  ): void {
    let details: EventDetails | undefined;
    try {
      details = read();
    } catch (error) {
      this.addFault(where, `its details cannot be read: ${(error as Error).message}`);
      return;
    }
    if (details && hashDetails(details) !== content.details) this.addFault(where, "its details were changed");
    if (kind === "erased") this.#missingDetails.delete(entry);
    if (!details && content.details !== undefined)
      this.#missingDetails.set(entry, [...(this.#missingDetails.get(entry) ?? []), where]);
  }

  #checkLink(where: string, last: ChainHead, event: RecordedEvent): void {
    if (event.seq !== last.seq + 1) this.addFault(where, `event ${event.seq} follows event ${last.seq}`);
    else if (event.hash !== hashEvent(last.hash, event))
      this.addFault(
        where,
        "its hash does not match its content and the previous hash: one of the two events was changed",
      );
  }

  #checkTransition(where: string, { entry, kind, seq, content }: RecordedEvent): void {
    if (entry === storeEvents) {
      if (!storeKinds.has(kind)) this.addFault(where, `"${kind}" is not an event of the store`);
      return;
    }
    const known = this.entries.get(entry);
    const allowed = known ? allowedNext[known.state] : ["intent"];
    if (!allowed?.includes(kind))
      this.addFault(
        where,
        `"${kind}" is not allowed, because entry ${entry} is ${known?.state ?? "missing"}`,
      );
    if (kind === "intent") this.#addIntent(where, entry, seq, content);
    else if (known && kind === "sent") this.entries.set(entry, { ...known, latest: seq, state: "sent" });
    else if (known && kind === "ended")
      this.entries.set(entry, { ...known, latest: seq, state: content.state as EntryState });
  }

  #addIntent(where: string, entry: string, seq: number, content: RecordedEvent["content"]): void {
    const key = serializeKey(content);
    if ((this.#keys.get(key) ?? entry) !== entry)
      this.addFault(where, `entries ${this.#keys.get(key)} and ${entry} have the same key`);
    this.#keys.set(key, entry);
    this.entries.set(entry, { key, intent: seq, latest: seq, state: "intended" });
  }

  /** Checks the last event as the last line of an export states it. */
  checkLastLine(where: string, stated: ChainHead): void {
    if (this.last && (this.last.seq !== stated.seq || this.last.hash !== stated.hash))
      this.addFault(
        where,
        `the stated last event ${stated.seq} differs in number or hash from event ${this.last.seq}`,
      );
  }

  finish(): VerificationResult {
    for (const where of [...this.#missingDetails.values()].flat())
      this.addFault(where, "its details are missing, and no event records that they were erased");
    const { expected } = this;
    const head = this.last ?? emptyHead;
    if (expected && expected.seq > head.seq)
      this.addFault("end", `it ends with event ${head.seq}, but the given head is event ${expected.seq}`);
    return {
      events: this.#events,
      entries: this.entries.size,
      head,
      faults: this.#faults,
      faultCount: this.#faultCount,
    };
  }
}

/** Verifies an export. `head` is a head that was stored elsewhere. */
export async function verifyExport(
  chunks: AsyncIterable<Uint8Array>,
  head?: ChainHead,
): Promise<VerificationResult> {
  const verifier = new Verifier(head);
  let number = 0;
  let isLastLineRead = false;
  for await (const { text, isComplete } of readLines(chunks)) {
    number += 1;
    const where = `line ${number}`;
    const parsed = isComplete ? parseLine(text) : undefined;
    if (!parsed) verifier.addUnreadable(where, isComplete ? "is malformed" : "is cut off");
    else if (isLastLineRead) verifier.addUnreadable(where, "follows the last line");
    else if ("event" in parsed) {
      verifier.checkEvent(where, parsed.event);
      verifier.checkDetails(where, parsed.event, () => parsed.event.details);
    } else {
      isLastLineRead = true;
      verifier.checkLastLine(where, parsed.last);
    }
  }
  if (!isLastLineRead) verifier.addFault("end", "the last line, with the number of events, is missing");
  return verifier.finish();
}

/** Verifies the journal of a store. `head` is a head that was stored elsewhere. */
export async function verifyStore(store: Store, head?: ChainHead): Promise<VerificationResult> {
  const verifier = new Verifier(head);
  for await (const row of readEventRows(store)) {
    const where = `event ${Number(row.seq)}`;
    try {
      const event = parseEvent(row);
      verifier.checkEvent(where, event);
      verifier.checkDetails(where, event, () => unsealDetails(store, row.seq, row.details));
    } catch {
      verifier.addUnreadable(where, "is malformed");
    }
  }
  await compareEntries(verifier, store);
  return verifier.finish();
}

/** Compares the entries with the events. Entries written during the verification are skipped. */
async function compareEntries(verifier: Verifier, { run }: Store): Promise<void> {
  const lastSeq = verifier.last?.seq ?? Infinity;
  const rows = await run(
    "SELECT id, environment, client, operation, key, state, intent_seq, latest_seq FROM fxdesk_journal_entries",
  );
  const [newest] = await run("SELECT max(seq) AS seq FROM fxdesk_journal_events");
  const missing = new Map(verifier.entries);
  for (const { id, state, intent_seq: intent, latest_seq: latest, ...key } of rows) {
    const entry = String(id);
    missing.delete(entry);
    if (Number(latest) > lastSeq && Number(latest) <= Number(newest!.seq)) continue;
    const stored: EntrySummary = {
      key: serializeKey(key),
      intent: Number(intent),
      latest: Number(latest),
      state: String(state) as EntryState,
    };
    const known = verifier.entries.get(entry);
    const differs = (Object.keys(stored) as (keyof EntrySummary)[]).filter(
      (name) => known?.[name] !== stored[name],
    );
    if (!known) verifier.addFault(`entry ${entry}`, "has no event");
    else if (differs.length > 0)
      verifier.addFault(`entry ${entry}`, `its ${differs.join(", ")} does not match its events`);
  }
  for (const entry of missing.keys())
    verifier.addFault(`entry ${entry}`, "is missing, although it has events");
  const orphans = await run(
    `SELECT d.seq FROM fxdesk_journal_details AS d
     LEFT JOIN fxdesk_journal_events AS e ON e.seq = d.seq WHERE e.seq IS NULL`,
  );
  for (const { seq } of orphans)
    verifier.addFault(`event ${Number(seq)}`, "is missing, although it has details");
}
