/** Entries that are looked for: which are due, who looks, and what else the journal knows that bears on them. */
import { createHash } from "node:crypto";
import type { Run, Value } from "../store/database";
import { canonicalJson } from "./canonical";
import type { OpenChain } from "./chain";
import type { Entry, Look, Scope } from "./entry";
import { getEntry, select, type Source } from "./rows";

/** What entries of one reference have in common, and which tells a reader nothing of it; null where there is none. */
export function referenceHash({ environment, client, operation }: Scope, reference?: string): string | null {
  if (!reference?.trim()) return null;
  const named = canonicalJson({ environment, client, operation, reference: reference.trim() });
  return createHash("sha256").update(named).digest("hex");
}

const inScope = "environment = $1 AND client = $2 AND operation = $3";
const valuesOf = ({ environment, client, operation }: Scope): Value[] => [environment, client, operation];

export async function namesakesOf(source: Source, entry: Entry): Promise<Entry[]> {
  const reference = referenceHash(entry, entry.reference);
  if (reference === null) return [];
  const where = "WHERE e.reference = $1 AND e.id <> $2 ORDER BY e.intent";
  return (await select(source, where, [reference, entry.id])).map((held) => held.entry);
}

export async function ownerOf(source: Source, scope: Scope, identity: string): Promise<Entry | undefined> {
  const where = `WHERE e.environment = $1 AND e.client = $2 AND e.operation = $3
    AND e.identity = $4 AND e.state = 'done'`;
  return (await select(source, where, [...valuesOf(scope), identity]))[0]?.entry;
}

/** Those whose process is gone. */
export async function abandonedIn({ run }: Source, now: string, scope: Scope): Promise<string[]> {
  const rows = await run(
    `SELECT id FROM fxdesk_journal_entries
     WHERE ${inScope} AND state IN ('intended', 'sent') AND expires_at <= ${now}`,
    valuesOf(scope),
  );
  return rows.map(({ id }) => String(id));
}

async function looksOf(source: Source, rows: Awaited<ReturnType<Run>>): Promise<Look[]> {
  const taken: Look[] = [];
  for (const { id, looks } of rows) {
    const held = await getEntry(source, String(id));
    if (held) taken.push({ entry: held.entry, looks: Number(looks) });
  }
  return taken;
}

/** How many are looked for at once. */
const mostAtOnce = 500;

const isFree = (now: string) => `state = 'unknown' AND look_until <= ${now}`;

type Take = (source: Source, now: string, scope: Scope, holdMs: number) => Promise<Look[]>;

/** The condition stands outside as well: another process may have taken one meanwhile. */
const takeWhere =
  (condition: (now: string) => string): Take =>
  async (source, now, scope, holdMs) => {
    const rows = await source.run(
      `UPDATE fxdesk_journal_entries SET look_until = ${now} + CAST($4 AS BIGINT)
       WHERE ${isFree(now)} AND id IN (
         SELECT id FROM fxdesk_journal_entries
         WHERE ${inScope} AND ${isFree(now)} ${condition(now)} ORDER BY look_at LIMIT ${mostAtOnce})
       RETURNING id, looks`,
      [...valuesOf(scope), holdMs],
    );
    return looksOf(source, rows);
  };

export const takeDue = takeWhere((now) => `AND look_at <= ${now}`);
export const takeAll = takeWhere(() => "");

/** Takes one, whether it is due or rests between two looks; undefined where somebody looks for it. */
export async function takeById(
  source: Source,
  now: string,
  id: string,
  holdMs: number,
): Promise<Look | undefined> {
  const rows = await source.run(
    `UPDATE fxdesk_journal_entries SET look_until = ${now} + CAST($2 AS BIGINT)
     WHERE id = $1 AND ${isFree(now)} RETURNING id, looks`,
    [id, holdMs],
  );
  return (await looksOf(source, rows))[0];
}

/** How long nobody else looks for a call whose own process has just lost its response. */
const firstLookMs = 10_000;

export async function holdLook({ run, moment }: OpenChain, id: string): Promise<void> {
  await run("UPDATE fxdesk_journal_entries SET look_at = $2, look_until = $3 WHERE id = $1", [
    id,
    moment,
    moment + firstLookMs,
  ]);
}

export async function putOff({ run }: Source, now: string, id: string, pauseMs: number): Promise<void> {
  await run(
    `UPDATE fxdesk_journal_entries SET looks = looks + 1, look_until = 0, look_at = ${now} + CAST($2 AS BIGINT)
     WHERE id = $1`,
    [id, pauseMs],
  );
}

/** Of those that are unknown, and those whose claim may end without a word. */
export async function nextLookIn({ run }: Source, now: string, scope: Scope): Promise<number | undefined> {
  const [row] = await run(
    `SELECT min(CASE WHEN state <> 'unknown' THEN expires_at
                     WHEN look_until > look_at THEN look_until ELSE look_at END) - ${now} AS pause
     FROM fxdesk_journal_entries WHERE ${inScope} AND state IN ('unknown', 'intended', 'sent')`,
    valuesOf(scope),
  );
  const pause = row?.pause;
  return pause === null || pause === undefined ? undefined : Math.max(Number(pause), 0);
}
