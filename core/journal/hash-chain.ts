/** The chain: each event of the journal is bound to all before it by a hash, and to its details by a salted one. */
import { createHash, randomBytes } from "node:crypto";
import type { TransactionOptions, StatementRunner } from "../store/database";
import type { Store } from "../store/open";
import { canonicalJson } from "./canonical-json";

/** `erased` says that the details of the entry's events before it were removed. */
export type EventKind = "intent" | "sent" | "ended" | "erased";

/** What happened to an entry. Names no person: that is in the details beside the chain. */
export interface ChainEvent {
  /** 1 for the first event of the journal, and one more for each that follows. */
  readonly seq: number;
  /** The ID of the entry. */
  readonly entry: string;
  readonly kind: EventKind;
  /** Milliseconds since 1970 by the clock of the store. */
  readonly at: number;
  readonly content: Readonly<Record<string, unknown>>;
}

/** The last event of a journal: where it is known, no event up to it can be changed or removed unseen. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first event. */
export const emptyHead: ChainHead = { seq: 0, hash: "0".repeat(64) };

/** A head as a person keeps it: `12:` and the hash of event 12. */
export const formatHead = ({ seq, hash }: ChainHead): string => `${seq}:${hash}`;

/** Undefined where a text is no head. */
export function parseHead(text: string): ChainHead | undefined {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), hash: hash! };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

export const hashEvent = (previous: string, { seq, entry, kind, at, content }: ChainEvent): string =>
  sha256(`${previous}\n${canonicalJson({ seq, entry, kind, at, content })}`);

/** What is kept beside the chain, and what binds it to its event without telling anything about it. */
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

const sealLocationOf = (seq: number) => `fxdesk_journal_details ${seq}`;

/** The details of an event as the store has them. Throws where they are sealed with another key. */
export const unsealDetails = ({ sealer }: Pick<Store, "sealer">, seq: number, sealed: string): EventDetails =>
  JSON.parse(sealer.unseal(sealed, sealLocationOf(seq))) as EventDetails;

/** The chain while nobody else can append to it. */
export interface ChainWriter extends Pick<Store, "sealer"> {
  readonly run: StatementRunner;
  /** The time by the clock of the store. */
  readonly moment: number;
  /** Appends an event, whose content names the hash of its details, and returns its number. */
  append(
    entry: string,
    kind: EventKind,
    content: ChainEvent["content"],
    details?: EventDetails,
  ): Promise<number>;
}

async function readHead(run: StatementRunner, now: string): Promise<{ head: ChainHead; moment: number }> {
  const [row] = await run(
    `SELECT ${now} AS moment, e.seq, e.hash FROM (SELECT 1 AS one) AS always
     LEFT JOIN fxdesk_journal_events AS e ON e.seq = (SELECT max(seq) FROM fxdesk_journal_events)`,
  );
  const { moment, seq, hash } = row!;
  const head = hash === null ? emptyHead : { seq: Number(seq), hash: String(hash) };
  return { head, moment: Number(moment) };
}

/** Runs what appends: all of it or nothing, and of all processes one at a time. */
export const withChain = <T>(
  store: Store,
  work: (chain: ChainWriter) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> =>
  store.database.transaction(async (run) => {
    const found = await readHead(run, store.database.now);
    const { moment } = found;
    let { head } = found;
    return work({
      run,
      sealer: store.sealer,
      moment,
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
            // As it was given: a response that is given back has its fields in their order.
            store.sealer.seal(JSON.stringify(details), sealLocationOf(event.seq)),
          ]);
        head = { seq: event.seq, hash };
        return event.seq;
      },
    });
  }, options);
