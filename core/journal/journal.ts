/** The journal in the store: claims, sent marks and outcomes, appended to the hash chain, and leases for recovery. */
import { setTimeout as wait } from "node:timers/promises";
import { type CallScope, inScope, scopeValues } from "../store/call-scope";
import type { Row, Value } from "../store/database";
import { StoreSession } from "../store/session";
import type { StoreSettings } from "../store/settings";
import { AppendQueue } from "./append-queue";
import { Checkpoints } from "./checkpoints";
import { type ChainHead, saltDetails } from "./hash-chain";
import {
  type Claim,
  type EntryKey,
  type EntryOutcome,
  type Entry,
  type Intent,
  isNotExecuted,
  type RecoveryCandidate,
} from "./entry";
import {
  EntryChanged,
  type EntryFilter,
  entryIdOf,
  entryInScope,
  findEnvironment,
  readUse,
  getEntry,
  hasEnded,
  hashReference,
  listEntries,
  selectEntries,
} from "./entry-rows";
import { assertNotRestored, readRestoreState } from "./restore-state";
import {
  claim,
  leaseForRecovery,
  markSent,
  recordOutcome,
  rescheduleRecovery,
  type SendOptions,
  settleAbandoned,
} from "./transitions";

/** Pauses between reads of an entry that another process holds: initial and maximum. */
const [initialPauseMs, maxPauseMs] = [5, 250];
/** Maximum number of entries leased at once, and read at once. */
const [maxCandidates, maxRead] = [500, 500];

/** Limits for the start of a call, in milliseconds since 1970: the first included, the second not. */
export interface BegunWithin {
  readonly from: number;
  readonly to: number;
}

const toScope = ({ environment, client, operation }: Row): CallScope => ({
  environment: String(environment),
  client: String(client),
  operation: String(operation),
});

/** Leaves out an entry that was changed in the store, so that the others are recovered. `verify` reports it. */
const skipChanged = <T>(result: Promise<T>): Promise<T | undefined> =>
  result.catch((error: unknown) => {
    if (error instanceof EntryChanged) return undefined;
    throw error;
  });

/** Opens the journal of a store. Throws an Error whose message tells a person what to do. */
export async function openJournal(settings: StoreSettings): Promise<Journal> {
  const store = new StoreSession(settings);
  await store.use(async () => undefined);
  return new Journal(store, new Checkpoints(settings));
}

/**
 * The journal of one store. A resolved promise means that the change is durable and visible to all processes; a claim becomes
 * durable when the call becomes `sent` at the latest. Methods throw if the store cannot guarantee that.
 */
export class Journal {
  /** Fences of this process's claims, by the entry that `claim` returned: a later claim of the same entry is another one. */
  readonly #fences = new WeakMap<Entry, number>();
  /** Calls that may count towards limits. Their outcomes become checkpoints, too, so that no other can replace them. */
  readonly #guarded = new WeakSet<Entry>();

  readonly #queue: AppendQueue;

  constructor(
    private readonly store: StoreSession,
    private readonly checkpoints: Checkpoints,
  ) {
    this.#queue = new AppendQueue(store, checkpoints);
  }

  /** Writes the intent, unless the key is in use. See `canRetry`. */
  async claim(intent: Intent, holdMs: number): Promise<Claim> {
    const { reference } = intent;
    const details = saltDetails({ ...intent.details, reference });
    // A claim lost in a power failure is harmless until the call is sent; marking it `sent` makes both durable.
    const operation = claim(intent, details, Math.ceil(holdMs));
    const fenced = await this.#queue.append(intent.environment, operation, { durable: "later" });
    if (fenced.claim.kind !== "mine") return fenced.claim;
    this.#fences.set(fenced.claim.entry, fenced.fence);
    return { ...fenced.claim, uncheckedSince: fenced.uncheckedSince };
  }

  /**
   * Marks the call as sent, before the first byte is written. Throws if this process no longer holds the claim, or
   * StoreRestored.
   */
  async recordSent(entry: Entry, options: SendOptions = {}): Promise<void> {
    const { environment, id } = entry;
    const head = await this.#queue.append(environment, markSent(id, this.#fences.get(entry), options));
    if (options.guard) this.#guarded.add(entry);
    await this.#noteHead(environment, head);
  }

