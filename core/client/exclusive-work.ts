/** Work that only one process of a store does at a time. */
import { setTimeout as wait } from "node:timers/promises";
import type { CallOptions } from "../call/call-options";
import { type ClientContext, environmentOf } from "../call/client-context";
import { settingsFor } from "../call/prepare";
import { customerOf } from "../journal/outcome-lookup";
import { createError } from "../spec/errors";
import type { Declaration } from "../spec/operation";
import { acquireLease, type Lease } from "../store/lease";
import { withStore } from "../store/open";

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

const busyError = ({ name }: Declaration) =>
  createError(
    name,
    "unavailable",
    "not-sent",
    `${name}: Nothing was sent, because another call of this client is being checked. Try again when it is done.`,
  );

/**
 * Runs work under the lease of an operation, its environment and client. Throws Unavailable if others hold the lease for a
 * minute, an Error if the store cannot be used.
 */
export async function workExclusively<T>(
  client: ClientContext,
  operation: Declaration,
  options: CallOptions,
  work: () => Promise<T>,
): Promise<T> {
  const context = { ...client, settings: settingsFor(client, options) };
  const name = [operation.name, environmentOf(context, operation), customerOf(context, operation)].join(" ");
  return withStore(context.store, async ({ database }) => {
    const startedAt = performance.now();
    for (;;) {
      const lease = await acquireLease(database, name, leaseMs);
      if (lease) return extendWhile(lease, work);
      if (performance.now() - startedAt > maxWaitMs) throw busyError(operation);
      await wait(50 + Math.random() * 100);
    }
  });
}
