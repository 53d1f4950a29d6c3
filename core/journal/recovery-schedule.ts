/** Schedule of recovery: due entries, leases, and lookups by reference and identity. */
import { createHash } from "node:crypto";
import type { StatementRunner, Value } from "../store/database";
import { canonicalJson } from "../values/json";
import type { ChainWriter } from "./hash-chain";
import type { Entry, RecoveryCandidate, CallScope } from "./entry";
import { getEntry, selectEntries } from "./entry-rows";
import type { StoreAccess } from "../store/open";

/** Hashes a reference within its scope: equal for equal references, and opaque to readers. Null if the reference is blank. */
export function hashReference(
  { environment, client, operation }: CallScope,
  reference?: string,
): string | null {
  if (!reference?.trim()) return null;
  const canonical = canonicalJson({ environment, client, operation, reference: reference.trim() });
  return createHash("sha256").update(canonical).digest("hex");
}

const scopeCondition = "environment = $1 AND client = $2 AND operation = $3";
const scopeValues = ({ environment, client, operation }: CallScope): Value[] => [
  environment,
  client,
  operation,
];

export async function listSameReference(source: StoreAccess, entry: Entry): Promise<Entry[]> {
  const reference = hashReference(entry, entry.reference);
  if (reference === null) return [];
  const where = "WHERE e.reference = $1 AND e.id <> $2 ORDER BY e.intent";
  return (await selectEntries(source, where, [reference, entry.id])).map((held) => held.entry);
}

export async function findByIdentity(
  source: StoreAccess,
  scope: CallScope,
  identity: string,
): Promise<Entry | undefined> {
  const where = `WHERE e.environment = $1 AND e.client = $2 AND e.operation = $3
    AND e.identity = $4 AND e.state = 'done'`;
  return (await selectEntries(source, where, [...scopeValues(scope), identity]))[0]?.entry;
}

/** Returns the entries whose owning process has died. */
export async function listAbandoned({ run }: StoreAccess, now: string, scope: CallScope): Promise<string[]> {
  const rows = await run(
    `SELECT id FROM fxdesk_journal_entries
     WHERE ${scopeCondition} AND state IN ('intended', 'sent') AND expires_at <= ${now}`,
    scopeValues(scope),
  );
  return rows.map(({ id }) => String(id));
}

async function toCandidates(
  source: StoreAccess,
  rows: Awaited<ReturnType<StatementRunner>>,
): Promise<RecoveryCandidate[]> {
  const candidates: RecoveryCandidate[] = [];
  for (const { id, looks } of rows) {
    const held = await getEntry(source, String(id));
    if (held) candidates.push({ entry: held.entry, attempts: Number(looks) });
  }
  return candidates;
}

/** Maximum number of entries leased at once. */
const maxCandidates = 500;

const unleasedCondition = (now: string) => `state = 'unknown' AND look_until <= ${now}`;

type LeaseCandidates = (
  source: StoreAccess,
  now: string,
  scope: CallScope,
  holdMs: number,
) => Promise<RecoveryCandidate[]>;

/** The condition is repeated outside the subquery because another process may lease a row in between. */
const leaseWhere =
  (condition: (now: string) => string): LeaseCandidates =>
  async (source, now, scope, holdMs) => {
    const rows = await source.run(
      `UPDATE fxdesk_journal_entries SET look_until = ${now} + CAST($4 AS BIGINT)
       WHERE ${unleasedCondition(now)} AND id IN (
         SELECT id FROM fxdesk_journal_entries
         WHERE ${scopeCondition} AND ${unleasedCondition(now)} ${condition(now)} ORDER BY look_at LIMIT ${maxCandidates})
       RETURNING id, looks`,
      [...scopeValues(scope), holdMs],
    );
    return toCandidates(source, rows);
  };

export const leaseDue = leaseWhere((now) => `AND look_at <= ${now}`);
export const leaseAll = leaseWhere(() => "");

/** Leases one entry, due or not. Returns undefined if another process holds the lease. */
export async function leaseById(
  source: StoreAccess,
  now: string,
  id: string,
  holdMs: number,
): Promise<RecoveryCandidate | undefined> {
  const rows = await source.run(
    `UPDATE fxdesk_journal_entries SET look_until = ${now} + CAST($2 AS BIGINT)
     WHERE id = $1 AND ${unleasedCondition(now)} RETURNING id, looks`,
    [id, holdMs],
  );
  return (await toCandidates(source, rows))[0];
}

/** Period in which only the process that made a lost call may recover it. */
const ownerHeadStartMs = 10_000;

export async function reserveForOwner({ run, moment }: ChainWriter, id: string): Promise<void> {
  await run("UPDATE fxdesk_journal_entries SET look_at = $2, look_until = $3 WHERE id = $1", [
    id,
    moment,
    moment + ownerHeadStartMs,
  ]);
}

export async function reschedule(
  { run }: StoreAccess,
  now: string,
  id: string,
  pauseMs: number,
): Promise<void> {
  await run(
    `UPDATE fxdesk_journal_entries SET looks = looks + 1, look_until = 0, look_at = ${now} + CAST($2 AS BIGINT)
     WHERE id = $1`,
    [id, pauseMs],
  );
}

/** Covers `unknown` entries and claims whose process may die. */
export async function nextRecoveryInMs(
  { run }: StoreAccess,
  now: string,
  scope: CallScope,
): Promise<number | undefined> {
  const [row] = await run(
    `SELECT min(CASE WHEN state <> 'unknown' THEN expires_at
                     WHEN look_until > look_at THEN look_until ELSE look_at END) - ${now} AS pause
     FROM fxdesk_journal_entries WHERE ${scopeCondition} AND state IN ('unknown', 'intended', 'sent')`,
    scopeValues(scope),
  );
  const pause = row?.pause;
  return pause === null || pause === undefined ? undefined : Math.max(Number(pause), 0);
}
