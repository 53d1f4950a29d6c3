/** Actions of an operator on an entry: resolve its outcome, or erase its details. */
import type { Store } from "../store/open";
import { type ChainWriter, withChain, saltDetails } from "./hash-chain";
import type { EntryOutcome, Entry } from "./entry";
import { getEntry, hasEnded, isFinal } from "./entry-rows";
import { recordOutcome } from "./transitions";

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

async function getEntryOrThrow(chain: ChainWriter, id: string): Promise<Entry> {
  const found = await getEntry(chain, id);
  if (!found) throw new EntryRefusal(`Journal entry ${id} does not exist.`);
  return found.entry;
}

/** Records the outcome of an `unknown` entry. Throws EntryRefusal for any other state: a known outcome cannot be changed. */
export const resolveEntry = (
  store: Store,
  id: string,
  { state, identity, note, actor }: Resolution,
): Promise<Entry> =>
  withChain(store, async (chain) => {
    const entry = await getEntryOrThrow(chain, id);
    if (entry.state !== "unknown")
      throw new EntryRefusal(
        hasEnded(entry.state)
          ? `Journal entry ${id} cannot be resolved: its outcome is already known (${entry.state}).`
          : `Journal entry ${id} cannot be resolved yet: its call is still in progress (${entry.state}).`,
      );
    const outcome: EntryOutcome = {
      state,
      by: "person",
      ...(identity !== undefined && { identity }),
      details: { note, actor },
    };
    return recordOutcome(chain, id, undefined, outcome, saltDetails(outcome.details));
  });

const removeDetails = (store: Store, id: string): Promise<Entry> =>
  withChain(store, async (chain) => {
    const { state } = await getEntryOrThrow(chain, id);
    if (!isFinal(state))
      throw new EntryRefusal(
        `The details of journal entry ${id} cannot be erased yet: its outcome is unknown, ` +
          "and they are needed until it is known.",
      );
    const erased = await chain.run(
      `DELETE FROM fxdesk_journal_details
       WHERE seq IN (SELECT seq FROM fxdesk_journal_events WHERE entry = $1) RETURNING seq`,
      [id],
    );
    await chain.run("UPDATE fxdesk_journal_entries SET reference_hash = NULL WHERE id = $1", [id]);
    if (erased.length > 0) await chain.append(id, "erased", {});
    return getEntryOrThrow(chain, id);
  });

/**
 * Removes the details of an entry from all files of the store and appends an `erased` event. Throws EntryRefusal while the
 * outcome is not final, because recovery needs the details. Can be repeated if the log could not be emptied.
 */
export async function eraseDetails(store: Store, id: string): Promise<Entry> {
  const entry = await removeDetails(store, id);
  await store.database.emptyLog().catch((error: Error) => {
    throw new Error(
      `The details of journal entry ${id} are erased, but remain in the log of the store: ${error.message} ` +
        "Run the command again later.",
      { cause: error },
    );
  });
  return entry;
}
