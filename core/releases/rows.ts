/** Releases as the store has them. Nothing here decides anything. */
import type { Row, Run, Value } from "../store/database";
import type { Seal } from "../store/seal";
import type { Decision, Release, ReleaseProgress, ReleaseState } from "./release";
import { type Sealed, sealOf } from "./terms";

/** Where releases are read and written. */
export interface Source {
  readonly run: Run;
  readonly seal: Seal;
}

const place = (id: string): string => `fxdesk_releases ${id}`;
const decisionPlace = (release: string, person: string): string =>
  `fxdesk_release_decisions ${release} ${person}`;

function releaseFrom(seal: Seal, row: Row): Release {
  const id = String(row.id);
  const sealed = JSON.parse(seal.open(String(row.content), place(id))) as Sealed;
  const hash = String(row.hash);
  if (sealOf(id, sealed) !== hash)
    throw new Error(`What is sealed in ${id} is not what was asked for: it was changed in the store.`);
  return {
    id,
    state: row.state as ReleaseState,
    key: String(row.key),
    asks: String(row.asks),
    hash,
    sealed,
    askedAt: Number(row.asked_at),
    changedAt: Number(row.changed_at),
    entry: row.entry === null ? undefined : String(row.entry),
    fence: Number(row.fence),
    progress: JSON.parse(seal.open(String(row.progress), place(id))) as ReleaseProgress,
  };
}

export async function selectReleases(
  { run, seal }: Source,
  rest: string,
  values: readonly Value[],
): Promise<Release[]> {
  const rows = await run(`SELECT * FROM fxdesk_releases ${rest}`, values);
  return rows.map((row) => releaseFrom(seal, row));
}

/** Those that are as they were asked for, and what is wrong with the others. */
export async function readableReleases(
  { run, seal }: Source,
  rest: string,
  values: readonly Value[] = [],
): Promise<{ readonly releases: readonly Release[]; readonly faults: readonly string[] }> {
  const rows = await run(`SELECT * FROM fxdesk_releases ${rest}`, values);
  const releases: Release[] = [];
  const faults: string[] = [];
  for (const row of rows)
    try {
      releases.push(releaseFrom(seal, row));
    } catch (error) {
      faults.push((error as Error).message);
    }
  return { releases, faults };
}

export const getRelease = async (source: Source, id: string): Promise<Release | undefined> =>
  (await selectReleases(source, "WHERE id = $1", [id]))[0];

/** The time by the clock of the store, which does not go back behind what was written. */
export async function momentOf(run: Run, now: number | string): Promise<number> {
  const [row] = await run(
    `SELECT ${now} AS now, coalesce((SELECT max(changed_at) FROM fxdesk_releases), 0) AS latest`,
  );
  const [moment, latest] = [Number(row!.now), Number(row!.latest)];
  if (moment < latest - toleranceMs)
    throw new Error(
      `The clock of the store shows ${new Date(moment).toISOString()}, and it was ${new Date(latest).toISOString()} ` +
        "before: nothing is released until it is right.",
    );
  return Math.max(moment, latest);
}

/** Clocks are corrected, and those of two machines differ. */
const toleranceMs = 60_000;

export interface NewRelease {
  readonly id: string;
  readonly state: "waiting" | "released";
  readonly key: string;
  readonly asks: string;
  readonly sealed: Sealed;
}

export async function insertRelease(
  { run, seal }: Source,
  { id, state, key, asks, sealed }: NewRelease,
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
      asks,
      sealOf(id, sealed),
      moment,
      validUntil,
      state === "waiting" ? validUntil : 0,
      seal.close(JSON.stringify(sealed), place(id)),
      seal.close("{}", place(id)),
    ],
  );
  return (await getRelease({ run, seal }, id))!;
}

/** Says how it stands now. */
export async function moveRelease(
  { run, seal }: Source,
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
    /** When it is looked at again. */
    readonly nextAt: number;
    readonly entry: string | null;
  },
): Promise<void> {
  await run(
    `UPDATE fxdesk_releases SET state = $2, changed_at = $3, progress = $4, next_at = $5, entry = $6 WHERE id = $1`,
    [id, state, moment, seal.close(JSON.stringify(progress), place(id)), nextAt, entry],
  );
}

export async function decisionsOn({ run, seal }: Source, release: string): Promise<Decision[]> {
  const rows = await run("SELECT * FROM fxdesk_release_decisions WHERE release = $1 ORDER BY at, person", [
    release,
  ]);
  return rows.map((row) => {
    const person = String(row.person);
    const content = seal.open(String(row.content), decisionPlace(release, person));
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

/** Keeps what a person said; the last word of a person counts. */
export async function keepDecision(
  { run, seal }: Source,
  { release, hash, person, decision, at, until, mac, note }: Decision,
): Promise<void> {
  const content = seal.close(
    JSON.stringify(note === undefined ? {} : { note }),
    decisionPlace(release, person),
  );
  await run(
    `INSERT INTO fxdesk_release_decisions (release, person, decision, hash, at, until, mac, content)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (release, person) DO UPDATE SET decision = excluded.decision, hash = excluded.hash,
       at = excluded.at, until = excluded.until, mac = excluded.mac, content = excluded.content`,
    [release, person, decision, hash, at, until, mac, content],
  );
}
