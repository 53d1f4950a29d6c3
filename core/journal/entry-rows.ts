/**
 * Journal entries as stored: the current state, joined with the intent and the latest event. Each row has a hash of all its
 * columns, and must follow from its two events: a row that was changed in the store is an error, never an answer.
 */
import { createHash } from "node:crypto";
import { type CallScope, inScope, scopeValues } from "../store/call-scope";
import type { Database, Row, Statement, StoreAccess, Value } from "../store/database";
import { hashedColumns, hashRow } from "../store/schema";
import type { Sealer } from "../store/sealer";
import { canonicalJson } from "../values/json";
import { emptyHead, hashDetails, hashStoredEvent, unsealDetails } from "./hash-chain";
import {
  type EntryOutcome,
  type Entry,
  type EntryKey,
  type EntryState,
  type Intent,
  isNotExecuted,
} from "./entry";

/** The columns of an entry, except the hash over them. */
export interface EntryRow extends EntryKey {
  readonly id: string;
  readonly state: EntryState;
  /** Time of the intent. */
  readonly begun_at: number;
  readonly intent_seq: number;
  readonly intent_hash: string;
  readonly latest_seq: number;
  readonly latest_hash: string;
  /** Event that erased the details of the entry. */
  readonly erased_seq: number | null;
  /** Incremented by each claim, so that the holder of an older claim can no longer write. */
  readonly fence: number;
  /** Duration of the claim in milliseconds, and its end. */
  readonly claim_ms: number;
  readonly claim_expires_at: number;
  readonly reference_hash: string | null;
  readonly single_use: string | null;
  readonly identity: string | null;
  readonly recovery_attempts: number;
  readonly recovery_due_at: number;
  readonly recovery_lease_until: number;
}

const textColumns = [
  "id",
  "environment",
  "client",
  "operation",
  "key",
  "state",
  "intent_hash",
  "latest_hash",
  "reference_hash",
  "single_use",
  "identity",
] as const;
const numberColumns = [
  "begun_at",
  "intent_seq",
  "latest_seq",
  "erased_seq",
  "fence",
  "claim_ms",
  "claim_expires_at",
  "recovery_attempts",
  "recovery_due_at",
  "recovery_lease_until",
] as const;
const columns = [...textColumns, ...numberColumns];

/** Returns the columns of an entry with the types of this program: PostgreSQL returns whole numbers as text. */
export function parseEntryRow(row: Row): EntryRow {
  const parsed: Record<string, Value> = {};
  for (const name of textColumns) parsed[name] = row[name] === null ? null : String(row[name]);
  for (const name of numberColumns) parsed[name] = row[name] === null ? null : Number(row[name]);
  return parsed as unknown as EntryRow;
}

/** Returns the ID of the entry of a key. It follows from the key, so that events show a key whose row was removed. */
export function entryIdOf({ environment, client, operation, key }: EntryKey): string {
  const text = JSON.stringify([environment, client, operation, key]);
  const hex = createHash("sha256").update(text).digest("hex");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5");
}

const entriesTable = { name: "fxdesk_journal_entries", key: ["id"] } as const;

const columnsInHash = hashedColumns({}, columns);

/** Hashes all columns of an entry. */
export const hashEntryRow = (sealer: Sealer, row: EntryRow): string =>
  hashRow(sealer, entriesTable, row as unknown as Row, columnsInHash);

const storedColumns = [...columns, "row_hash"];
const upsert = `
  INSERT INTO fxdesk_journal_entries (${storedColumns.join(", ")})
  VALUES (${storedColumns.map((_, index) => `$${index + 1}`).join(", ")})
  ON CONFLICT (id) DO UPDATE SET ${storedColumns.map((name) => `${name} = excluded.${name}`).join(", ")}`;

/** Returns the statement that stores an entry. */
export const writeEntryRow = (sealer: Sealer, row: EntryRow): Statement => ({
  sql: upsert,
  values: [...columns.map((name) => row[name]), hashEntryRow(sealer, row)],
});

export type IntentDetails = Intent["details"] & { readonly reference?: string };

/** Hashes a reference within its scope: equal for equal references, and opaque to readers. Null if the reference is blank. */
export function hashReference(
  { environment, client, operation }: CallScope,
  reference?: string,
): string | null {
  if (!reference?.trim()) return null;
  const canonical = canonicalJson({ environment, client, operation, reference: reference.trim() });
  return createHash("sha256").update(canonical).digest("hex");
}

