/** The tables of releases and decisions: every read and write except the sums that the send guard checks. */
import type { MomentAccess, StatementRunner, StoreAccess, Row, Value } from "../store/database";
import type { Store } from "../store/open";
import { type CallScope, inScope, scopeValues } from "../store/call-scope";
import { openRow, saveRow, selectRows } from "../store/rows";
import { decisionsTable, releasesTable } from "../store/schema";
import type { Sealer } from "../store/sealer";
import type { StoreSession } from "../store/session";
import {
  type Decision,
  type Release,
  ReleaseNotFound,
  type ReleaseProgress,
  ReleaseRefusal,
  withEffectiveState,
} from "./release";
import { canTransition, effectiveStateSql, type ReleaseState } from "./states";
import { type SealedRequest, sealOf } from "./terms";

/** Reads releases outside a transaction. */
export const readReleases = <T>(
  store: StoreSession,
  work: (access: MomentAccess) => Promise<T>,
): Promise<T> =>
  store.use(async ({ run, now, sealer }) => work({ run, sealer, moment: await readClock(run, now) }));

/** Runs `work` in one transaction, and once more if the connection is lost. */
export const changeReleases = <T>(
  store: StoreSession,
  work: (access: MomentAccess) => Promise<T>,
): Promise<T> =>
  store.use(({ database, now, sealer }) =>
    database.transaction(async (run) => work({ run, sealer, moment: await readClock(run, now) })),
  );

/** Allows for clock corrections and for differences between machines. */
const clockToleranceMs = 60_000;

/** Reads the clock of the store. Never returns a time before the latest change, so that expiries cannot be undone. */
export async function readClock(run: StatementRunner, now: number | string): Promise<number> {
  const [row] = await run(
    `SELECT ${now} AS now, coalesce((SELECT max(changed_at) FROM fxdesk_releases), 0) AS latest`,
  );
  const [moment, latest] = [Number(row!.now), Number(row!.latest)];
  if (moment < latest - clockToleranceMs)
    throw new Error(
      `The clock of the store shows ${new Date(moment).toISOString()}, earlier than the latest change at ` +
        `${new Date(latest).toISOString()}. Nothing is released until the clock is correct.`,
    );
  return Math.max(moment, latest);
}

/** Throws if the release was changed in the store. */
function parseRelease(sealer: Sealer, stored: Row): Release {
  const row = openRow(releasesTable, stored, sealer);
  const id = String(row.id);
  const sealed = JSON.parse(String(row.content)) as SealedRequest;
  const hash = String(row.seal);
  if (sealOf(id, sealed) !== hash) throw new Error(`The sealed request of ${id} was changed in the store.`);
  return {
    id,
    state: row.state as ReleaseState,
    key: String(row.key),
    requestHash: String(row.request_hash),
    hash,
    sealed,
    signature: row.request_signature === null ? undefined : String(row.request_signature),
    requestedAt: Number(row.requested_at),
    changedAt: Number(row.changed_at),
    entry: row.entry === null ? undefined : String(row.entry),
    fence: Number(row.fence),
    progress: JSON.parse(String(row.progress)) as ReleaseProgress,
  };
}

/** Stores a release. `nextAt` is the time at which the executor processes it again. */
const saveRelease = (
  access: StoreAccess,
  {
    id,
    state,
    key,
    requestHash,
    hash,
    sealed,
    signature,
    requestedAt,
    changedAt,
    entry,
    progress,
  }: Omit<Release, "fence">,
  nextAt: number,
): Promise<void> =>
  saveRow(access, releasesTable, {
    id,
    kind: sealed.kind,
    state,
    environment: sealed.environment,
    client: sealed.client,
    operation: sealed.operation,
    key,
    request_hash: requestHash,
    seal: hash,
    request_signature: signature ?? null,
    requested_at: requestedAt,
    valid_until: sealed.validUntil,
    changed_at: changedAt,
    next_at: nextAt,
    entry: entry ?? null,
    content: JSON.stringify(sealed),
    progress: JSON.stringify(progress),
  });

/** Returns the intact releases, and one fault for each release that was changed in the store. */
async function selectIntactReleases({ run, sealer }: StoreAccess, rest: string, values: readonly Value[]) {
  const rows = await run(`SELECT * FROM fxdesk_releases ${rest}`, values);
  const releases: Release[] = [];
  const faults: Error[] = [];
  for (const row of rows)
    try {
      releases.push(parseRelease(sealer, row));
    } catch (error) {
      faults.push(error as Error);
    }
  return { releases, faults };
}

async function selectReleases(...given: Parameters<typeof selectIntactReleases>): Promise<Release[]> {
  const { releases, faults } = await selectIntactReleases(...given);
  if (faults[0]) throw faults[0];
  return releases;
}

