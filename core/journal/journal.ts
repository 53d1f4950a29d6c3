/** The journal on disk: claims, what left and what became of it, one event after the other in the chain of the store. */
import { setTimeout as wait } from "node:timers/promises";
import type { StoreSettings } from "../store/settings";
import { withSalt } from "./chain";
import type { Claim, Ending, Entry, Guard, Intent, Journal, Look, Scope } from "./entry";
import { KeptStore } from "./kept-store";
import {
  abandonedIn,
  namesakesOf,
  nextLookIn,
  ownerOf,
  putOff,
  takeAll,
  takeById,
  takeDue,
} from "./look-rows";
import { getEntry, hasEnded, listEntries, sourceOf } from "./rows";
import { claim, end, leave, settle } from "./steps";

/** How soon it is looked again how a call of another process ended: at first, and at most. */
const [firstPauseMs, longestPauseMs] = [5, 250];

/** Opens the journal of a store. Throws an Error that says what a person can do. */
export async function openJournal(settings: StoreSettings): Promise<Journal> {
  const store = new KeptStore(settings);
  await store.read(async () => undefined);
  return new StoredJournal(store);
}

class StoredJournal implements Journal {
  /** The fences of what is this journal's to make, by entry. */
  readonly #fences = new Map<string, number>();

  constructor(private readonly store: KeptStore) {}

  async claim(intent: Intent, holdMs: number): Promise<Claim> {
    const { reference } = intent;
    const details = withSalt({ ...intent.details, reference });
    // Until the call leaves, an intent that is lost with the machine is none: what makes the leaving durable makes it so too.
    const fenced = await this.store.append((chain) => claim(chain, intent, details, Math.ceil(holdMs)), {
      durable: "later",
    });
    if (fenced.claim.kind === "mine") this.#fences.set(fenced.claim.entry.id, fenced.fence);
    return fenced.claim;
  }

  recordSent({ id }: Entry, guard?: Guard): Promise<void> {
    return this.store.append((chain) => leave(chain, id, this.#fences.get(id), guard));
  }

  async end({ id }: Entry, ending: Ending): Promise<Entry> {
    const details = withSalt(ending.details);
    const entry = await this.store.append((chain) => end(chain, id, this.#fences.get(id), ending, details));
    this.#fences.delete(id);
    return entry;
  }

  get(id: string): Promise<Entry | undefined> {
    return this.store.read(async (store) => (await getEntry(sourceOf(store), id))?.entry);
  }

  list(filter: Parameters<Journal["list"]>[0] = {}): Promise<readonly Entry[]> {
    return this.store.read((store) => listEntries(sourceOf(store), filter));
  }

  async untilEnded(id: string, signal: AbortSignal): Promise<Entry> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      signal.throwIfAborted();
      const entry = await this.#ended(id);
      if (entry) return entry;
      await wait(pauseMs * (0.5 + Math.random()), undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /** Where the claim is over, it ends now; undefined while it is held. */
  async #ended(id: string): Promise<Entry | undefined> {
    const isHeld = await this.store.read(async ({ database: { run, now } }) => {
      const [row] = await run(
        `SELECT id FROM fxdesk_journal_entries
         WHERE id = $1 AND state IN ('intended', 'sent') AND expires_at > ${now}`,
        [id],
      );
      return row !== undefined;
    });
    if (isHeld) return undefined;
    const entry = await this.store.append((chain) => settle(chain, id));
    return hasEnded(entry.state) ? entry : undefined;
  }

  namesakes(entry: Entry): Promise<readonly Entry[]> {
    return this.store.read((store) => namesakesOf(sourceOf(store), entry));
  }

  owner(scope: Scope, identity: string): Promise<Entry | undefined> {
    return this.store.read((store) => ownerOf(sourceOf(store), scope, identity));
  }

  async takeUnknown(scope: Scope, which: "due" | "all", holdMs: number): Promise<readonly Look[]> {
    const gone = await this.store.read((store) => abandonedIn(sourceOf(store), store.database.now, scope));
    for (const id of gone) await this.store.append((chain) => settle(chain, id));
    const take = which === "all" ? takeAll : takeDue;
    return this.store.read((store) => take(sourceOf(store), store.database.now, scope, holdMs));
  }

  takeOne(id: string, holdMs: number): Promise<Look | undefined> {
    return this.store.read((store) => takeById(sourceOf(store), store.database.now, id, holdMs));
  }

  putOff(id: string, pauseMs: number): Promise<void> {
    return this.store.read((store) => putOff(sourceOf(store), store.database.now, id, pauseMs));
  }

  nextLook(scope: Scope): Promise<number | undefined> {
    return this.store.read((store) => nextLookIn(sourceOf(store), store.database.now, scope));
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
