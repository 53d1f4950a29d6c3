/** Looks through the store: whether it can be used, and what of it cannot be read. */
import { verifyStore } from "../journal/verify";
import { listReadableReleases } from "../releases/release-rows";
import { listUnreadableResourceIds } from "./resource-ids";
import { describeHalt, listHalts } from "./halt";
import { latestVersion } from "./migrations";
import { withStore } from "./open";
import type { StoreSettings } from "./settings";
import { listTokenFamilies, loadTokens } from "./tokens";

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
    const faults = [...(await store.database.findFaults())];
    const families = await listTokenFamilies(store);
    for (const family of families)
      await loadTokens(store, family).catch((error: Error) => faults.push(error.message));
    const journal = await verifyStore(store);
    faults.push(...journal.faults.map(({ where, message }) => `Journal, ${where}: ${message}.`));
    const { database, sealer } = store;
    const releases = await listReadableReleases({ run: database.run, sealer }, "");
    faults.push(...releases.faults.map((fault) => `Releases: ${fault}`));
    faults.push(...(await listUnreadableResourceIds(store)));
    return {
      store: store.database.description,
      version: latestVersion,
      encrypted: settings.key !== undefined,
      tokens: families.length,
      entries: journal.entries,
      halts: (await listHalts(store)).map(describeHalt),
      faults: [...new Set(faults)],
    };
  });
