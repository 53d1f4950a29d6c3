/** Checks that the store can be used, and lists what it cannot read. */
import { verifyStore } from "../journal/verify-store";
import { findReleaseFaults } from "../releases/repository";
import { listUnreadableResourceIds } from "../store/resource-ids";
import { describeHalt, listHalts } from "../store/halt";
import { withStore } from "../store/open";
import { schemaVersion } from "../store/schema";
import type { StoreSettings } from "../store/settings";
import { listTokenFamilies, loadTokens } from "../store/tokens";

interface StoreCheck {
  /** Location of the store, without password. */
  readonly store: string;
  /** Version of the schema. */
  readonly version: number;
  readonly encrypted: boolean;
  /** Number of connections with stored tokens. */
  readonly tokens: number;
  /** Number of calls in the journal. */
  readonly entries: number;
  /** Active halts, one sentence each. */
  readonly halts: readonly string[];
  /** Faults, one sentence each; empty if the store is sound. */
  readonly faults: readonly string[];
}

/** Checks the store, creating it if it does not exist. Throws an Error if it cannot be opened. */
export const checkStore = (settings: StoreSettings): Promise<StoreCheck> =>
  withStore(settings, async (store) => {
    const faults = [...(await store.database.findFaults())];
    const families = await listTokenFamilies(store);
    for (const family of families)
      await loadTokens(store, family).catch((error: Error) => faults.push(error.message));
    const journal = await verifyStore(store);
    faults.push(
      ...journal.faults.map(({ where, message }) => `Journal, ${where}: ${message.replace(/\.?$/, ".")}`),
    );
    const releaseFaults = await findReleaseFaults(store);
    faults.push(...releaseFaults.map((fault) => `Releases: ${fault}`));
    faults.push(...(await listUnreadableResourceIds(store)));
    return {
      store: store.database.description,
      version: schemaVersion,
      encrypted: settings.key !== undefined,
      tokens: families.length,
      entries: journal.entries,
      halts: (await listHalts(store)).map(describeHalt),
      faults: [...new Set(faults)],
    };
  });
