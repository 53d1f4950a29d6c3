/**
 * Verifies the journal of a store in one pass over the events: the hash chains, the details, and every column of the entries.
 * Only entries without a final outcome are kept in memory.
 */
import type { Row } from "../store/database";
import type { Store } from "../store/open";
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
import { listEnvironments, readPages } from "./events";
import { type ChainHead, emptyHead, type StoredEvent, storeEvents, unsealDetails } from "./hash-chain";
import { missingDetailsMessage, Verification, type VerificationResult } from "./verify";

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

const pagedQuery = `
  SELECT x.*, e.seq, e.entry, e.kind AS event_kind, e.at, e.content, e.hash, d.content AS details
  FROM fxdesk_journal_events AS e
  LEFT JOIN fxdesk_journal_details AS d ON d.environment = e.environment AND d.seq = e.seq
  LEFT JOIN fxdesk_journal_entries AS x
    ON e.kind = 'intent' AND x.environment = e.environment AND x.intent_seq = e.seq AND x.id = e.entry
  WHERE e.environment = $1 AND e.seq > $2`;

/** Numbers of rows that belong to events. */
interface Matched {
  entries: number;
  details: number;
}

class ChainVerifier {
  readonly #open = new Map<string, OpenEntry>();
  readonly #faultyEntries = new Set<string>();

  constructor(
    private readonly store: Store,
    private readonly environment: string,
    private readonly verification: Verification,
    private readonly from: ChainHead,
    private readonly matched: Matched,
  ) {}

  async verify(): Promise<void> {
    const { store, environment, from, verification } = this;
    verification.startChain(from);
    for await (const rows of readPages(store, environment, pagedQuery, from.seq))
      for (const row of rows) await this.#checkRow(row);
    for (const [entry, open] of this.#open) await this.#compare(entry, open, undefined);
    verification.endChain(environment);
  }

  async #checkRow(row: Row): Promise<void> {
    const { environment, verification } = this;
    const where = `event ${Number(row.seq)} of ${environment}`;
    const event: StoredEvent = {
      environment,
      seq: Number(row.seq),
      entry: String(row.entry),
      kind: String(row.event_kind),
      at: Number(row.at),
      content: String(row.content),
    };
    verification.checkLink(where, event, String(row.hash));
    const content = parseContent(event.content);
    if (!content) return verification.addFault(where, "is malformed");
    await this.#checkDetails(where, event, content, row);
    await this.#checkEntry(where, event, content, row);
  }

  async #checkDetails(where: string, event: StoredEvent, content: Content, row: Row): Promise<void> {
    const { store, verification } = this;
    try {
      const details = unsealDetails(store, event.environment, event.seq, row.details);
      if (row.details !== null) this.matched.details += 1;
      if (details) verification.checkDetails(where, details, content);
      else if (content.details !== undefined && !(await this.#isErased(event)))
        verification.addFault(where, missingDetailsMessage);
    } catch (error) {
      verification.addFault(where, `its details cannot be read: ${(error as Error).message}`);
    }
  }

  async #isErased({ environment, entry, seq }: StoredEvent): Promise<boolean> {
    const rows = await this.store.run(
      `SELECT seq FROM fxdesk_journal_events
       WHERE environment = $1 AND entry = $2 AND seq > $3 AND kind = 'erased' LIMIT 1`,
      [environment, entry, seq],
    );
    return rows.length > 0;
  }

