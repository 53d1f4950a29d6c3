/** Work that only one process of a store does at a time. */
import { setTimeout as wait } from "node:timers/promises";
import { acquireLease, type Lease } from "../store/lease";
import { withStore } from "../store/open";
import type { StoreSettings } from "../store/settings";

/** A process that ends without releasing its lease holds up the others for this time. */
const leaseMs = 30_000;
const maxWaitMs = 60_000;

async function extendWhile<T>(lease: Lease, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => void lease.extend().catch(() => undefined), leaseMs / 3);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    // A lease that cannot be released expires.
    await lease.release().catch(() => undefined);
  }
}

/** Runs work under a lease. Throws the error of `refuse` if another process holds the lease for a minute, an Error if the store cannot be used. */
export const workExclusively = <T>(
  settings: StoreSettings,
  name: string,
  work: () => Promise<T>,
  refuse: () => Error,
): Promise<T> =>
  withStore(settings, async ({ database }) => {
    const startedAt = performance.now();
    for (;;) {
      const lease = await acquireLease(database, name, leaseMs);
      if (lease) return extendWhile(lease, work);
      if (performance.now() - startedAt > maxWaitMs) throw refuse();
      await wait(50 + Math.random() * 100);
    }
  });
