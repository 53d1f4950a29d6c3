/** What a person does to an entry: says what became of its call, or has its details erased. */
import type { Store } from "../store/open";
import { type OpenChain, withChain, withSalt } from "./chain";
import type { Ending, Entry } from "./entry";
import { getEntry, isFinal } from "./rows";
import { end } from "./steps";

/** There is no such entry, or its state does not allow it. Nothing was done. */
export class EntryRefusal extends Error {
  override readonly name = "EntryRefusal";
}

export interface Resolution {
  /** `not-sent` frees the key: the same call may be made again. */
  readonly state: Exclude<Ending["state"], "unknown">;
  /** What identifies what was done, such as a trade ID. */
  readonly identity: string | undefined;
  /** How the person knows. */
  readonly note: string;
  readonly actor: string | undefined;
}

async function entryIn(chain: OpenChain, id: string): Promise<Entry> {
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
    const entry = await entryIn(chain, id);
    if (entry.state !== "unknown")
      throw new EntryRefusal(
        `Journal entry ${id} is ${entry.state}: only one that is unknown can be resolved.`,
      );
    const ending: Ending = {
      state,
      by: "person",
      ...(identity !== undefined && { identity }),
      details: { note, actor },
    };
    return end(chain, id, undefined, ending, withSalt(ending.details));
  });

/**
 * Removes the details of an entry, and says so in the chain. Throws an EntryRefusal where it is not known yet how the call
 * ended: they are needed to find out.
 */
export const eraseDetails = (store: Store, id: string): Promise<Entry> =>
  withChain(store, async (chain) => {
    const { state } = await entryIn(chain, id);
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
    return entryIn(chain, id);
  });