/** An entry with its row. */
export interface StoredEntry {
  readonly entry: Entry;
  readonly row: EntryRow;
  /** Salted hash of the intent's details. Identifies the claim that wrote the intent. */
  readonly claimHash: string;
}

const query = `
  SELECT e.*, i.kind AS intent_kind, i.at AS intent_at, i.content AS intent_content, ip.hash AS before_intent,
    l.kind AS latest_kind, l.at AS latest_at, l.content AS latest_content, lp.hash AS before_latest,
    di.content AS intent_details, dl.content AS latest_details,
    (SELECT max(n.seq) FROM fxdesk_journal_events AS n WHERE n.entry = e.id AND n.environment = e.environment) AS newest_seq
  FROM fxdesk_journal_entries AS e
  LEFT JOIN fxdesk_journal_events AS i ON i.environment = e.environment AND i.seq = e.intent_seq
  LEFT JOIN fxdesk_journal_events AS ip ON ip.environment = e.environment AND ip.seq = e.intent_seq - 1
  LEFT JOIN fxdesk_journal_events AS l ON l.environment = e.environment AND l.seq = e.latest_seq
  LEFT JOIN fxdesk_journal_events AS lp ON lp.environment = e.environment AND lp.seq = e.latest_seq - 1
  LEFT JOIN fxdesk_journal_details AS di ON di.environment = e.environment AND di.seq = e.intent_seq
  LEFT JOIN fxdesk_journal_details AS dl ON dl.environment = e.environment AND dl.seq = e.latest_seq`;

/** SQL condition for the entries of a scope in `entriesQuery`, with `scopeValues` as its parameters $1 to $3. */
export const entryInScope = "e.environment = $1 AND e.client = $2 AND e.operation = $3";

/** Returns the statement that reads entries, for `toStoredEntry`. */
export const entriesQuery = (rest: string, values: readonly Value[]): Statement => ({
  sql: `${query} ${rest}`,
  values,
});

type Content = Readonly<Record<string, unknown>>;

const isInFlight = (state: EntryState): boolean => state === "intended" || state === "sent";
export const hasEnded = (state: EntryState): state is EntryOutcome["state"] => !isInFlight(state);
/** True if the outcome is known and can no longer change. */
export const isFinal = (state: EntryState): boolean => hasEnded(state) && state !== "unknown";

export function parseOutcome(content: Content): Entry["ending"] {
  const { details: _, ...facts } = content;
  return facts as unknown as Entry["ending"];
}

/** Thrown instead of returning an entry that does not follow from the hash chain. */
export class EntryChanged extends Error {
  constructor(
    id: string,
    readonly reason: string,
  ) {
    super(`Journal entry ${id} was changed in the store: ${reason}. Run \`fxdesk journal verify\`.`);
  }
}

const hasKeys = (content: Content, row: EntryRow): boolean =>
  (["environment", "client", "operation", "key"] as const).every((name) => content[name] === row[name]);

/** Returns the state that an event leads to. */
export const stateAfter = (kind: string, content: Content): unknown =>
  ({ intent: "intended", sent: "sent", ended: content.state })[kind];

/** Returns one of the two events of an entry, checked against the hash in the row and that of the previous event. */
function readEvent(
  source: Pick<StoreAccess, "sealer">,
  row: Row,
  stored: EntryRow,
  name: "intent" | "latest",
) {
  const { id, environment, erased_seq: erased } = stored;
  const seq = stored[`${name}_seq`];
  const text = String(row[`${name}_content`]);
  const at = Number(row[`${name}_at`]);
  const previous = row[`before_${name}`] ?? (seq === 1 ? emptyHead.hash : "");
  const kind = String(row[`${name}_kind`]);
  const hash = hashStoredEvent(String(previous), { environment, seq, entry: id, kind, at, content: text });
  if (hash !== stored[`${name}_hash`]) throw new EntryChanged(id, `event ${seq} does not fit it`);
  const content = JSON.parse(text) as Content;
  const details = unsealDetails(source, environment, seq, row[`${name}_details`]!);
  const isErased = erased !== null && erased > seq;
  if (details ? hashDetails(details) !== content.details : content.details !== undefined && !isErased)
    throw new EntryChanged(id, `the details of event ${seq} do not match its hash`);
  return { at, kind, content, details: details?.content };
}

