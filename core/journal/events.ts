/** Reads journal events from the store, and formats and parses the lines of an export. */
import type { Row, Value, StoreAccess } from "../store/database";
import { isObject, canonicalJson } from "../values/json";
import {
  type ChainEvent,
  type EventDetails,
  type EventKind,
  type ChainHead,
  emptyHead,
  unsealDetails,
} from "./hash-chain";

/** An event with its hash, and its details unless they were erased. */
export interface RecordedEvent extends ChainEvent {
  readonly hash: string;
  readonly details?: EventDetails | undefined;
}

const pageSize = 500;

const query = `
  SELECT e.seq, e.entry, e.kind, e.at, e.content, e.hash, d.content AS details
  FROM fxdesk_journal_events AS e LEFT JOIN fxdesk_journal_details AS d ON d.seq = e.seq`;

/** Yields all events with their details, in order, including events written during the iteration. */
export async function* readEventRows({ run }: StoreAccess): AsyncGenerator<Row> {
  let last: Value = 0;
  for (;;) {
    const rows = await run(`${query} WHERE e.seq > $1 ORDER BY e.seq LIMIT ${pageSize}`, [last]);
    yield* rows;
    if (rows.length === 0) return;
    last = rows.at(-1)!.seq!;
  }
}

/** Parses an event without its details, which may be sealed. Throws if the row was tampered with. */
export const parseEvent = (row: Row): RecordedEvent => ({
  seq: Number(row.seq),
  entry: String(row.entry),
  kind: String(row.kind) as EventKind,
  at: Number(row.at),
  content: JSON.parse(String(row.content)) as ChainEvent["content"],
  hash: String(row.hash),
});

const toRecordedEvent = (source: StoreAccess, row: Row): RecordedEvent => ({
  ...parseEvent(row),
  details: unsealDetails(source, row.seq, row.details),
});

/** Returns the events of an entry in order, or an empty list if the entry does not exist. */
export async function listEvents(source: StoreAccess, entry: string): Promise<RecordedEvent[]> {
  const rows = await source.run(`${query} WHERE e.entry = $1 ORDER BY e.seq`, [entry]);
  return rows.map((row) => toRecordedEvent(source, row));
}

/** Returns the last event of the journal. */
export async function readHead({ run }: StoreAccess): Promise<ChainHead> {
  const [row] = await run("SELECT seq, hash FROM fxdesk_journal_events ORDER BY seq DESC LIMIT 1");
  return row ? { seq: Number(row.seq), hash: String(row.hash) } : emptyHead;
}

const formatEventLine = ({ seq, entry, kind, at, content, hash, details }: RecordedEvent): string =>
  canonicalJson({ seq, entry, kind, at, content, hash, details: details?.content, salt: details?.salt });

/** Formats the last line of an export: number of events and hash of the last event. */
const formatLastLine = ({ seq, hash }: ChainHead): string => canonicalJson({ count: seq, head: hash });

/** Exports the journal as JSON Lines: one line per event, then the line with their number. */
export async function* exportLines(source: StoreAccess): AsyncGenerator<string> {
  let head = emptyHead;
  for await (const row of readEventRows(source)) {
    const event = toRecordedEvent(source, row);
    yield `${formatEventLine(event)}\n`;
    head = event;
  }
  yield `${formatLastLine(head)}\n`;
}

const eventKinds: ReadonlySet<unknown> = new Set<EventKind>(["intent", "sent", "ended", "erased"]);

type Members = Readonly<Record<string, unknown>>;

const isEvent = ({ seq, entry, kind, at, content, hash }: Members): boolean =>
  Number.isSafeInteger(seq) &&
  typeof entry === "string" &&
  eventKinds.has(kind) &&
  Number.isSafeInteger(at) &&
  isObject(content) &&
  typeof hash === "string";

function parseObject(line: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Parses a line of an export. Returns undefined unless formatting the result yields the same bytes. */
export function parseLine(
  line: string,
): { readonly event: RecordedEvent } | { readonly last: ChainHead } | undefined {
  const members = parseObject(line);
  if (!members) return undefined;
  const { count, head, details, salt, ...rest } = members;
  if (Number.isSafeInteger(count) && typeof head === "string") {
    const last = { seq: count as number, hash: head };
    return formatLastLine(last) === line ? { last } : undefined;
  }
  if (!isEvent(rest)) return undefined;
  const hasDetails = isObject(details) && typeof salt === "string";
  const event = {
    ...(rest as unknown as RecordedEvent),
    ...(hasDetails && { details: { content: details, salt } }),
  };
  return formatEventLine(event) === line ? { event } : undefined;
}

interface Line {
  readonly text: string;
  /** True if the line ends with a line feed and is valid UTF-8. */
  readonly isComplete: boolean;
}

const lineFeed = 10;

function decodeLine(bytes: Uint8Array, isEnded: boolean): Line {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, isComplete: isEnded };
  } catch {
    return { text: "", isComplete: false };
  }
}

/** Yields the lines without their line feeds. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let partial: Uint8Array[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      yield decodeLine(Buffer.concat([...partial, chunk.subarray(start, end)]), true);
      partial = [];
      start = end + 1;
    }
    if (start < chunk.length) partial.push(chunk.subarray(start));
  }
  if (partial.length > 0) yield decodeLine(Buffer.concat(partial), false);
}
