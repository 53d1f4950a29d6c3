/** What a person does to an entry: says what became of its call, or has its details erased. */
import type { Store } from "../store/open";
import { type ChainWriter, withChain, saltDetails } from "./hash-chain";
import type { EntryOutcome, Entry } from "./entry";
import { getEntry, isFinal } from "./entry-rows";
import { recordOutcome } from "./transitions";

/** There is no such entry, or its state does not allow it. Nothing was done. */
export class EntryRefusal extends Error {
  override readonly name = "EntryRefusal";
}

export interface Resolution {
  /** `not-sent` frees the key: the same call may be made again. */
  readonly state: Exclude<EntryOutcome["state"], "unknown">;
  /** What identifies what was done, such as a trade ID. */
  readonly identity: string | undefined;
  /** How the person knows. */
  readonly note: string;
  readonly actor: string | undefined;
}

async function getEntryOrThrow(chain: ChainWriter, id: string): Promise<Entry> {
  const found = await getEntry(chain, id);
  if (!found) throw new EntryRefusal(`There is no journal entry ${id}.`);
  return found.entry;
}

/** Ends an entry that is unknown. Throws an EntryRefusal for any other: what is known is not for a person to change. */
export const resolveEntry = (
  store: Store,
  id: string,
  { state, identity, note, actor }: Resolution,
): Promise<Entry> =>
  withChain(store, async (chain) => {
    const entry = await getEntryOrThrow(chain, id);
    if (entry.state !== "unknown")
      throw new EntryRefusal(
        `Journal entry ${id} is ${entry.state}: only one that is unknown can be resolved.`,
      );
    const outcome: EntryOutcome = {
      state,
      by: "person",
      ...(identity !== undefined && { identity }),
      details: { note, actor },
    };
    return recordOutcome(chain, id, undefined, outcome, saltDetails(outcome.details));
  });

/**
 * Removes the details of an entry, and says so in the chain. Throws an EntryRefusal where it is not known yet how the call
 * ended: they are needed to find out.
 */
export const eraseDetails = (store: Store, id: string): Promise<Entry> =>
  withChain(store, async (chain) => {
    const { state } = await getEntryOrThrow(chain, id);
    if (!isFinal(state))
      throw new EntryRefusal(
        `Journal entry ${id} is ${state}: its details are needed until it is known how it ended.`,
      );
    const erased = await chain.run(
      `DELETE FROM fxdesk_journal_details
       WHERE seq IN (SELECT seq FROM fxdesk_journal_events WHERE entry = $1) RETURNING seq`,
      [id],
    );
    await chain.run("UPDATE fxdesk_journal_entries SET reference = NULL WHERE id = $1", [id]);
    if (erased.length > 0) await chain.append(id, "erased", {});
    return getEntryOrThrow(chain, id);
  });
