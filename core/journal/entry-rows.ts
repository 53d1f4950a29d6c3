/** Journal entries as stored: the current state, joined with the intent and the latest event. */
import { createHash } from "node:crypto";
import { type CallScope, inScope, scopeValues } from "../store/call-scope";
import type { Database, Row, Value, StoreAccess } from "../store/database";
import { canonicalJson } from "../values/json";
import { unsealDetails } from "./hash-chain";
import type { EntryOutcome, Entry, EntryKey, EntryState, Intent } from "./entry";

type IntentDetails = Intent["details"] & { readonly reference?: string };

/** Hashes a reference within its scope: equal for equal references, and opaque to readers. Null if the reference is blank. */
export function hashReference(
  { environment, client, operation }: CallScope,
  reference?: string,
): string | null {
  if (!reference?.trim()) return null;
  const canonical = canonicalJson({ environment, client, operation, reference: reference.trim() });
  return createHash("sha256").update(canonical).digest("hex");
}

/** An entry with the claim on it. */
export interface LeasedEntry {
  readonly entry: Entry;
  /** Incremented by each claim, so that the holder of an older claim can no longer write. */
  readonly fence: number;
  readonly expiresAt: number;
  /** Salted hash of the intent's details. Identifies the claim that wrote the intent. */
  readonly intentHash: string;
}

const query = `
  SELECT e.id, e.environment, e.client, e.operation, e.key, e.state, e.intent_seq, e.latest_seq, e.fence, e.claim_expires_at,
    i.at AS begun_at, i.content AS intent_content, l.at AS changed_at, l.content AS latest_content,
    di.content AS intent_details, dl.content AS latest_details
  FROM fxdesk_journal_entries AS e
  JOIN fxdesk_journal_events AS i ON i.seq = e.intent_seq
  JOIN fxdesk_journal_events AS l ON l.seq = e.latest_seq
  LEFT JOIN fxdesk_journal_details AS di ON di.seq = e.intent_seq
  LEFT JOIN fxdesk_journal_details AS dl ON dl.seq = e.latest_seq`;

type Content = Readonly<Record<string, unknown>>;

const parseContent = (text: Value): Content => JSON.parse(String(text)) as Content;

const isInFlight = (state: EntryState): boolean => state === "intended" || state === "sent";
export const hasEnded = (state: EntryState): state is EntryOutcome["state"] => !isInFlight(state);
/** True if the outcome is known and can no longer change. */
export const isFinal = (state: EntryState): boolean => hasEnded(state) && state !== "unknown";

function parseOutcome(content: Content): Entry["ending"] {
  const { details: _, ...facts } = content;
  return facts as unknown as Entry["ending"];
}

function toLeasedEntry(source: StoreAccess, row: Row): LeasedEntry {
  const unseal = (seq: Value, sealed: Value) => unsealDetails(source, seq, sealed)?.content;
  const state = String(row.state) as EntryState;
  const intentContent = parseContent(row.intent_content!);
  const details = unseal(row.intent_seq!, row.intent_details!) as IntentDetails | undefined;
  return {
    entry: {
      id: String(row.id),
      environment: String(row.environment),
      client: String(row.client),
      operation: String(row.operation),
      key: String(row.key),
      terms: String(intentContent.terms),
      surface: String(intentContent.surface),
      reference: details?.reference,
      state,
      begunAt: Number(row.begun_at),
      changedAt: Number(row.changed_at),
      ending: hasEnded(state) ? parseOutcome(parseContent(row.latest_content!)) : undefined,
      intent: details && { actor: details.actor, call: details.call },
      endingDetails: hasEnded(state) ? unseal(row.latest_seq!, row.latest_details!) : undefined,
    },
    fence: Number(row.fence),
    expiresAt: Number(row.claim_expires_at),
    intentHash: String(intentContent.details),
  };
}

async function selectLeasedEntries(
  source: StoreAccess,
  rest: string,
  values: readonly Value[],
): Promise<LeasedEntry[]> {
  const rows = await source.run(`${query} ${rest}`, values);
  return rows.map((row) => toLeasedEntry(source, row));
}

export const selectEntries = async (...given: Parameters<typeof selectLeasedEntries>): Promise<Entry[]> =>
  (await selectLeasedEntries(...given)).map(({ entry }) => entry);

export async function getEntry(source: StoreAccess, id: string): Promise<LeasedEntry | undefined> {
  return (await selectLeasedEntries(source, "WHERE e.id = $1", [id]))[0];
}

export async function findEntry(source: StoreAccess, key: EntryKey): Promise<LeasedEntry | undefined> {
  return (
    await selectLeasedEntries(source, `WHERE ${inScope} AND key = $4`, [...scopeValues(key), key.key])
  )[0];
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
      : [`i.at < ${source.now} - CAST(${parameter(olderThanMs)} AS BIGINT)`]),
  ];
  const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
  const limitClause = limit === undefined ? "" : `LIMIT ${parameter(limit)}`;
  return selectEntries(source, `${where} ORDER BY e.intent_seq DESC ${limitClause}`, values);
}
