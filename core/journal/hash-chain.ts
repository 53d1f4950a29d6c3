/** The hash chain: each event's hash covers the previous event's hash and a salted hash of the event's own details. */
import { createHash, randomBytes } from "node:crypto";
import type { MomentAccess, StoreAccess, TransactionOptions, Value } from "../store/database";
import type { Store } from "../store/open";
import { sealLocation } from "../store/sealer";
import { canonicalJson } from "../values/json";

/**
 * `erased`: the details of the entry's earlier events were removed. Events of the store itself: it was `restored` from a backup,
 * a person `confirmed` that, and a person `checked` the calls that it may not know.
 */
export type EventKind = "intent" | "sent" | "ended" | "erased" | "restored" | "confirmed" | "checked";

/** Stands for the entry in events of the store itself. */
export const storeEvents = "store";

/** An event of an entry. Contains no personal data, which belongs to the details outside the chain. */
export interface ChainEvent {
  /** Position in the journal, starting at 1, without gaps. */
  readonly seq: number;
  readonly entry: string;
  readonly kind: EventKind;
  /** Milliseconds since 1970, by the clock of the store. */
  readonly at: number;
  readonly content: Readonly<Record<string, unknown>>;
}

/** The last event of a journal. A head stored elsewhere reveals any later change to the events up to it. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** Head of an empty journal. */
export const emptyHead: ChainHead = { seq: 0, hash: "0".repeat(64) };

/** Formats a head for people: `12:` followed by the hash of event 12. */
export const formatHead = ({ seq, hash }: ChainHead): string => `${seq}:${hash}`;

/** Returns undefined if the text is not a head. */
export function parseHead(text: string): ChainHead | undefined {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), hash: hash! };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

export const hashEvent = (previous: string, { seq, entry, kind, at, content }: ChainEvent): string =>
  sha256(`${previous}\n${canonicalJson({ seq, entry, kind, at, content })}`);

/** Details of an event. The salt prevents guessing the content from the hash in the chain. */
export interface EventDetails {
  readonly salt: string;
  readonly content: Readonly<Record<string, unknown>>;
}

export const saltDetails = (content: EventDetails["content"]): EventDetails => ({
  salt: randomBytes(32).toString("hex"),
  content,
});

export const hashDetails = ({ salt, content }: EventDetails): string =>
  sha256(`${salt}\n${canonicalJson(content)}`);

const detailsLocation = (seq: number) => sealLocation("fxdesk_journal_details", "content", seq);

/**
 * Decrypts the details of an event. Returns undefined if it has none or they were erased. Throws if they were sealed with
 * another key.
 */
export const unsealDetails = (
  { sealer }: StoreAccess,
  seq: Value | undefined,
  sealed: Value | undefined,
): EventDetails | undefined =>
  sealed === null
    ? undefined
    : (JSON.parse(sealer.unseal(String(sealed), detailsLocation(Number(seq)))) as EventDetails);

/** The chain during a transaction that excludes all other writers. */
export interface ChainWriter extends MomentAccess {
  readonly storeId: string;
  /** The last event, including those of this transaction. */
  readonly head: () => ChainHead;
  /** Appends an event whose content includes the hash of its details. Returns its `seq`. */
  append(
    entry: string,
    kind: EventKind,
    content: ChainEvent["content"],
    details?: EventDetails,
  ): Promise<number>;
}

/** Runs `work` in one transaction that can append to the chain. Only one process at a time appends. */
export const withChain = <T>(
  { database, now, sealer, id }: Store,
  work: (chain: ChainWriter) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> =>
  database.transaction(async (run) => {
    const [latest] = await run(
      `SELECT ${now} AS moment, e.seq, e.hash FROM (SELECT 1 AS one) AS always
       LEFT JOIN fxdesk_journal_events AS e ON e.seq = (SELECT max(seq) FROM fxdesk_journal_events)`,
    );
    const moment = Number(latest!.moment);
    let head = latest!.hash === null ? emptyHead : { seq: Number(latest!.seq), hash: String(latest!.hash) };
    return work({
      run,
      sealer,
      moment,
      storeId: id,
      head: () => head,
      async append(entry, kind, facts, details) {
        const content = details ? { ...facts, details: hashDetails(details) } : facts;
        const event: ChainEvent = { seq: head.seq + 1, entry, kind, at: moment, content };
        const hash = hashEvent(head.hash, event);
        await run(
          `INSERT INTO fxdesk_journal_events (seq, entry, kind, at, content, hash)
           VALUES ($1, $2, $3, $4, $5, $6)`,
          [event.seq, entry, kind, moment, canonicalJson(content), hash],
        );
        if (details)
          await run("INSERT INTO fxdesk_journal_details (seq, content) VALUES ($1, $2)", [
            event.seq,
            // Not canonical: a replayed response keeps the order of its fields.
            sealer.seal(JSON.stringify(details), detailsLocation(event.seq)),
          ]);
        head = { seq: event.seq, hash };
        return event.seq;
      },
    });
  }, options);
