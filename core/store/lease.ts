/** Leases for exclusive work: one holder per name, with an expiry by the database's clock. */
import type { Database } from "./database";

export interface Lease {
  /** Extends the lease by its full duration. Returns false if it expired and another process may hold it. */
  extend(): Promise<boolean>;
  /** Ends the lease, so that another process can acquire it at once. */
  release(): Promise<void>;
}

/** Maximum response time of the database: a lease confirmed later is not used, because too little of it may remain. */
const responseMarginMs = 5_000;

/**
 * Acquires a lease for `workMs` plus a margin. Returns undefined if another process holds it. A lease that is not released
 * expires.
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
