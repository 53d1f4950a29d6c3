/** Reads and writes releases and decisions. Contains no decisions of its own, except the integrity check of the seal. */
import type { Row, StatementRunner, Value } from "../store/database";
import type { StoreAccess } from "../store/open";
import type { Sealer } from "../store/sealer";
import type { Decision, Release, ReleaseProgress, ReleaseState } from "./release";
import { type SealedRequest, sealOf } from "./terms";

const sealLocation = (id: string): string => `fxdesk_releases ${id}`;
const decisionSealLocation = (release: string, person: string): string =>
  `fxdesk_release_decisions ${release} ${person}`;

function parseRelease(sealer: Sealer, row: Row): Release {
  const id = String(row.id);
  const sealed = JSON.parse(sealer.unseal(String(row.content), sealLocation(id))) as SealedRequest;
  const hash = String(row.hash);
  if (sealOf(id, sealed) !== hash) throw new Error(`The sealed request of ${id} was changed in the store.`);
  return {
    id,
    state: row.state as ReleaseState,
    key: String(row.key),
    requestHash: String(row.asks),
    hash,
    sealed,
    requestedAt: Number(row.asked_at),
    changedAt: Number(row.changed_at),
    entry: row.entry === null ? undefined : String(row.entry),
    fence: Number(row.fence),
    progress: JSON.parse(sealer.unseal(String(row.progress), sealLocation(id))) as ReleaseProgress,
  };
}

export async function selectReleases(
  { run, sealer }: StoreAccess,
  rest: string,
  values: readonly Value[],
): Promise<Release[]> {
  const rows = await run(`SELECT * FROM fxdesk_releases ${rest}`, values);
  return rows.map((row) => parseRelease(sealer, row));
}

/** Returns the intact releases, and one fault for each release that was changed in the store. */
export async function listReadableReleases(
  { run, sealer }: StoreAccess,
  rest: string,
  values: readonly Value[] = [],
): Promise<{ readonly releases: readonly Release[]; readonly faults: readonly string[] }> {
  const rows = await run(`SELECT * FROM fxdesk_releases ${rest}`, values);
  const releases: Release[] = [];
  const faults: string[] = [];
  for (const row of rows)
    try {
      releases.push(parseRelease(sealer, row));
    } catch (error) {
      faults.push((error as Error).message);
    }
  return { releases, faults };
}

export const getRelease = async (source: StoreAccess, id: string): Promise<Release | undefined> =>
  (await selectReleases(source, "WHERE id = $1", [id]))[0];

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

/** Allows for clock corrections and for differences between machines. */
const clockToleranceMs = 60_000;

export interface NewRelease {
  readonly id: string;
  readonly state: "waiting" | "released";
  readonly key: string;
  readonly requestHash: string;
  readonly sealed: SealedRequest;
}

export async function insertRelease(
  { run, sealer }: StoreAccess,
  { id, state, key, requestHash, sealed }: NewRelease,
  moment: number,
): Promise<Release> {
  const { kind, environment, client, operation, validUntil } = sealed;
  await run(
    `INSERT INTO fxdesk_releases
       (id, kind, state, environment, client, operation, key, asks, hash, asked_at, valid_until, changed_at, next_at,
        content, progress)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $10, $12, $13, $14)`,
    [
      id,
      kind,
      state,
      environment,
      client,
      operation,
      key,
      requestHash,
      sealOf(id, sealed),
      moment,
      validUntil,
      state === "waiting" ? validUntil : 0,
      sealer.seal(JSON.stringify(sealed), sealLocation(id)),
      sealer.seal("{}", sealLocation(id)),
    ],
  );
  return (await getRelease({ run, sealer }, id))!;
}

export async function updateRelease(
  { run, sealer }: StoreAccess,
  { id }: Pick<Release, "id">,
  moment: number,
  {
    state,
    progress,
    nextAt,
    entry,
  }: {
    readonly state: ReleaseState;
    readonly progress: ReleaseProgress;
    /** Time at which the executor processes it again. */
    readonly nextAt: number;
    readonly entry: string | null;
  },
): Promise<void> {
  await run(
    `UPDATE fxdesk_releases SET state = $2, changed_at = $3, progress = $4, next_at = $5, entry = $6 WHERE id = $1`,
    [id, state, moment, sealer.seal(JSON.stringify(progress), sealLocation(id)), nextAt, entry],
  );
}

export async function listDecisions({ run, sealer }: StoreAccess, release: string): Promise<Decision[]> {
  const rows = await run("SELECT * FROM fxdesk_release_decisions WHERE release = $1 ORDER BY at, person", [
    release,
  ]);
  return rows.map((row) => {
    const person = String(row.person);
    const content = sealer.unseal(String(row.content), decisionSealLocation(release, person));
    return {
      release,
      person,
      hash: String(row.hash),
      decision: row.decision as Decision["decision"],
      at: Number(row.at),
      until: Number(row.until),
      mac: String(row.mac),
      ...(JSON.parse(content) as { note?: string }),
    };
  });
}

/** Stores a decision. The last decision of a person replaces earlier ones. */
export async function saveDecision(
  { run, sealer }: StoreAccess,
  { release, hash, person, decision, at, until, mac, note }: Decision,
): Promise<void> {
  const content = sealer.seal(
    JSON.stringify(note === undefined ? {} : { note }),
    decisionSealLocation(release, person),
  );
  await run(
    `INSERT INTO fxdesk_release_decisions (release, person, decision, hash, at, until, mac, content)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (release, person) DO UPDATE SET decision = excluded.decision, hash = excluded.hash,
       at = excluded.at, until = excluded.until, mac = excluded.mac, content = excluded.content`,
    [release, person, decision, hash, at, until, mac, content],
  );
}
