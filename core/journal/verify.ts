/** Whether a journal, or an export of one, is whole: its chain, the details beside it, and what the entries say. */
import type { Store } from "../store/open";
import { type Details, hashAfter, hashOfDetails, type Head, noEvents } from "./chain";
import type { EntryState } from "./entry";
import { detailsOf, eventOf, eventRows, readLine, type RecordedEvent } from "./events";
import { lines } from "./lines";
import { sourceOf, type Source } from "./rows";

/** Something that is not as fxdesk wrote it. */
export interface Fault {
  /** The line of the export, or the event or entry of the store. */
  readonly where: string;
  readonly message: string;
}

export interface Verified {
  readonly events: number;
  readonly entries: number;
  /** What to keep elsewhere: as long as it is found again, nothing up to it was changed or removed. */
  readonly head: Head;
  /** The first hundred. */
  readonly faults: readonly Fault[];
  readonly faultCount: number;
}

const mostFaults = 100;

/** What the events say of an entry. */
interface Known {
  readonly key: string;
  readonly intent: number;
  readonly latest: number;
  readonly state: EntryState;
}

/** What may follow each state; the first event of an entry is its intent. */
const followed: Readonly<Record<EntryState, readonly string[]>> = {
  intended: ["sent", "ended"],
  sent: ["ended"],
  unknown: ["ended", "erased"],
  done: ["erased"],
  rejected: ["erased", "intent"],
  "not-sent": ["erased", "intent"],
};

const keyIn = ({ environment, client, operation, key }: RecordedEvent["content"]): string =>
  JSON.stringify([environment, client, operation, key]);

class Verifier {
  readonly #faults: Fault[] = [];
  #faultCount = 0;
  #events = 0;
  /** The event before; undefined after one that could not be read. */
  #last: Head | undefined = noEvents;
  readonly entries = new Map<string, Known>();
  readonly #keys = new Map<string, string>();
  /** Events whose details are not there, by entry. */
  readonly #bare = new Map<string, string[]>();

  constructor(private readonly expected: Head | undefined) {}

  fault(where: string, message: string): void {
    this.#faultCount += 1;
    if (this.#faults.length < mostFaults) this.#faults.push({ where, message });
  }

  get last(): Head | undefined {
    return this.#last;
  }

  unreadable(where: string, message: string): void {
    this.fault(where, message);
    this.#last = undefined;
  }

  event(where: string, event: RecordedEvent): void {
    this.#events += 1;
    if (this.#last) this.#link(where, this.#last, event);
    this.#last = { seq: event.seq, hash: event.hash };
    const { expected } = this;
    if (expected?.seq === event.seq && expected.hash !== event.hash)
      this.fault(where, `event ${event.seq} has another hash than the head that was kept`);
    this.#step(where, event);
  }

  /** The details of an event, unless they are there and cannot be read. */
  details(where: string, { content, entry, kind }: RecordedEvent, details: Details | undefined): void {
    if (details && hashOfDetails(details) !== content.details) this.fault(where, "its details were changed");
    if (kind === "erased") this.#bare.delete(entry);
    if (!details && content.details !== undefined)
      this.#bare.set(entry, [...(this.#bare.get(entry) ?? []), where]);
  }

  #link(where: string, last: Head, event: RecordedEvent): void {
    if (event.seq !== last.seq + 1) this.fault(where, `event ${event.seq} follows event ${last.seq}`);
    else if (event.hash !== hashAfter(last.hash, event))
      this.fault(
        where,
        "its hash does not follow from it and from the event before it: one of them was changed",
      );
  }

  #step(where: string, { entry, kind, seq, content }: RecordedEvent): void {
    const known = this.entries.get(entry);
    const allowed = known ? followed[known.state] : ["intent"];
    if (!allowed?.includes(kind))
      this.fault(where, `entry ${entry} is ${known?.state ?? "not there"}, and "${kind}" cannot follow that`);
    if (kind === "intent") this.#intent(where, entry, seq, content);
    else if (known && kind === "sent") this.entries.set(entry, { ...known, latest: seq, state: "sent" });
    else if (known && kind === "ended")
      this.entries.set(entry, { ...known, latest: seq, state: content.state as EntryState });
  }