/** Converts a row of `entriesQuery`. Throws EntryChanged if it was changed in the store. */
export function toStoredEntry(source: Pick<StoreAccess, "sealer">, joined: Row): StoredEntry {
  const row = parseEntryRow(joined);
  const { id, environment, client, operation, key, state } = row;
  if (id !== entryIdOf(row)) throw new EntryChanged(id, "its row has the key of another entry");
  if (hashEntryRow(source.sealer, row) !== joined.row_hash)
    throw new EntryChanged(id, "its row does not match its hash");
  if (Number(joined.newest_seq) !== Math.max(row.latest_seq, row.erased_seq ?? 0))
    throw new EntryChanged(id, "its row does not have its last event");
  const intent = readEvent(source, joined, row, "intent");
  const latest = readEvent(source, joined, row, "latest");
  const details = intent.details as IntentDetails | undefined;
  const expected = {
    kind: "intent",
    at: intent.at,
    state,
    identity: hasEnded(state) ? (latest.content.identity ?? null) : null,
    reference: details ? hashReference(row, details.reference) : null,
    singleUse: intent.content.singleUse ?? null,
  };
  const found = {
    kind: intent.kind,
    at: row.begun_at,
    state: stateAfter(latest.kind, latest.content),
    identity: row.identity,
    reference: row.reference_hash,
    singleUse: row.single_use,
  };
  if (canonicalJson(expected) !== canonicalJson(found) || !hasKeys(intent.content, row))
    throw new EntryChanged(id, "its row does not follow from its events");
  return {
    entry: {
      id,
      environment,
      client,
      operation,
      key,
      terms: String(intent.content.terms),
      surface: String(intent.content.surface),
      reference: details?.reference,
      singleUse: row.single_use ?? undefined,
      state,
      begunAt: intent.at,
      changedAt: latest.at,
      ending: hasEnded(state) ? parseOutcome(latest.content) : undefined,
      intent: details && { actor: details.actor, call: details.call },
      endingDetails: hasEnded(state) ? latest.details : undefined,
    },
    row,
    claimHash: String(intent.content.details),
  };
}

async function selectStoredEntries(
  source: StoreAccess,
  rest: string,
  values: readonly Value[],
): Promise<StoredEntry[]> {
  const { sql } = entriesQuery(rest, values);
  return (await source.run(sql, values)).map((row) => toStoredEntry(source, row));
}

export const selectEntries = async (...given: Parameters<typeof selectStoredEntries>): Promise<Entry[]> =>
  (await selectStoredEntries(...given)).map(({ entry }) => entry);

/** Returns the query for an event of an entry, whose row must then exist. */
export const anyEventQuery = (id: string): Statement => ({
  sql: "SELECT entry FROM fxdesk_journal_events WHERE entry = $1 LIMIT 1",
  values: [id],
});

type SingleUse = CallScope & Pick<Intent, "singleUse">;

/** Returns the query for the entries of a single-use value, oldest first; undefined for a call without one. */
export const usesQuery = ({ singleUse, ...scope }: SingleUse): Statement | undefined =>
  singleUse === undefined
    ? undefined
    : entriesQuery(`WHERE ${entryInScope} AND e.single_use = $4 ORDER BY e.intent_seq`, [
        ...scopeValues(scope),
        singleUse,
      ]);

/** Returns the first of these entries that has used the single-use value of a call, or may have: each that is not certainly unused. */
export const findUse = (
  entries: readonly Entry[],
  { environment, client, operation, singleUse }: SingleUse,
): Entry | undefined =>
  entries.find(
    (entry) =>
      entry.singleUse !== undefined &&
      entry.singleUse === singleUse &&
      entry.environment === environment &&
      entry.client === client &&
      entry.operation === operation &&
      !isNotExecuted(entry),
  );

/** Reads the call that has used the single-use value of another one, with any key, or may have. */
export async function readUse(source: StoreAccess, use: SingleUse): Promise<Entry | undefined> {
  const uses = usesQuery(use);
  if (!uses) return undefined;
  const rows = await source.run(uses.sql, uses.values);
  return findUse(
    rows.map((row) => toStoredEntry(source, row).entry),
    use,
  );
}

export const missingRow = (id: string) => new EntryChanged(id, "its row is missing");

export async function getEntry(source: StoreAccess, id: string): Promise<Entry | undefined> {
  const [entry] = await selectEntries(source, "WHERE e.id = $1", [id]);
  if (entry) return entry;
  const { sql, values } = anyEventQuery(id);
  if ((await source.run(sql, values)).length > 0) throw missingRow(id);
  return undefined;
}

/** Returns the environment of an entry, unchecked; undefined if the entry does not exist. */
export async function findEnvironment({ run }: StoreAccess, id: string): Promise<string | undefined> {
  const [row] = await run("SELECT environment FROM fxdesk_journal_entries WHERE id = $1", [id]);
  return row && String(row.environment);
}