  async #noteHead(environment: string, head: ChainHead): Promise<void> {
    const storeId = await this.store.use(async (store) => store.id);
    await this.checkpoints.note(storeId, environment, head);
  }

  /** Records the outcome. Throws if the entry has a final outcome: only `unknown` can be replaced. */
  async recordOutcome(entry: Entry, outcome: EntryOutcome): Promise<Entry> {
    const details = saltDetails(outcome.details);
    const { apply, ...operation } = recordOutcome(entry.id, this.#fences.get(entry), outcome, details);
    const { recorded, head } = await this.#queue.append(entry.environment, {
      ...operation,
      apply: async (chain, found) => ({ recorded: await apply(chain, found), head: chain.head }),
    });
    if (this.#guarded.has(entry)) await this.#noteHead(entry.environment, head);
    return recorded;
  }

  get(id: string): Promise<Entry | undefined> {
    return this.store.use((store) => getEntry(store, id));
  }

  /**
   * Returns the entry of a key, or else that of a call with the same terms and single-use value. Throws StoreRestored if the store
   * may not know it.
   */
  find(key: EntryKey & Pick<Intent, "terms" | "singleUse">): Promise<Entry | undefined> {
    const { environment } = key;
    return this.store.use(async (store) => {
      const noted = this.checkpoints.list(store.id);
      assertNotRestored(await readRestoreState(store, environment, noted), false);
      const entry = await getEntry(store, entryIdOf(key));
      if (entry?.terms === key.terms && !isNotExecuted(entry)) return entry;
      const used = await readUse(store, key);
      return used?.terms === key.terms ? used : entry;
    });
  }

  /** Returns entries, newest first. */
  list(filter: EntryFilter = {}): Promise<readonly Entry[]> {
    return this.store.use((store) => listEntries(store, filter));
  }

  /** Waits while another process makes the call. If that process died, the entry becomes `not-sent` or `unknown`. */
  async waitForOutcome(id: string, signal: AbortSignal): Promise<Entry> {
    for (let pauseMs = initialPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      signal.throwIfAborted();
      const entry = await this.#settleIfExpired(id);
      if (entry) return entry;
      await wait(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /** Ends the entry if its claim has expired. Returns undefined while the claim is held. */
  async #settleIfExpired(id: string): Promise<Entry | undefined> {
    const [found] = await this.store.use(({ run, now }) =>
      run(
        `SELECT environment, CASE WHEN state IN ('intended', 'sent') AND claim_expires_at > ${now} THEN 1 ELSE 0 END AS held
         FROM fxdesk_journal_entries WHERE id = $1`,
        [id],
      ),
    );
    if (!found) throw new Error(`Journal entry ${id} does not exist.`);
    if (Number(found.held) === 1) return undefined;
    const entry = await this.#queue.append(String(found.environment), settleAbandoned(id));
    return hasEnded(entry.state) ? entry : undefined;
  }

  /** Returns the entries of an operation and client with a reference. */
  async listByReference(scope: CallScope, reference: string | undefined): Promise<readonly Entry[]> {
    const hash = hashReference(scope, reference);
    if (hash === null) return [];
    const where = "WHERE e.reference_hash = $1 ORDER BY e.intent_seq";
    return this.store.use((store) => selectEntries(store, where, [hash]));
  }

  /** Yields the entries of a scope that began within these times, in no particular order. */
  async *listBegun(scope: CallScope, { from, to }: BegunWithin): AsyncGenerator<Entry, void, void> {
    // The subquery limits the rows before the joins read their long contents.
    const where = `WHERE e.id IN (SELECT id FROM fxdesk_journal_entries
        WHERE ${inScope} AND begun_at >= $4 AND begun_at < $5 AND id > $6 ORDER BY id LIMIT ${maxRead}) ORDER BY e.id`;
    for (let afterId = ""; ;) {
      const values = [...scopeValues(scope), from, to, afterId];
      const entries = await this.store.use((store) => selectEntries(store, where, values));
      yield* entries;
      const last = entries.at(-1);
      if (!last) return;
      afterId = last.id;
    }
  }

  /** Counts the entries that began within these times, by scope. */
  async countBegun({ from, to }: BegunWithin): Promise<(CallScope & { readonly entries: number })[]> {
    const rows = await this.store.use(({ run }) =>
      run(
        `SELECT environment, client, operation, count(*) AS entries FROM fxdesk_journal_entries
         WHERE begun_at >= $1 AND begun_at < $2
         GROUP BY environment, client, operation ORDER BY environment, client, operation`,
        [from, to],
      ),
    );
    return rows.map((row) => ({ ...toScope(row), entries: Number(row.entries) }));
  }

  /** Returns the entry whose call created the resource with this identity. */
  async findByIdentity(scope: CallScope, identity: string): Promise<Entry | undefined> {
    const where = `WHERE ${entryInScope} AND e.identity = $4 AND e.state = 'done'`;
    const [entry] = await this.store.use((store) =>
      selectEntries(store, where, [...scopeValues(scope), identity]),
    );
    return entry;
  }

  /**
   * Leases `unknown` entries for recovery: those that are due, or all with a higher ID. No other process leases them during
   * `holdMs`. Also ends the entries of processes that died, as `waitForOutcome` does.
   */
  async leaseUnknown(
    scope: CallScope,
    which: "due" | { readonly afterId: string },
    holdMs: number,
  ): Promise<readonly RecoveryCandidate[]> {
    await this.settleAbandoned(inScope, scopeValues(scope));
    const values = scopeValues(scope);
    return which === "due"
      ? this.#lease(scope, (now) => `recovery_due_at <= ${now} ORDER BY recovery_due_at`, values, holdMs)
      : this.#lease(scope, () => "id > $4 ORDER BY id", [...values, which.afterId], holdMs);
  }

  /** Ends the entries of processes that died. */
  async settleAbandoned(where = "1 = 1", values: readonly Value[] = []): Promise<void> {
    const abandoned = await this.store.use(({ run, now }) =>
      run(
        `SELECT id, environment FROM fxdesk_journal_entries
         WHERE ${where} AND state IN ('intended', 'sent') AND claim_expires_at <= ${now}`,
        values,
      ),
    );
    await Promise.all(
      abandoned.map(({ id, environment }) =>
        skipChanged(this.#queue.append(String(environment), settleAbandoned(String(id)))),
      ),
    );
  }

  /** Returns the scopes with `unknown` entries, after ending those of processes that died. */
  async listUnknownScopes(): Promise<CallScope[]> {
    await this.settleAbandoned();
    const rows = await this.store.use(({ run }) =>
      run(
        `SELECT DISTINCT environment, client, operation FROM fxdesk_journal_entries
         WHERE state = 'unknown' ORDER BY environment, client, operation`,
      ),
    );
    return rows.map(toScope);
  }

  /** Returns all `unknown` entries, oldest first, with the end of the lease by which a process searches for them. */
  async listUnknown(): Promise<readonly { readonly entry: Entry; readonly leasedUntil: number }[]> {
    return this.store.use(async (store) => {
      const leases = await store.run(
        "SELECT id, recovery_lease_until FROM fxdesk_journal_entries WHERE state = 'unknown'",
      );
      const ends = new Map(leases.map((row) => [row.id, Number(row.recovery_lease_until)]));
      const entries = await selectEntries(
        store,
        "WHERE e.state = 'unknown' ORDER BY e.begun_at, e.intent_seq",
        [],
      );
      return entries.map((entry) => ({ entry, leasedUntil: ends.get(entry.id) ?? 0 }));
    });
  }

  /** Leases one entry, due or not. Returns undefined if it is not `unknown` or another process holds the lease. */
  async leaseOne(id: string, holdMs: number): Promise<RecoveryCandidate | undefined> {
    return this.#queue.append(await this.#environmentOf(id), leaseForRecovery(id, holdMs));
  }

  /** Leases free entries. Another process may lease some of them meanwhile. */
  async #lease(
    { environment }: CallScope,
    wanted: (now: string) => string,
    values: readonly Value[],
    holdMs: number,
  ): Promise<RecoveryCandidate[]> {
    const free = await this.store.use(({ run, now }) =>
      run(
        `SELECT id FROM fxdesk_journal_entries
         WHERE ${inScope} AND state = 'unknown' AND recovery_lease_until <= ${now} AND ${wanted(now)} LIMIT ${maxCandidates}`,
        values,
      ),
    );
    const leased = free.map(({ id }) =>
      skipChanged(this.#queue.append(environment, leaseForRecovery(String(id), holdMs))),
    );
    return (await Promise.all(leased)).filter((candidate) => candidate !== undefined);
  }

  /** Ends a lease after a search without result. The entry is due again after `pauseMs`. */
  async reschedule(id: string, pauseMs: number): Promise<void> {
    return this.#queue.append(await this.#environmentOf(id), rescheduleRecovery(id, pauseMs));
  }

  async #environmentOf(id: string): Promise<string> {
    const environment = await this.store.use((store) => findEnvironment(store, id));
    if (environment === undefined) throw new Error(`Journal entry ${id} does not exist.`);
    return environment;
  }

  /**
   * Returns the milliseconds until the next entry is due, or undefined if none is open. Covers `unknown` entries and claims
   * whose process may die.
   */
  async nextRecoveryInMs(scope: CallScope): Promise<number | undefined> {
    const [row] = await this.store.use(({ run, now }) =>
      run(
        `SELECT min(CASE WHEN state <> 'unknown' THEN claim_expires_at
                         WHEN recovery_lease_until > recovery_due_at THEN recovery_lease_until ELSE recovery_due_at END) - ${now} AS pause
         FROM fxdesk_journal_entries WHERE ${inScope} AND state IN ('unknown', 'intended', 'sent')`,
        scopeValues(scope),
      ),
    );
    const { pause } = row!;
    return pause === null ? undefined : Math.max(Number(pause), 0);
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