  #intent(where: string, entry: string, seq: number, content: RecordedEvent["content"]): void {
    const key = keyIn(content);
    if ((this.#keys.get(key) ?? entry) !== entry)
      this.fault(where, `entries ${this.#keys.get(key)} and ${entry} have the same key`);
    this.#keys.set(key, entry);
    this.entries.set(entry, { key, intent: seq, latest: seq, state: "intended" });
  }

  finish(): Verified {
    for (const where of [...this.#bare.values()].flat())
      this.fault(where, "its details are not there, and no event says that they were erased");
    const { expected } = this;
    const head = this.#last ?? noEvents;
    if (expected && expected.seq > head.seq)
      this.fault(
        "end",
        `it ends with event ${head.seq}, and the head that was kept is event ${expected.seq}`,
      );
    return {
      events: this.#events,
      entries: this.entries.size,
      head,
      faults: this.#faults,
      faultCount: this.#faultCount,
    };
  }
}

/** Verifies an export; `head` is one that was kept elsewhere. */
export async function verifyExport(chunks: AsyncIterable<Uint8Array>, head?: Head): Promise<Verified> {
  const verifier = new Verifier(head);
  let number = 0;
  let isOver = false;
  for await (const { text, isWhole } of lines(chunks)) {
    number += 1;
    const where = `line ${number}`;
    const read = isWhole ? readLine(text) : undefined;
    if (!read) verifier.unreadable(where, isWhole ? "is not as fxdesk writes it" : "is cut off");
    else if (isOver) verifier.unreadable(where, "follows the last line");
    else if ("event" in read) {
      verifier.event(where, read.event);
      verifier.details(where, read.event, read.event.details);
    } else {
      isOver = true;
      checkLast(verifier, where, read.last);
    }
  }
  if (!isOver) verifier.fault("end", "the last line, which says how many events there are, is not there");
  return verifier.finish();
}

function checkLast(verifier: Verifier, where: string, said: Head): void {
  const { last } = verifier;
  if (last && (last.seq !== said.seq || last.hash !== said.hash))
    verifier.fault(
      where,
      `says that event ${said.seq} is the last one, with another hash than event ${last.seq}`,
    );
}

/** Verifies the journal of a store; `head` is one that was kept elsewhere. */
export async function verifyStore(store: Store, head?: Head): Promise<Verified> {
  const verifier = new Verifier(head);
  const source = sourceOf(store);
  for await (const row of eventRows(source)) {
    const where = `event ${Number(row.seq)}`;
    try {
      const event = eventOf(row);
      verifier.event(where, event);
      checkDetails(verifier, where, event, () => detailsOf(source, row));
    } catch {
      verifier.unreadable(where, "is not as fxdesk writes it");
    }
  }
  await compareEntries(verifier, source);
  return verifier.finish();
}

function checkDetails(
  verifier: Verifier,
  where: string,
  event: RecordedEvent,
  read: () => Details | undefined,
): void {
  let details: Details | undefined;
  try {
    details = read();
  } catch (error) {
    verifier.fault(where, `its details cannot be read: ${(error as Error).message}`);
    return;
  }
  verifier.details(where, event, details);
}

/** What the entries say follows from the events; those that were written meanwhile are left out. */
async function compareEntries(verifier: Verifier, { run }: Source): Promise<void> {
  const seen = verifier.last?.seq ?? Infinity;
  const rows = await run(
    "SELECT id, environment, client, operation, key, state, intent, latest FROM fxdesk_journal_entries",
  );
  const [newest] = await run("SELECT max(seq) AS seq FROM fxdesk_journal_events");
  const missing = new Map(verifier.entries);
  for (const { id, state, intent, latest, ...key } of rows) {
    const entry = String(id);
    missing.delete(entry);
    if (Number(latest) > seen && Number(latest) <= Number(newest!.seq)) continue;
    const said: Known = {
      key: keyIn(key),
      intent: Number(intent),
      latest: Number(latest),
      state: String(state) as EntryState,
    };
    const known = verifier.entries.get(entry);
    const differs = (Object.keys(said) as (keyof Known)[]).filter((name) => known?.[name] !== said[name]);
    if (!known) verifier.fault(`entry ${entry}`, "no event tells of it");
    else if (differs.length > 0)
      verifier.fault(`entry ${entry}`, `its ${differs.join(", ")} is not what its events tell`);
  }
  for (const entry of missing.keys()) verifier.fault(`entry ${entry}`, "its events are there, and it is not");
  const orphans = await run(
    `SELECT d.seq FROM fxdesk_journal_details AS d
     LEFT JOIN fxdesk_journal_events AS e ON e.seq = d.seq WHERE e.seq IS NULL`,
  );
  for (const { seq } of orphans) verifier.fault(`event ${Number(seq)}`, "is not there, and its details are");
}
