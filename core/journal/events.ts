/** The events of the journal, as the store has them and as lines of an export. */
import type { Row, Value } from "../store/database";
import { canonicalJson } from "./canonical";
import { type ChainEvent, type Details, type EventKind, type Head, noEvents, openDetails } from "./chain";
import type { Source } from "./rows";

/** An event with what binds it to all before it, and its details unless they are erased. */
export interface RecordedEvent extends ChainEvent {
  readonly hash: string;
  readonly details?: Details | undefined;
}

const pageSize = 500;

const query = `
  SELECT e.seq, e.entry, e.kind, e.at, e.content, e.hash, d.content AS details
  FROM fxdesk_journal_events AS e LEFT JOIN fxdesk_journal_details AS d ON d.seq = e.seq`;

/** All rows of events with their details, in order; those that are written meanwhile, too. */
export async function* eventRows({ run }: Source): AsyncGenerator<Row> {
  let last: Value = 0;
  for (;;) {
    const rows = await run(`${query} WHERE e.seq > $1 ORDER BY e.seq LIMIT ${pageSize}`, [last]);
    yield* rows;
    if (rows.length === 0) return;
    last = rows.at(-1)!.seq!;
  }
}

/** Without its details, which may be sealed. Throws where the row is not what was written. */
export const eventOf = (row: Row): RecordedEvent => ({
  seq: Number(row.seq),
  entry: String(row.entry),
  kind: String(row.kind) as EventKind,
  at: Number(row.at),
  content: JSON.parse(String(row.content)) as ChainEvent["content"],
  hash: String(row.hash),
});

/** Undefined where they are erased, or there were none. Throws where they cannot be read. */
export const detailsOf = ({ seal }: Source, { seq, details }: Row): Details | undefined =>
  details === null ? undefined : openDetails({ seal }, Number(seq), String(details));

const recorded = (source: Source, row: Row): RecordedEvent => ({
  ...eventOf(row),
  details: detailsOf(source, row),
});

/** What happened to an entry, in order; nothing where there is no such entry. */
export async function eventsOfEntry(source: Source, entry: string): Promise<RecordedEvent[]> {
  const rows = await source.run(`${query} WHERE e.entry = $1 ORDER BY e.seq`, [entry]);
  return rows.map((row) => recorded(source, row));
}

/** An event as a line of an export. */
export const lineOf = ({ seq, entry, kind, at, content, hash, details }: RecordedEvent): string =>
  canonicalJson({ seq, entry, kind, at, content, hash, details: details?.content, salt: details?.salt });

/** The last line of an export: how many events there are, and the hash of the last one. */
export const lastLineOf = ({ seq, hash }: Head): string => canonicalJson({ count: seq, head: hash });

/** The journal as JSON Lines: a line for each event, and one that says how many they are. */
export async function* exportLines(source: Source): AsyncGenerator<string> {
  let head = noEvents;
  for await (const row of eventRows(source)) {
    const event = recorded(source, row);
    yield `${lineOf(event)}\n`;
    head = event;
  }
  yield `${lastLineOf(head)}\n`;
}

const kinds: ReadonlySet<unknown> = new Set<EventKind>(["intent", "sent", "ended", "erased"]);

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isEvent = ({ seq, entry, kind, at, content, hash }: Members): boolean =>
  Number.isSafeInteger(seq) &&
  typeof entry === "string" &&
  kinds.has(kind) &&
  Number.isSafeInteger(at) &&
  isObject(content) &&
  typeof hash === "string";

function parsed(line: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What a line of an export says; undefined where no export has such a line, down to its spaces. */
export function readLine(
  line: string,
): { readonly event: RecordedEvent } | { readonly last: Head } | undefined {
  const members = parsed(line);
  if (!members) return undefined;
  const { count, head, details, salt, ...rest } = members;
  if (Number.isSafeInteger(count) && typeof head === "string") {
    const last = { seq: count as number, hash: head };
    return lastLineOf(last) === line ? { last } : undefined;
  }
  if (!isEvent(rest)) return undefined;
  const hasDetails = isObject(details) && typeof salt === "string";
  const event = {
    ...(rest as unknown as RecordedEvent),
    ...(hasDetails && { details: { content: details, salt } }),
  };
  return lineOf(event) === line ? { event } : undefined;
}
