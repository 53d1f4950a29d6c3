/** Actions of an operator on an entry: resolve its outcome, or erase its details. */
import type { Store } from "../store/open";
import { type ChainOperation, writeChain } from "./chain-transaction";
import type { EntryOutcome, Entry } from "./entry";
import { findEnvironment, hasEnded, isFinal } from "./entry-rows";
import { saltDetails } from "./hash-chain";
import { recoveryDetailsOf } from "./recoverer";
import { eraseEntryDetails, recordOutcome } from "./transitions";

/** The entry does not exist or its state does not allow the action. Nothing was changed. */
export class EntryRefusal extends Error {
  override readonly name = "EntryRefusal";
}

interface Resolution {
  /** `not-sent` frees the key: the call may be sent again. */
  readonly state: Exclude<EntryOutcome["state"], "unknown">;
  /** Identifier of the created resource, for example a trade ID. */
  readonly identity: string | undefined;
  /** Evidence for the outcome, in the person's words. */
  readonly note: string;
  readonly actor: string | undefined;
}

const missingEntry = (id: string) => new EntryRefusal(`Journal entry ${id} does not exist.`);

/** Applies an operation to an entry. Throws EntryRefusal if the entry does not exist. */
async function changeEntry(store: Store, id: string, operation: ChainOperation<Entry>): Promise<Entry> {
  const environment = await findEnvironment(store, id);
  if (environment === undefined) throw missingEntry(id);
  const { results } = await writeChain(store, environment, [operation]);
  return results[0];
}

/** Longer than any request that recovery repeats; if its process died, the entry can be resolved afterwards. */
const maxRepeatMs = 120_000;

/** Returns until when the call of an entry may be on its way a second time; 0 if it is not being repeated. */
function repeatedUntil(entry: Entry): number {
  const { resentAt, lookedAt = 0 } = recoveryDetailsOf(entry);
  return resentAt === undefined || lookedAt >= resentAt ? 0 : resentAt + maxRepeatMs;
}

/** Records the outcome of an `unknown` entry. Throws EntryRefusal for any other state: a known outcome cannot be changed. */
export function resolveEntry(
  store: Store,
  id: string,
  { state, identity, note, actor }: Resolution,
): Promise<Entry> {
  const outcome: EntryOutcome = {
    state,
    by: "person",
    ...(identity !== undefined && { identity }),
    details: { note, actor },
  };
  const record = recordOutcome(id, undefined, outcome, saltDetails(outcome.details));
  return changeEntry(store, id, {
    ...record,
    apply(chain, found) {
      if (!found) throw missingEntry(id);
      const { entry } = found;
      if (entry.state !== "unknown")
        throw new EntryRefusal(
          hasEnded(entry.state)
            ? `Journal entry ${id} cannot be resolved: its outcome is already known (${entry.state}).`
            : `Journal entry ${id} cannot be resolved yet: its call is still in progress (${entry.state}).`,
        );
      const until = repeatedUntil(entry);
      if (until > chain.moment)
        throw new EntryRefusal(
          `Journal entry ${id} cannot be resolved yet: its call is being repeated. Look for its outcome again at ` +
            `${new Date(until).toISOString()}.`,
        );
      return record.apply(chain, found);
    },
  });
}

function assertErasable({ id, state }: Entry): void {
  if (!isFinal(state))
    throw new EntryRefusal(
      `The details of journal entry ${id} cannot be erased yet: its outcome is unknown, ` +
        "and they are needed until it is known.",
    );
}

/**
 * Removes the details of an entry from all files of the store and appends an `erased` event. Throws EntryRefusal while the
 * outcome is not final, because recovery needs the details. Can be repeated if the log could not be emptied.
 */
export async function eraseDetails(store: Store, id: string): Promise<Entry> {
  const entry = await changeEntry(store, id, eraseEntryDetails(id, assertErasable));
  await store.database.emptyLog().catch((error: Error) => {
    throw new Error(
      `The details of journal entry ${id} are erased, but remain in the log of the store: ${error.message} ` +
        "Run the command again later.",
      { cause: error },
    );
  });
  return entry;
}
