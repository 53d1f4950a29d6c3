/** Reads journal events from the store, and formats and parses the lines of an export. */
import type { Row, Statement, StoreAccess } from "../store/database";
import { openRow } from "../store/rows";
import { eventsTable } from "../store/schema";
import { isObject, canonicalJson } from "../values/json";
import {
  type ChainEvent,
  type EventDetails,
  type EventKind,
  type ChainHead,
  emptyHead,
  isEventKind,
  unsealDetails,
} from "./hash-chain";

/** An event with its hash, and its details unless they were erased. */
export interface RecordedEvent extends ChainEvent {
  readonly hash: string;
  readonly details?: EventDetails | undefined;
}

const pageSize = 500;

const query = `
  SELECT e.*, d.content AS details
  FROM fxdesk_journal_events AS e
  LEFT JOIN fxdesk_journal_details AS d ON d.environment = e.environment AND d.seq = e.seq`;

/** The environments that have a chain, as `found`. Visits one event of each, unlike DISTINCT. */
export const withEnvironments = `
  WITH RECURSIVE found(environment) AS (
    SELECT min(environment) FROM fxdesk_journal_events
    UNION ALL
    SELECT (SELECT min(e.environment) FROM fxdesk_journal_events AS e WHERE e.environment > found.environment)
    FROM found WHERE found.environment IS NOT NULL)`;

/** Finds the environments that have a chain, as `chain`, with their first event. */
export const environmentsQuery: Statement = {
  sql: `${withEnvironments} SELECT found.environment AS chain, f.* FROM found
    LEFT JOIN fxdesk_journal_events AS f ON f.environment = found.environment AND f.seq = 1
    WHERE found.environment IS NOT NULL ORDER BY found.environment`,
};

/** Returns the environments that have a chain. */
export async function listEnvironments({ run }: Pick<StoreAccess, "run">): Promise<string[]> {
  const rows = await run(environmentsQuery.sql);
  return rows.map(({ chain }) => String(chain));
}

/** Yields pages of a query that is ordered by `seq`, including rows written during the iteration. $1 is the environment, $2 the last `seq`. */
export async function* readPages(
  { run }: StoreAccess,
  environment: string,
  pagedQuery: string,
  after: number,
): AsyncGenerator<readonly Row[]> {
  for (let last = after; ;) {
    const rows = await run(`${pagedQuery} ORDER BY e.seq LIMIT ${pageSize}`, [environment, last]);
    if (rows.length === 0) return;
    yield rows;
    last = Number(rows.at(-1)!.seq);
  }
}

/** Parses an event. Throws if it was changed in the store, or its details cannot be decrypted. */
function toRecordedEvent(source: StoreAccess, { details, ...stored }: Row): RecordedEvent {
  const row = openRow(eventsTable, stored, source.sealer);
  return {
    environment: String(row.environment),
    seq: Number(row.seq),
    entry: String(row.entry),
    kind: String(row.kind) as EventKind,
    at: Number(row.at),
    content: JSON.parse(String(row.content)) as ChainEvent["content"],
    hash: String(row.hash),
    details: unsealDetails(source, row.environment, row.seq, details),
  };
}

/** Returns the events of an entry in order, or an empty list if the entry does not exist. */
export async function listEvents(source: StoreAccess, entry: string): Promise<RecordedEvent[]> {
  const rows = await source.run(`${query} WHERE e.entry = $1 ORDER BY e.seq`, [entry]);
  return rows.map((row) => toRecordedEvent(source, row));
}

/** Returns the last event of the chain of an environment. */
export async function readHead({ run }: StoreAccess, environment: string): Promise<ChainHead> {
  const [row] = await run(
    "SELECT seq, hash FROM fxdesk_journal_events WHERE environment = $1 ORDER BY seq DESC LIMIT 1",
    [environment],
  );
  return row ? { seq: Number(row.seq), hash: String(row.hash) } : emptyHead;
}

/** The head of the chain of an environment. */
export interface EnvironmentHead extends ChainHead {
  readonly environment: string;
}

const formatEventLine = ({ details, ...event }: RecordedEvent): string =>
  canonicalJson({ ...event, details: details?.content, salt: details?.salt });

/** Formats the last line of an environment: number of events and hash of the last event. */
const formatHeadLine = ({ environment, seq, hash }: EnvironmentHead): string =>
  canonicalJson({ count: seq, environment, head: hash });

/** Formats the last line of an export. */
const formatLastLine = (environments: number): string => canonicalJson({ environments });

/**
 * Exports the journal as JSON Lines: for each environment one line per event and a line with their number, at last a line with
 * the number of environments.
 */
export async function* exportLines(source: StoreAccess): AsyncGenerator<string> {
  const environments = await listEnvironments(source);
  for (const environment of environments) {
    let head = emptyHead;
    for await (const rows of readPages(
      source,
      environment,
      `${query} WHERE e.environment = $1 AND e.seq > $2`,
      0,
    ))
      for (const row of rows) {
        const event = toRecordedEvent(source, row);
        yield `${formatEventLine(event)}\n`;
        head = event;
      }
    yield `${formatHeadLine({ environment, ...head })}\n`;
  }
  yield `${formatLastLine(environments.length)}\n`;
}

type Members = Readonly<Record<string, unknown>>;

const isEvent = ({ environment, seq, entry, kind, at, content, hash }: Members): boolean =>
  typeof environment === "string" &&
  Number.isSafeInteger(seq) &&
  typeof entry === "string" &&
  isEventKind(entry, kind) &&
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

type ExportLine =
  | { readonly event: RecordedEvent }
  | { readonly head: EnvironmentHead }
  | { readonly environments: number };

/** Parses a line of an export. Returns undefined unless formatting the result yields the same bytes. */
export function parseLine(line: string): ExportLine | undefined {
  const members = parseObject(line);
  if (!members) return undefined;
  const { environments, count, environment, head: hash, details, salt, ...rest } = members;
  if (Number.isSafeInteger(environments))
    return formatLastLine(environments as number) === line
      ? { environments: environments as number }
      : undefined;
  if (typeof environment !== "string") return undefined;
  if (Number.isSafeInteger(count) && typeof hash === "string") {
    const head = { environment, seq: count as number, hash };
    return formatHeadLine(head) === line ? { head } : undefined;
  }
  if (!isEvent({ environment, ...rest })) return undefined;
  const hasDetails = isObject(details) && typeof salt === "string";
  const event = {
    ...(rest as unknown as RecordedEvent),
    environment,
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
