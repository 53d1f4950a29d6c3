/** Checks that the store can be used, and lists what it cannot read. */
import { verifyStore } from "../journal/verify-store";
import { describeHalt, listHalts } from "../store/halt";
import { withStore } from "../store/open";
import { findChangedRows } from "../store/rows";
import { otherTables, schemaVersion } from "../store/schema";
import type { StoreSettings } from "../store/settings";
import { listTokenFamilies } from "../store/tokens";

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
    const journal = await verifyStore(store, { settings });
    faults.push(
      ...journal.faults.map(({ where, message }) => `Journal, ${where}: ${message.replace(/\.?$/, ".")}`),
    );
    for (const table of otherTables) faults.push(...(await findChangedRows(store, table)));
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