/** Returns the entries of one scope that are `done` and have an identity, newest first. */
export function listIdentifiedEntries(
  source: StoreAccess,
  scope: CallScope,
  limit: number,
): Promise<Entry[]> {
  // The subquery limits the rows before the joins read their long contents.
  const where = `WHERE e.id IN (SELECT id FROM fxdesk_journal_entries
      WHERE ${inScope} AND state = 'done' AND identity IS NOT NULL
      ORDER BY intent_seq DESC LIMIT $4) ORDER BY e.intent_seq DESC`;
  return selectEntries(source, where, [...scopeValues(scope), limit]);
}

/** Selects entries of a list. */
export interface EntryFilter {
  readonly state?: readonly EntryState[];
  /** Only calls that started longer ago, by the clock of the store. */
  readonly olderThanMs?: number;
  readonly limit?: number;
}

/** Returns entries, newest first. */
export function listEntries(
  source: StoreAccess & Pick<Database, "now">,
  { state, olderThanMs, limit }: EntryFilter,
): Promise<Entry[]> {
  const values: Value[] = [];
  const parameter = (value: Value) => `$${values.push(value)}`;
  const conditions = [
    ...(state ? [`e.state IN (${state.map(parameter).join(", ") || "NULL"})`] : []),
    ...(olderThanMs === undefined
      ? []
      : [`e.begun_at < ${source.now} - CAST(${parameter(olderThanMs)} AS BIGINT)`]),
  ];
  const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
  const limitClause = limit === undefined ? "" : `LIMIT ${parameter(limit)}`;
  return selectEntries(source, `${where} ORDER BY e.begun_at DESC, e.intent_seq DESC ${limitClause}`, values);
}

/** Selects entries of environments. Conditions that are given must all hold. */
export interface EntryQuery {
  readonly environments: readonly string[];
  readonly entry?: string | undefined;
  readonly key?: string | undefined;
  readonly singleUse?: string | undefined;
  readonly reference?: string | undefined;
  readonly identity?: string | undefined;
  /** The booking attempts of an order, or the sent call. */
  readonly release?: string | undefined;
  /** Start of the call, in milliseconds since 1970: the first included, the second not. */
  readonly begun?: readonly [from: number, to: number] | undefined;
}

/** Returns the hashes that a reference may have, one for each scope with entries. */
async function referenceHashes(
  { run }: StoreAccess,
  environments: readonly string[],
  reference: string,
): Promise<Value[]> {
  const scopes = await run("SELECT DISTINCT environment, client, operation FROM fxdesk_journal_entries");
  return scopes
    .map((row) => parseScope(row))
    .filter(({ environment }) => environments.includes(environment))
    .map((scope) => hashReference(scope, reference));
}

const parseScope = ({ environment, client, operation }: Row): CallScope => ({
  environment: String(environment),
  client: String(client),
  operation: String(operation),
});

/** Returns a page of the entries that a query selects, newest first. */
export async function searchEntries(
  source: StoreAccess,
  { environments, entry, key, singleUse, reference, identity, release, begun }: EntryQuery,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<Entry[]> {
  const values: Value[] = [];
  const parameter = (value: Value) => `$${values.push(value)}`;
  const isOneOf = (column: string, given: readonly Value[]) =>
    `${column} IN (${given.map(parameter).join(", ") || "NULL"})`;
  const equal = Object.entries({ id: entry, key, single_use: singleUse, identity }).flatMap(
    ([column, value]) => (value === undefined ? [] : [`${column} = ${parameter(value)}`]),
  );
  const conditions = [isOneOf("environment", environments), ...equal];
  if (reference !== undefined)
    conditions.push(isOneOf("reference_hash", await referenceHashes(source, environments, reference)));
  if (release !== undefined) {
    const attempts = `${release}.`;
    conditions.push(
      `(substr(key, 1, ${attempts.length}) = ${parameter(attempts)}
        OR id IN (SELECT entry FROM fxdesk_releases WHERE id = ${parameter(release)}))`,
    );
  }
  if (begun) conditions.push(`begun_at >= ${parameter(begun[0])} AND begun_at < ${parameter(begun[1])}`);
  // The subquery limits the rows before the joins read their long contents.
  const where = `WHERE e.id IN (SELECT id FROM fxdesk_journal_entries WHERE ${conditions.join(" AND ")}
      ORDER BY begun_at DESC, intent_seq DESC LIMIT ${limit} OFFSET ${offset})
    ORDER BY e.begun_at DESC, e.intent_seq DESC`;
  return selectEntries(source, where, values);
}
