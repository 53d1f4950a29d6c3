/** The journal in the store: claims, sent marks and outcomes, appended to the hash chain. */
import { setTimeout as wait } from "node:timers/promises";
import type { StoreSettings } from "../store/settings";
import { AppendQueue } from "./append-queue";
import { saltDetails } from "./hash-chain";
import type { Claim, EntryOutcome, Entry, Intent, Journal, RecoveryCandidate, CallScope } from "./entry";
import type { SendGuard } from "../store/database";
import { StoreSession } from "../store/session";
import {
  listAbandoned,
  listSameReference,
  nextRecoveryInMs,
  findByIdentity,
  reschedule,
  leaseAll,
  leaseById,
  leaseDue,
} from "./recovery-schedule";
import { getEntry, hasEnded, listEntries } from "./entry-rows";
import { storeAccessOf } from "../store/open";
import { claim, recordOutcome, markSent, settleAbandoned } from "./transitions";

/** Pauses between reads of an entry that another process holds: initial and maximum. */
const [initialPauseMs, maxPauseMs] = [5, 250];

/** Opens the journal of a store. Throws an Error whose message tells a person what to do. */
export async function openJournal(settings: StoreSettings): Promise<Journal> {
  const store = new StoreSession(settings);
  await store.use(async () => undefined);
  return new StoredJournal(store);
}

class StoredJournal implements Journal {
  /** Fences of the claims that this process holds, by entry ID. */
  readonly #fences = new Map<string, number>();

  readonly #queue: AppendQueue;

  constructor(private readonly store: StoreSession) {
    this.#queue = new AppendQueue(store);
  }

  async claim(intent: Intent, holdMs: number): Promise<Claim> {
    const { reference } = intent;
    const details = saltDetails({ ...intent.details, reference });
    // A claim lost in a power failure is harmless until the call is sent; marking it `sent` makes both durable.
    const fenced = await this.#queue.append((chain) => claim(chain, intent, details, Math.ceil(holdMs)), {
      durable: "later",
    });
    if (fenced.claim.kind === "mine") this.#fences.set(fenced.claim.entry.id, fenced.fence);
    return fenced.claim;
  }

  recordSent({ id }: Entry, guard?: SendGuard): Promise<void> {
    return this.#queue.append((chain) => markSent(chain, id, this.#fences.get(id), guard));
  }

  async recordOutcome({ id }: Entry, outcome: EntryOutcome): Promise<Entry> {
    const details = saltDetails(outcome.details);
    const entry = await this.#queue.append((chain) =>
      recordOutcome(chain, id, this.#fences.get(id), outcome, details),
    );
    this.#fences.delete(id);
    return entry;
  }

  get(id: string): Promise<Entry | undefined> {
    return this.store.use(async (store) => (await getEntry(storeAccessOf(store), id))?.entry);
  }

  list(filter: Parameters<Journal["list"]>[0] = {}): Promise<readonly Entry[]> {
    return this.store.use((store) => listEntries(storeAccessOf(store), filter));
  }

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
    const isHeld = await this.store.use(async ({ database: { run, now } }) => {
      const [row] = await run(
        `SELECT id FROM fxdesk_journal_entries
         WHERE id = $1 AND state IN ('intended', 'sent') AND expires_at > ${now}`,
        [id],
      );
      return row !== undefined;
    });
    if (isHeld) return undefined;
    const entry = await this.#queue.append((chain) => settleAbandoned(chain, id));
    return hasEnded(entry.state) ? entry : undefined;
  }

  listSameReference(entry: Entry): Promise<readonly Entry[]> {
    return this.store.use((store) => listSameReference(storeAccessOf(store), entry));
  }

  findByIdentity(scope: CallScope, identity: string): Promise<Entry | undefined> {
    return this.store.use((store) => findByIdentity(storeAccessOf(store), scope, identity));
  }

  async leaseUnknown(
    scope: CallScope,
    which: "due" | "all",
    holdMs: number,
  ): Promise<readonly RecoveryCandidate[]> {
    const abandonedIds = await this.store.use((store) =>
      listAbandoned(storeAccessOf(store), store.database.now, scope),
    );
    for (const id of abandonedIds) await this.#queue.append((chain) => settleAbandoned(chain, id));
    const lease = which === "all" ? leaseAll : leaseDue;
    return this.store.use((store) => lease(storeAccessOf(store), store.database.now, scope, holdMs));
  }

  leaseOne(id: string, holdMs: number): Promise<RecoveryCandidate | undefined> {
    return this.store.use((store) => leaseById(storeAccessOf(store), store.database.now, id, holdMs));
  }

  reschedule(id: string, pauseMs: number): Promise<void> {
    return this.store.use((store) => reschedule(storeAccessOf(store), store.database.now, id, pauseMs));
  }

  nextRecoveryInMs(scope: CallScope): Promise<number | undefined> {
    return this.store.use((store) => nextRecoveryInMs(storeAccessOf(store), store.database.now, scope));
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
