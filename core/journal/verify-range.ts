/** Verifies a part of a chain in one pass over its events: hashes, details, and every column of the entries. */
import type { Row, Value } from "../store/database";
import type { Store } from "../store/open";
import { eventsTable, hashRow } from "../store/schema";
import { isObject } from "../values/json";
import type { EntryState } from "./entry";
import {
  EntryChanged,
  entriesQuery,
  type EntryRow,
  hashEntryRow,
  isFinal,
  parseEntryRow,
  stateAfter,
  toStoredEntry,
} from "./entry-rows";
import { type ChainHead, type StoredEvent, storeEvents, unsealDetails } from "./hash-chain";
import { missingDetailsMessage, Verification, type VerifiedPart, type Where } from "./verify";

type Content = Readonly<Record<string, unknown>>;

/** Parses the content of an event. Returns undefined if it is malformed. */
function parseContent(text: string): Content | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return isObject(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** An entry whose intent was read, with its row if that has the same intent. */
interface OpenEntry {
  readonly state: EntryState | undefined;
  readonly row: EntryRow | undefined;
}

/** Events per page. Three queries are faster than a join, whose rows have many empty columns. */
const pageSize = 100;
/** Longer details are read one by one, so that a page needs little memory. */
const maxLengthInPage = 16_000;
/** Entries without a final outcome that are kept in memory. The events of others are read again. */
const maxOpen = 2_000;

const eventsQuery = `SELECT * FROM fxdesk_journal_events
  WHERE environment = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT ${pageSize}`;
const detailsQuery = `SELECT seq, CASE WHEN length(content) <= ${maxLengthInPage} THEN content END AS content
  FROM fxdesk_journal_details WHERE environment = $1 AND seq BETWEEN $2 AND $3 ORDER BY seq`;
const longDetailsQuery = "SELECT content FROM fxdesk_journal_details WHERE environment = $1 AND seq = $2";
const entriesOfPageQuery = `SELECT * FROM fxdesk_journal_entries
  WHERE environment = $1 AND intent_seq BETWEEN $2 AND $3 ORDER BY intent_seq`;

/** Returns a function that finds the row with a number, given rows and numbers in ascending order. */
function inOrder(rows: readonly Row[], column: string): (seq: number) => Row | undefined {
  let next = 0;
  return (seq) => {
    while (next < rows.length && Number(rows[next]![column]) < seq) next += 1;
    const row = rows[next];
    return row && Number(row[column]) === seq ? row : undefined;
  };
}

/** A part of the chain of an environment: the events after `from` up to number `to`. */
export interface ChainRange {
  readonly environment: string;
  readonly from: ChainHead;
  readonly to: number;
}

class RangeVerifier {
  readonly #open = new Map<string, OpenEntry>();
  readonly #faultyEntries = new Set<string>();
  readonly #environment: string;

  constructor(
    private readonly store: Store,
    private readonly range: ChainRange,
    private readonly verification: Verification,
  ) {
    this.#environment = range.environment;
  }

  async verify(): Promise<void> {
    const { environment, from, to } = this.range;
    this.verification.startChain(from);
    for (let last = from.seq; ;) {
      const events = await this.store.run(eventsQuery, [environment, last, to]);
      if (events.length === 0) break;
      const ends = [environment, Number(events[0]!.seq), Number(events.at(-1)!.seq)] as const;
      const findDetails = inOrder(await this.store.run(detailsQuery, ends), "seq");
      const findEntry = inOrder(await this.store.run(entriesOfPageQuery, ends), "intent_seq");
      for (const row of events) {
        const seq = Number(row.seq);
        await this.#checkRow(row, seq, findDetails(seq), findEntry(seq));
      }
      last = ends[2];
    }
    for (const [entry, open] of this.#open) await this.#compare(entry, open, undefined);
  }

  async #checkRow(row: Row, seq: number, details: Row | undefined, entryRow: Row | undefined): Promise<void> {
    const { verification } = this;
    const event: StoredEvent = {
      environment: this.#environment,
      seq,
      entry: String(row.entry),
      kind: String(row.kind),
      at: Number(row.at),
      content: String(row.content),
    };
    const where = () => `event ${seq} of ${event.environment}`;
    const hash = String(row.hash);
    const isLinked = verification.checkLink(where, event, hash);
    if (isLinked && row.row_hash !== hashRow(this.store.sealer, eventsTable, { ...event, hash }))
      verification.addFault(where(), "was written without the store key, or the hash of its row was changed");
    const content = parseContent(event.content);
    if (!content) return verification.addFault(where(), "is malformed");
    if (details || content.details !== undefined) await this.#checkDetails(where, event, content, details);
    await this.#checkEntry(where, event, content, hash, entryRow);
  }

  async #checkDetails(
    where: Where,
    event: StoredEvent,
    content: Content,
    row: Row | undefined,
  ): Promise<void> {
    const { store, verification } = this;
    if (row) verification.matched.details += 1;
    try {
      const sealed = row && (row.content ?? (await this.#readLongDetails(event.seq)));
      const details = unsealDetails(store, event.environment, event.seq, sealed ?? null);
      if (details) verification.checkDetails(where, details, content);
      else if (!(await this.#isErased(event))) verification.addFault(where(), missingDetailsMessage);
    } catch (error) {
      verification.addFault(where(), `its details cannot be read: ${(error as Error).message}`);
    }
  }

  async #readLongDetails(seq: number): Promise<Value | undefined> {
    const [row] = await this.store.run(longDetailsQuery, [this.#environment, seq]);
    return row?.content;
  }

  async #isErased({ environment, entry, seq }: StoredEvent): Promise<boolean> {
    const rows = await this.store.run(
      `SELECT seq FROM fxdesk_journal_events
       WHERE environment = $1 AND entry = $2 AND seq > $3 AND kind = 'erased' LIMIT 1`,
      [environment, entry, seq],
    );
    return rows.length > 0;
  }

  async #checkEntry(
    where: Where,
    event: StoredEvent,
    content: Content,
    hash: string,
    found: Row | undefined,
  ): Promise<void> {
    const { verification } = this;
    const { entry, kind } = event;
    if (entry === storeEvents) return void verification.checkTransition(where, undefined, event, content);
    const joined = kind === "intent" && found?.id === entry ? found : undefined;
    const row = joined && parseEntryRow(joined);
    // The first claim of an entry has no earlier events, and an entry that is not open may have some.
    const known = this.#open.get(entry);
    const before = known ? known.state : row?.fence === 1 ? undefined : await this.#stateBefore(event);
    const state = verification.checkTransition(where, before, event, content);
    if (kind === "intent" && before === undefined) verification.entries += 1;
    if (row) {
      verification.matched.entries += 1;
      if (joined.row_hash !== hashEntryRow(this.store.sealer, row)) await this.#confirmFault(entry);
    }
    const open = { state, row: kind === "intent" ? row : known?.row };
    if (state === undefined || !isFinal(state)) {
      this.#open.set(entry, open);
      if (this.#open.size > maxOpen) await this.#forgetOldest();
    } else {
      this.#open.delete(entry);
      await this.#compare(entry, open, { event, content, hash });
    }
  }

  /** Checks the entry that is open for the longest time, which is checked again if it has further events. */
  async #forgetOldest(): Promise<void> {
    const [entry] = this.#open.keys();
    this.#open.delete(entry!);
    await this.#confirmFault(entry!);
  }

  /** Returns the state of an entry before an event, from the events. */
  async #stateBefore({ environment, entry, seq }: StoredEvent): Promise<EntryState | undefined> {
    const [row] = await this.store.run(
      `SELECT kind, content FROM fxdesk_journal_events
       WHERE environment = $1 AND entry = $2 AND seq < $3 AND kind <> 'erased' ORDER BY seq DESC LIMIT 1`,
      [environment, entry, seq],
    );
    return row && (stateAfter(String(row.kind), parseContent(String(row.content)) ?? {}) as EntryState);
  }

  /** Compares an entry with its last event. The row may have been read before the event was written. */
  async #compare(
    entry: string,
    { row, state }: OpenEntry,
    last: { readonly event: StoredEvent; readonly content: Content; readonly hash: string } | undefined,
  ): Promise<void> {
    const isSame =
      row !== undefined &&
      last !== undefined &&
      row.erased_seq === null &&
      row.state === state &&
      row.latest_seq === last.event.seq &&
      row.latest_hash === last.hash &&
      row.identity === (last.content.identity ?? null);
    if (!isSame) await this.#confirmFault(entry);
  }

  /** Reads an entry again, with its events, and reports what does not fit. */
  async #confirmFault(entry: string): Promise<void> {
    const { store } = this;
    if (this.#faultyEntries.has(entry)) return;
    const { sql, values } = entriesQuery("WHERE e.id = $1 AND e.environment = $2", [
      entry,
      this.#environment,
    ]);
    const [row] = await store.run(sql, values);
    try {
      if (row) toStoredEntry(store, row);
      else this.#addFault(entry, "is missing, although it has events");
    } catch (error) {
      this.#addFault(entry, error instanceof EntryChanged ? error.reason : (error as Error).message);
    }
  }

  #addFault(entry: string, message: string): void {
    if (this.#faultyEntries.size > maxOpen) this.#faultyEntries.clear();
    this.#faultyEntries.add(entry);
    this.verification.addFault(`entry ${entry}`, message);
  }
}

/** Verifies a part of a chain. Only its entries without a final outcome are kept in memory. `heads` are to be found in it. */
export async function verifyRange(
  store: Store,
  range: ChainRange,
  heads: readonly ChainHead[],
): Promise<VerifiedPart> {
  const verification = new Verification(heads);
  await new RangeVerifier(store, range, verification).verify();
  return verification.part();
}
