/** Looks through the store: whether it can be used, and what of it cannot be read. */
import { verifyStore } from "../journal/verify";
import { readableReleases } from "../releases/rows";
import { unreadableCreated } from "./created";
import { haltLine, haltsInForce } from "./halt";
import { newestVersion } from "./migrations";
import { withStore } from "./open";
import type { StoreSettings } from "./settings";
import { familiesOfTokens, loadTokens } from "./tokens";

export interface StoreCheck {
  /** Where it is. */
  readonly store: string;
  /** The version of its tables. */
  readonly version: number;
  readonly encrypted: boolean;
  /** How many connections have tokens in it. */
  readonly tokens: number;
  /** How many calls are in its journal. */
  readonly entries: number;
  /** What is halted, one sentence each. */
  readonly halts: readonly string[];
  /** What is broken, one sentence each; empty where it is sound. */
  readonly faults: readonly string[];
}

/** Throws an Error where the store cannot be opened. One that is not there yet is made. */
export const checkStore = (settings: StoreSettings): Promise<StoreCheck> =>
  withStore(settings, async (store) => {
    const faults = [...(await store.database.faults())];
    const families = await familiesOfTokens(store);
    for (const family of families)
      await loadTokens(store, family).catch((error: Error) => faults.push(error.message));
    const journal = await verifyStore(store);
    faults.push(...journal.faults.map(({ where, message }) => `Journal, ${where}: ${message}.`));
    const { database, seal } = store;
    const releases = await readableReleases({ run: database.run, seal }, "");
    faults.push(...releases.faults.map((fault) => `Releases: ${fault}`));
    faults.push(...(await unreadableCreated(store)));
    return {
      store: store.database.description,
      version: newestVersion,
      encrypted: settings.key !== undefined,
      tokens: families.length,
      entries: journal.entries,
      halts: (await haltsInForce(store)).map(haltLine),
      faults: [...new Set(faults)],
    };
  });