  async #checkEntry(where: string, event: StoredEvent, content: Content, joined: Row): Promise<void> {
    const { verification } = this;
    const { entry, kind } = event;
    if (entry === storeEvents) return void verification.checkTransition(where, undefined, event, content);
    const row = joined.id === null ? undefined : parseEntryRow(joined);
    // The first claim of an entry has no earlier events, and an entry that is not open may have some.
    const known = this.#open.get(entry);
    const isFirst = kind === "intent" && row?.fence === 1;
    const before = known ? known.state : isFirst ? undefined : await this.#stateBefore(event);
    const state = verification.checkTransition(where, before, event, content);
    if (kind === "intent") {
      if (before === undefined) verification.entries += 1;
      if (row) this.matched.entries += 1;
      if (row && joined.row_hash !== hashEntryRow(this.store.sealer, row)) await this.#confirmFault(entry);
    }
    const open = { state, row: kind === "intent" ? row : known?.row };
    if (state === undefined || !isFinal(state)) this.#open.set(entry, open);
    else {
      this.#open.delete(entry);
      await this.#compare(entry, open, { event, content, hash: String(joined.hash) });
    }
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
    const { store, environment } = this;
    if (this.#faultyEntries.has(entry)) return;
    const { sql, values } = entriesQuery("WHERE e.id = $1 AND e.environment = $2", [entry, environment]);
    const [row] = await store.run(sql, values);
    try {
      if (row) toStoredEntry(store, row);
      else this.#addFault(entry, "is missing, although it has events");
    } catch (error) {
      this.#addFault(entry, error instanceof EntryChanged ? error.reason : (error as Error).message);
    }
  }

  #addFault(entry: string, message: string): void {
    this.#faultyEntries.add(entry);
    this.verification.addFault(`entry ${entry}`, message);
  }
}

/** Rows without an event. Counting first is much faster than comparing. */
const orphanQueries = {
  entries: {
    count: "SELECT count(*) AS count FROM fxdesk_journal_entries",
    find: `SELECT x.id FROM fxdesk_journal_entries AS x
      LEFT JOIN fxdesk_journal_events AS e ON e.environment = x.environment AND e.seq = x.intent_seq AND e.entry = x.id
      WHERE e.seq IS NULL LIMIT 1000`,
  },
  details: {
    count: "SELECT count(*) AS count FROM fxdesk_journal_details",
    find: `SELECT d.environment, d.seq FROM fxdesk_journal_details AS d
      LEFT JOIN fxdesk_journal_events AS e ON e.environment = d.environment AND e.seq = d.seq
      WHERE e.seq IS NULL LIMIT 1000`,
  },
} as const;

async function findOrphans({ run }: Store, name: keyof Matched, matched: Matched): Promise<readonly Row[]> {
  const { count, find } = orphanQueries[name];
  const [row] = await run(count);
  return Number(row!.count) === matched[name] ? [] : run(find);
}

export interface StoreVerificationOptions {
  /** Heads that were stored elsewhere. Each must be in a chain. */
  readonly heads?: readonly ChainHead[];
  /** Heads up to which the chains were verified before. Only later events, and their entries, are verified. */
  readonly from?: readonly ChainHead[];
}

/** Returns the given head that a chain contains. */
async function findStart(
  { run }: Store,
  environment: string,
  heads: readonly ChainHead[],
): Promise<ChainHead> {
  for (const head of heads) {
    const rows = await run(
      "SELECT seq FROM fxdesk_journal_events WHERE environment = $1 AND seq = $2 AND hash = $3",
      [environment, head.seq, head.hash],
    );
    if (rows.length > 0) return head;
  }
  return emptyHead;
}

/** Verifies the journal of a store, while other processes may use it. */
export async function verifyStore(
  store: Store,
  { heads = [], from = [] }: StoreVerificationOptions = {},
): Promise<VerificationResult> {
  const verification = new Verification([...heads, ...from]);
  const matched: Matched = { entries: 0, details: 0 };
  let isComplete = true;
  for (const environment of await listEnvironments(store)) {
    const start = await findStart(store, environment, from);
    isComplete &&= start === emptyHead;
    await new ChainVerifier(store, environment, verification, start, matched).verify();
  }
  if (isComplete) {
    for (const { id } of await findOrphans(store, "entries", matched))
      verification.addFault(`entry ${id}`, "has no event");
    for (const { environment, seq } of await findOrphans(store, "details", matched))
      verification.addFault(`event ${Number(seq)} of ${environment}`, "is missing, although it has details");
  }
  return verification.finish();
}
