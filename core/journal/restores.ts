/** A store that was restored sends no money until a person confirms it, and only what can be looked up until one has checked. */
import type { Store } from "../store/open";
import type { StoreSettings } from "../store/settings";
import { type ChainTransaction, writeChain } from "./chain-transaction";
import { Checkpoints } from "./checkpoints";
import { type EventDetails, type EventKind, formatHead, saltDetails, storeEvents } from "./hash-chain";
import { restoreQueries, type RestoreState, toRestoreState } from "./restore-state";

const append = (
  chain: ChainTransaction,
  kind: EventKind,
  content: Readonly<Record<string, unknown>>,
  details?: EventDetails,
) => chain.append(storeEvents, kind, content, details);

/** Records that the data of the store were replaced by a backup. */
export async function recordRestored(store: Store): Promise<void> {
  await writeChain(store, storeEvents, [{ apply: (chain) => append(chain, "restored", {}) }]);
}

interface Confirmation {
  /** The person who confirms. */
  readonly by: string;
  /** True if the person has compared payments and trades since the backup with the service. */
  readonly arePaymentsChecked: boolean;
}

/** Returns the events that a confirmation records. */
function eventsToRecord({ last, missing }: RestoreState, arePaymentsChecked: boolean) {
  const needsConfirmation = missing.length > 0 || last === "restored";
  const isChecked = arePaymentsChecked && (needsConfirmation || last === "confirmed");
  return [
    ...(needsConfirmation ? (["confirmed"] as const) : []),
    ...(isChecked ? (["checked"] as const) : []),
  ];
}

/**
 * Confirms a restore for this machine, so that money can be sent again. Returns the recorded events; empty if there was nothing
 * to confirm.
 */
export async function confirmRestore(
  store: Store,
  settings: StoreSettings,
  { by, arePaymentsChecked }: Confirmation,
): Promise<readonly ("confirmed" | "checked")[]> {
  const checkpoints = new Checkpoints(settings);
  const noted = checkpoints.list(store.id);
  const {
    results: [{ recorded, missing }],
    head,
  } = await writeChain(store, storeEvents, [
    {
      isExclusive: true,
      async apply(chain) {
        const rows = [];
        for (const { sql, values } of restoreQueries(storeEvents, noted))
          rows.push(await chain.run(sql, values));
        const state = toRestoreState(chain.sealer, rows, noted);
        const kinds = eventsToRecord(state, arePaymentsChecked);
        for (const kind of kinds)
          append(
            chain,
            kind,
            kind === "confirmed" ? { missing: state.missing.map(formatHead) } : {},
            saltDetails({ by }),
          );
        return { recorded: kinds, missing: state.missing };
      },
    },
  ]);
  // Noted first: if this process ends in between, money stays stopped.
  if (recorded.length > 0) await checkpoints.note(store.id, storeEvents, head);
  await checkpoints.remove(missing);
  return recorded;
}
