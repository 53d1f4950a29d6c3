/** A store that was restored sends no money until a person confirms it, and only what can be looked up until one has checked. */
import type { Row } from "../store/database";
import type { Store } from "../store/open";
import type { StoreSettings } from "../store/settings";
import { Checkpoints } from "./checkpoints";
import {
  type ChainHead,
  type ChainWriter,
  formatHead,
  saltDetails,
  storeEvents,
  withChain,
} from "./hash-chain";

/** Thrown if the store was restored, so that the call may have been sent before. It is not sent. */
export class StoreRestored extends Error {}

const unconfirmedError = (reason: string) =>
  new StoreRestored(
    `${reason} It may not know calls that were sent. Find out why; then a person confirms it with ` +
      "`fxdesk store confirm --by <name>`.",
  );

/** Error for a call that cannot be looked up at the service. */
export const uncheckedError = (reason: string): StoreRestored =>
  new StoreRestored(
    `The store was restored, and this call may have been sent before: ${reason} Compare the calls since the backup with the ` +
      "service; then run `fxdesk store confirm --by <name> --payments-checked`.",
  );

/** State of the store: as written by fxdesk, or after a restore. */
interface RestoreState<Checkpoint extends ChainHead> {
  /** Last event of the store itself. */
  readonly last: "restored" | "confirmed" | "checked" | undefined;
  /** Checkpoints that the store does not contain. */
  readonly missing: readonly Checkpoint[];
}

async function readState<Checkpoint extends ChainHead>(
  { run }: Pick<ChainWriter, "run">,
  checkpoints: readonly Checkpoint[],
): Promise<RestoreState<Checkpoint>> {
  const seqs = [...new Set(checkpoints.map(({ seq }) => seq))];
  const isNoted = `seq IN (${seqs.map((_, index) => `$${index + 2}`).join(", ") || "NULL"})`;
  const rows = await run(
    `SELECT seq, entry, kind, hash FROM fxdesk_journal_events
     WHERE ${isNoted} OR seq = (SELECT max(seq) FROM fxdesk_journal_events WHERE entry = $1)`,
    [storeEvents, ...seqs],
  );
  const hashes = new Map(rows.map(({ seq, hash }) => [Number(seq), hash]));
  const newest = rows.reduce<Row | undefined>(
    (latest, row) => (row.entry === storeEvents && Number(row.seq) > Number(latest?.seq ?? 0) ? row : latest),
    undefined,
  );
  return {
    last: newest?.kind as RestoreState<Checkpoint>["last"],
    missing: checkpoints.filter(({ seq, hash }) => hashes.get(seq) !== hash),
  };
}

/** Results by transaction, so that the calls of a batch share one. */
const states = new WeakMap<ChainWriter, Promise<RestoreState<ChainHead>>>();

function stateIn(chain: ChainWriter, checkpoints: Checkpoints): Promise<RestoreState<ChainHead>> {
  const known = states.get(chain) ?? readState(chain, checkpoints.list(chain.storeId));
  states.set(chain, known);
  return known;
}

/**
 * Throws StoreRestored if the store does not contain what this machine has seen, or was restored and not confirmed. Until a person
 * has checked, also unless the call was looked up.
 */
export async function assertNotRestored(
  chain: ChainWriter,
  checkpoints: Checkpoints,
  isLookedUp: boolean,
): Promise<void> {
  const { last, missing } = await stateIn(chain, checkpoints);
  const [seen] = missing.toSorted((one, other) => other.seq - one.seq);
  if (seen)
    throw unconfirmedError(
      `The store was restored, replaced or copied: it does not contain event ${seen.seq}, which this machine has seen.`,
    );
  if (last === "restored") throw unconfirmedError("The store was restored from a backup.");
  if (last === "confirmed" && !isLookedUp) throw uncheckedError("it was not looked up.");
}

async function readUncheckedSince({ run }: ChainWriter): Promise<number | undefined> {
  const rows = await run("SELECT seq, kind FROM fxdesk_journal_events WHERE entry = $1 ORDER BY seq", [
    storeEvents,
  ]);
  if (rows.at(-1)?.kind !== "confirmed") return undefined;
  const first = rows[rows.findLastIndex(({ kind }) => kind === "checked") + 1]!;
  const [before] = await run(
    "SELECT at FROM fxdesk_journal_events WHERE seq < $1 ORDER BY seq DESC LIMIT 1",
    [first.seq!],
  );
  return Number(before?.at ?? 0);
}

const uncheckedTimes = new WeakMap<ChainWriter, Promise<number | undefined>>();

/**
 * Returns the time from which calls may be missing in the store, in milliseconds since 1970: that of the last event before a restore
 * that a person has confirmed and not checked. Undefined without such a restore.
 */
export function uncheckedSince(chain: ChainWriter): Promise<number | undefined> {
  const known = uncheckedTimes.get(chain) ?? readUncheckedSince(chain);
  uncheckedTimes.set(chain, known);
  return known;
}

/** Records in the transaction that replaces the data of the store. */
export const recordRestored = (chain: ChainWriter): Promise<number> =>
  chain.append(storeEvents, "restored", {});

interface Confirmation {
  /** The person who confirms. */
  readonly by: string;
  /** True if the person has compared payments and trades since the backup with the service. */
  readonly arePaymentsChecked: boolean;
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
  const result = await withChain(store, async (chain) => {
    const state = await readState(chain, noted);
    const needsConfirmation = state.missing.length > 0 || state.last === "restored";
    const recorded = [
      ...(needsConfirmation ? (["confirmed"] as const) : []),
      ...(arePaymentsChecked && (needsConfirmation || state.last === "confirmed")
        ? (["checked"] as const)
        : []),
    ];
    for (const kind of recorded)
      await chain.append(
        storeEvents,
        kind,
        kind === "confirmed" ? { missing: state.missing.map(formatHead) } : {},
        saltDetails({ by }),
      );
    return { recorded, missing: state.missing, head: chain.head() };
  });
  // Noted first: if this process ends in between, money stays stopped.
  if (result.recorded.length > 0) await checkpoints.note(store.id, result.head);
  await checkpoints.remove(result.missing);
  return result.recorded;
}
