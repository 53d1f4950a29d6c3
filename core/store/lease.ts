/** A lease: what only one process may do at a time, for as long as it says, by the database's clock. */
import type { Database } from "./database";

export interface Lease {
  /** Begins its time anew; false where it is over and somebody else may have it. */
  extend(): Promise<boolean>;
  /** Gives it to whoever wants it next. */
  release(): Promise<void>;
}

/** How long the database may take to respond: a lease that arrives later is none. */
const responseMarginMs = 5_000;

/**
 * Takes a lease for as long as the work of its holder may last, and a margin; undefined where another process holds it. One
 * that is not released ends by itself.
 */
export async function acquireLease(
  { run, now }: Database,
  name: string,
  workMs: number,
): Promise<Lease | undefined> {
  const durationMs = workMs + responseMarginMs;
  const startedAt = performance.now();
  const [row] = await run(
    `INSERT INTO fxdesk_leases (name, fence, expires_at) VALUES ($1, 1, ${now} + $2)
     ON CONFLICT (name) DO UPDATE SET fence = fxdesk_leases.fence + 1, expires_at = excluded.expires_at
     WHERE fxdesk_leases.expires_at <= ${now}
     RETURNING fence`,
    [name, durationMs],
  );
  if (!row) return undefined;
  const fence = row.fence!;
  const setExpiry = async (expiresAt: string, values: readonly number[]) => {
    const held = await run(
      `UPDATE fxdesk_leases SET expires_at = ${expiresAt}
       WHERE name = $1 AND fence = $2 AND expires_at > ${now} RETURNING fence`,
      [name, fence, ...values],
    );
    return held.length > 0;
  };
  const lease: Lease = {
    async extend() {
      const requestedAt = performance.now();
      return (
        (await setExpiry(`${now} + $3`, [durationMs])) && performance.now() - requestedAt < responseMarginMs
      );
    },
    async release() {
      await setExpiry("0", []);
    },
  };
  if (performance.now() - startedAt < responseMarginMs) return lease;
  await lease.release();
  return undefined;
}