/** Returns a release as stored. Throws ReleaseNotFound, also if it is not visible. */
export async function getRelease(
  access: StoreAccess,
  id: string,
  isVisible: IsVisible = () => true,
): Promise<Release> {
  const release = await findRelease(access, id);
  if (!release || !isVisible(release)) throw new ReleaseNotFound(id);
  return release;
}

export const findRelease = async (access: StoreAccess, id: string): Promise<Release | undefined> =>
  (await selectReleases(access, "WHERE id = $1", [id]))[0];

/** Returns the latest release with the caller's key. */
export async function findReleaseByKey(
  access: StoreAccess,
  scope: CallScope,
  key: string,
): Promise<Release | undefined> {
  const rest = `WHERE ${inScope} AND key = $4 ORDER BY requested_at DESC, id LIMIT 1`;
  return (await selectReleases(access, rest, [...scopeValues(scope), key]))[0];
}

/** Returns the newest releases of the same request in the given states. */
export const listReleasesOfRequest = (
  access: StoreAccess,
  requestHash: string,
  states: readonly ReleaseState[],
): Promise<Release[]> =>
  selectReleases(
    access,
    `WHERE request_hash = $1 AND state IN (${states.map((_, index) => `$${index + 2}`).join(", ")})
     ORDER BY requested_at DESC, id LIMIT 20`,
    [requestHash, ...states],
  );

/** Returns the requests of a scope that may still be sent, oldest first. */
export const listOpenReleases = (access: MomentAccess, scope: CallScope): Promise<Release[]> =>
  selectReleases(
    access,
    `WHERE ${inScope} AND state IN ('waiting', 'released') AND valid_until > $4 ORDER BY requested_at`,
    [...scopeValues(scope), access.moment],
  );

export interface ReleaseFilter {
  /** Only these effective states; all by default. */
  readonly states?: readonly ReleaseState[] | undefined;
  readonly environments?: readonly string[];
  /** Order: newest request first (default), or latest change first. */
  readonly newest?: "requested" | "changed";
  readonly limit: number;
  /** Only these releases. */
  readonly isVisible?: IsVisible | undefined;
}

/** Selects the releases that a reader may see. */
export type IsVisible = (release: Release) => boolean;

export interface ReleaseList {
  readonly releases: readonly Release[];
  /** True if no further releases match. */
  readonly isComplete: boolean;
}

/** Lists releases in their effective state, newest first. Omits releases that were changed in the store. */
export async function listReleases(
  access: MomentAccess,
  { states, environments, newest = "requested", limit, isVisible = () => true }: ReleaseFilter,
): Promise<ReleaseList> {
  const values: Value[] = [];
  const addValue = (value: Value) => `$${values.push(value)}`;
  const isOneOf = (what: string, names: readonly string[]) =>
    `${what} IN (${names.map(addValue).join(", ")})`;
  const conditions = [
    ...(states ? [isOneOf(effectiveStateSql(addValue(access.moment)), states)] : []),
    ...(environments ? [isOneOf("environment", environments)] : []),
  ];
  const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
  const order = `ORDER BY ${newest === "changed" ? "changed_at" : "requested_at"} DESC, id LIMIT ${addValue(limit + 1)}`;
  const visible: Release[] = [];
  for (let offset = 0; ; offset += limit + 1) {
    const rest = `${where} ${order} OFFSET ${offset}`;
    const { releases, faults } = await selectIntactReleases(access, rest, values);
    visible.push(...releases.filter(isVisible));
    const isEnd = releases.length + faults.length <= limit;
    if (isEnd || visible.length > limit)
      return {
        releases: visible.slice(0, limit).map((release) => withEffectiveState(release, access.moment)),
        isComplete: visible.length <= limit,
      };
  }
}

interface NewRelease {
  readonly id: string;
  readonly state: "waiting" | "released";
  readonly key: string;
  readonly requestHash: string;
  readonly sealed: SealedRequest;
  readonly signature: string | undefined;
}

export async function insertRelease(
  access: MomentAccess,
  { id, state, key, requestHash, sealed, signature }: NewRelease,
): Promise<Release> {
  const { moment } = access;
  await saveRelease(
    access,
    {
      id,
      state,
      key,
      requestHash,
      hash: sealOf(id, sealed),
      sealed,
      signature,
      requestedAt: moment,
      changedAt: moment,
      entry: undefined,
      progress: {},
    },
    // A call that needs no release is sent by its requester.
    state === "waiting" || sealed.kind === "call" ? sealed.validUntil : 0,
  );
  return getRelease(access, id);
}

