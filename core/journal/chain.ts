/** The chain: each event of the journal is bound to all before it by a hash, and to its details by a salted one. */
import { createHash, randomBytes } from "node:crypto";
import type { Exclusively, Run } from "../store/database";
import type { Store } from "../store/open";
import { canonicalJson } from "./canonical";

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
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first event. */
export const noEvents: Head = { seq: 0, hash: "0".repeat(64) };

/** A head as a person keeps it: `12:` and the hash of event 12. */
export const headText = ({ seq, hash }: Head): string => `${seq}:${hash}`;

/** Undefined where a text is no head. */
export function headFrom(text: string): Head | undefined {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  return seq === undefined ? undefined : { seq: Number(seq), hash: hash! };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

export const hashAfter = (previous: string, { seq, entry, kind, at, content }: ChainEvent): string =>
  sha256(`${previous}\n${canonicalJson({ seq, entry, kind, at, content })}`);

/** What is kept beside the chain, and what binds it to its event without telling anything about it. */
export interface Details {
  readonly salt: string;
  readonly content: Readonly<Record<string, unknown>>;
}

export const withSalt = (content: Details["content"]): Details => ({
  salt: randomBytes(32).toString("hex"),
  content,
});

export const hashOfDetails = ({ salt, content }: Details): string =>
  sha256(`${salt}\n${canonicalJson(content)}`);

const placeOf = (seq: number) => `fxdesk_journal_details ${seq}`;

/** The details of an event as the store has them. Throws where they are sealed with another key. */
export const openDetails = ({ seal }: Pick<Store, "seal">, seq: number, sealed: string): Details =>
  JSON.parse(seal.open(sealed, placeOf(seq))) as Details;

/** The chain while nobody else can append to it. */
export interface OpenChain extends Pick<Store, "seal"> {
  readonly run: Run;
  /** The time by the clock of the store. */
  readonly moment: number;
  /** Appends an event, whose content names the hash of its details, and returns its number. */
  append(entry: string, kind: EventKind, content: ChainEvent["content"], details?: Details): Promise<number>;
}

async function headAndMoment(run: Run, now: string): Promise<{ head: Head; moment: number }> {
  const [row] = await run(
    `SELECT ${now} AS moment, e.seq, e.hash FROM (SELECT 1 AS one) AS always
     LEFT JOIN fxdesk_journal_events AS e ON e.seq = (SELECT max(seq) FROM fxdesk_journal_events)`,
  );
  const { moment, seq, hash } = row!;
  const head = hash === null ? noEvents : { seq: Number(seq), hash: String(hash) };
  return { head, moment: Number(moment) };
}

/** Runs what appends: all of it or nothing, and of all processes one at a time. */
export const withChain = <T>(
  store: Store,
  work: (chain: OpenChain) => Promise<T>,
  options?: Exclusively,
): Promise<T> =>
  store.database.exclusively(async (run) => {
    const found = await headAndMoment(run, store.database.now);
    const { moment } = found;
    let { head } = found;
    return work({
      run,
      seal: store.seal,
      moment,
      async append(entry, kind, given, details) {
        const content = details ? { ...given, details: hashOfDetails(details) } : given;
        const event: ChainEvent = { seq: head.seq + 1, entry, kind, at: moment, content };
        const hash = hashAfter(head.hash, event);
        await run(
          `INSERT INTO fxdesk_journal_events (seq, entry, kind, at, content, hash)
           VALUES ($1, $2, $3, $4, $5, $6)`,
          [event.seq, entry, kind, moment, canonicalJson(content), hash],
        );
        if (details)
          await run("INSERT INTO fxdesk_journal_details (seq, content) VALUES ($1, $2)", [
            event.seq,
            // As it was given: a response that is given back has its fields in their order.
            store.seal.close(JSON.stringify(details), placeOf(event.seq)),
          ]);
        head = { seq: event.seq, hash };
        return event.seq;
      },
    });
  }, options);
