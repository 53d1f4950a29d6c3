/** Looks through the store: whether it can be used, and what of it cannot be read. */
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
    return {
      store: store.database.description,
      version: newestVersion,
      encrypted: settings.key !== undefined,
      tokens: families.length,
      faults: [...new Set(faults)],
    };
  });