/** Changes the state of a release, and its progress. Throws a ReleaseRefusal if the state cannot follow. */
export async function transitionRelease(
  access: MomentAccess,
  release: Release,
  next: ReleaseState,
  {
    progress = release.progress,
    nextAt,
    entry = release.entry ?? null,
  }: {
    readonly progress?: ReleaseProgress;
    /** Time at which the executor processes it again. */
    readonly nextAt: number;
    readonly entry?: string | null;
  },
): Promise<Release> {
  const { id, state } = release;
  if (!canTransition(state, next)) throw new ReleaseRefusal(`${id} is ${state} and cannot become ${next}.`);
  const changed = { ...release, state: next, changedAt: access.moment, progress, entry: entry ?? undefined };
  await saveRelease(access, changed, nextAt);
  return changed;
}

/** Interval between checks of a sent request without outcome. */
export const outcomePollMs = 2_000;

/** Marks the request of a release as sent under a journal entry. Throws a ReleaseRefusal if the state cannot follow. */
export const markReleaseSent = (
  access: MomentAccess,
  release: Release,
  next: "booking" | "sent",
  entry: string,
): Promise<Release> =>
  transitionRelease(access, release, next, { entry, nextAt: access.moment + outcomePollMs });

/** Returns the decisions on a release. Throws if one was changed in the store. */
export async function listDecisions(access: StoreAccess, release: string): Promise<Decision[]> {
  const rest = "WHERE release = $1 ORDER BY decided_at, person";
  return (await selectRows(access, decisionsTable, rest, [release])).map((row) => ({
    release,
    person: String(row.person),
    hash: String(row.seal),
    decision: row.decision as Decision["decision"],
    at: Number(row.decided_at),
    until: Number(row.valid_until),
    mac: String(row.mac),
    ...(JSON.parse(String(row.content)) as Pick<Decision, "epoch" | "factors" | "note">),
  }));
}

/** Stores a decision. The last decision of a person replaces earlier ones. */
export const saveDecision = (
  access: StoreAccess,
  { release, hash, person, decision, at, until, mac, ...content }: Decision,
): Promise<void> =>
  saveRow(access, decisionsTable, {
    release,
    person,
    decision,
    seal: hash,
    decided_at: at,
    valid_until: until,
    mac,
    content: JSON.stringify(content),
  });

/** Releases that an executor carries out. */
export interface ExecutedReleases {
  readonly environments: readonly string[];
  readonly kinds: readonly SealedRequest["kind"][];
}

/** Returns the SQL condition for the releases that an executor carries out, whose values are added to `values`. */
function isExecuted({ environments, kinds }: ExecutedReleases, values: Value[]): string {
  const isOneOf = (column: string, names: readonly string[]) =>
    `${column} IN (${names.map((name) => `$${values.push(name)}`).join(", ")})`;
  return `${isOneOf("kind", kinds)} AND ${isOneOf("environment", environments)}
    AND state IN ('waiting', 'released', 'booking', 'unknown', 'booked', 'sent')`;
}

/** Leases due releases that no other process holds, and returns those that are intact. */
export async function acquireDueReleases(
  { run, now, sealer }: Store,
  executed: ExecutedReleases,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
): Promise<readonly Release[]> {
  const values: Value[] = [leaseMs];
  const where = `${isExecuted(executed, values)} AND next_at <= ${now} AND lease_expires_at <= ${now}`;
  const ids = await run(
    `UPDATE fxdesk_releases SET lease_expires_at = ${now} + CAST($1 AS BIGINT), fence = fence + 1
     WHERE ${where} AND id IN (SELECT id FROM fxdesk_releases WHERE ${where} ORDER BY next_at LIMIT ${limit})
     RETURNING id`,
    values,
  );
  const releases: Release[] = [];
  for (const { id } of ids)
    releases.push(...(await selectReleases({ run, sealer }, "WHERE id = $1", [id!]).catch(() => [])));
  return releases;
}

/** Returns the milliseconds until the next release is due, or undefined if there is none. */
export async function msUntilNextRelease(
  { run, now }: Store,
  executed: ExecutedReleases,
): Promise<number | undefined> {
  const values: Value[] = [];
  const [row] = await run(
    `SELECT min(next_at) - ${now} AS pause FROM fxdesk_releases
     WHERE ${isExecuted(executed, values)} AND lease_expires_at <= ${now}`,
    values,
  );
  return row?.pause == null ? undefined : Number(row.pause);
}

/** Returns the lease of a release, if this process still holds it. */
export async function returnLease({ run }: StoreAccess, { id, fence }: Release): Promise<void> {
  await run("UPDATE fxdesk_releases SET lease_expires_at = 0 WHERE id = $1 AND fence = $2", [id, fence]);
}
