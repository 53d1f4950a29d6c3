/** What became of calls whose response was lost: found by their references among what the service lists. */
import { listPathsIn } from "../declaration/paged-lists";
import type { Declaration, ListedRecovery } from "../declaration/operation";
import { valueAt } from "../schema/value-at";
import type { Entry } from "./entry";

/** What the service lists, as far as the search looks at it. */
export interface ListedItem {
  readonly identity: string;
  readonly reference: string;
  /** YYYY-MM-DD. */
  readonly day: string;
  /** As it is listed. */
  readonly body: unknown;
}

/** What a search is made with. */
export interface SearchSources {
  /** Where it looks, in words, such as `trades.list`. */
  readonly listName: string;
  /** Reads the whole list page by page, as it is while it is read. */
  readonly readPages: () => AsyncIterable<readonly ListedItem[]>;
  /** The other entries of the journal that have the same reference. */
  readonly entriesWithSameReference: (entry: Entry) => Promise<readonly Entry[]>;
  /** The entry of the journal that has an identity already. */
  readonly findByIdentity: (identity: string) => Promise<Entry | undefined>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What a search says of one entry. */
export type Finding =
  | { readonly kind: "found"; readonly listed: ListedItem; readonly remark: string }
  /** Nothing that proves it; the remark says what was looked for, and what there was. */
  | { readonly kind: "none" | "several" | "shared"; readonly remark: string };

const dayMs = 86_400_000;

/** The clocks of the service and of the store may differ, and the days of the service be those of another place. */
const marginMs = dayMs;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, "YYYY-MM-DD".length);

/** The first and the last day (UTC) on which the service may have carried out a call. */
const searchDays = ({ begunAt }: Entry, now: number) =>
  [dayOf(begunAt - marginMs), dayOf(Math.max(begunAt, now) + marginMs)] as const;

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value).trim() : "";

/** What a page lists that can be told from the rest. */
export function parseListed(list: Declaration, { entry }: ListedRecovery, body: unknown): ListedItem[] {
  const lists = listPathsIn(list).map((path) => valueAt(body, path));
  return lists.flat().flatMap((item) => {
    const [identity, reference, day] = [entry.identity, entry.reference, entry.day].map((name) =>
      textOf(valueAt(item, [name])),
    ) as [string, string, string];
    return identity === "" ? [] : [{ identity, reference, day: day.slice(0, 10), body: item }];
  });
}

/** More would mean that the list never holds still. */
const maxPasses = 5;

/** As fxdesk makes them: no other call has the same. */
const generatedReference = /^FX-[0-9A-Z]{8}-[0-9A-Z]{8}$/;

/** What is listed under each reference, by identity. */
type MatchesByReference = ReadonlyMap<string, ReadonlyMap<string, ListedItem>>;

/** Whether a second one under a reference would change what is said of it. */
const mayBeAmbiguous = (seen: MatchesByReference): boolean =>
  [...seen].some(([reference, { size }]) => size === 1 && !generatedReference.test(reference));

/**
 * Walks through all pages. While a list is read page by page, entries that come or go move others across the edge of a page,
 * and one may be passed over. Of what was not seen this does no harm, for it is looked for again and again. Where one thing
 * was seen under a reference that may have several, it walks again until a walk shows nothing new. A list of one page cannot
 * move while it is read.
 */
async function collectMatches(
  references: ReadonlySet<string>,
  readPages: SearchSources["readPages"],
): Promise<MatchesByReference> {
  const seen = new Map([...references].map((reference) => [reference, new Map<string, ListedItem>()]));
  for (let pass = 1; pass <= maxPasses; pass += 1) {
    let pages = 0;
    let isNew = false;
    for await (const page of readPages()) {
      pages += 1;
      for (const listed of page) {
        const known = seen.get(listed.reference);
        if (!known) continue;
        isNew ||= !known.has(listed.identity);
        known.set(listed.identity, listed);
      }
    }
    if (pages <= 1 || !isNew || !mayBeAmbiguous(seen)) break;
  }
  return seen;
}

const isUndecided = ({ state }: Entry): boolean => state === "unknown" || state === "sent";

const joinIds = (items: readonly string[]): string => items.join(", ");

/** What else the journal has under a reference: two calls cannot be told apart by it. */
function sameReferenceRemark(sameReference: readonly Entry[]): string {
  if (sameReference.length === 0) return "";
  const entries = joinIds(sameReference.slice(0, 5).map(({ id }) => id));
  const more = sameReference.length > 5 ? ` and ${sameReference.length - 5} more` : "";
  return ` Other entries have this reference, too, which weakens it: ${entries}${more}.`;
}

/** Those of what is listed that no other entry of the journal is about. */
async function filterUnowned(
  entry: Entry,
  listed: readonly ListedItem[],
  owner: SearchSources["findByIdentity"],
): Promise<ListedItem[]> {
  const owners = await Promise.all(listed.map(({ identity }) => owner(identity)));
  return listed.filter((_, index) => (owners[index]?.id ?? entry.id) === entry.id);
}

async function evaluate(entry: Entry, all: readonly ListedItem[], sources: SearchSources): Promise<Finding> {
  const { listName, now, entriesWithSameReference: listSameReference, findByIdentity } = sources;
  const [from, to] = searchDays(entry, now);
  const listed = all.filter(({ day }) => day >= from && day <= to);
  // In this order: one that ends in between is an owner by then.
  const sameReference = await listSameReference(entry);
  const free = await filterUnowned(entry, listed, findByIdentity);
  const open = sameReference.filter(isUndecided);
  const searched =
    `Looked in ${listName} at ${new Date(now).toISOString()} for the reference ${entry.reference} ` +
    `from ${from} to ${to}`;
  const weakness = sameReferenceRemark(sameReference);
  const [first, ...others] = free;
  const ids = joinIds(free.map(({ identity }) => identity));
  if (!first) {
    const elsewhere = all.length - free.length;
    const rest = elsewhere > 0 ? ` ${elsewhere} of other days or other entries.` : "";
    return { kind: "none", remark: `${searched}: nothing there.${rest}${weakness}` };
  }
  if (others.length > 0)
    return { kind: "several", remark: `${searched}: several have it, ${ids}. A person must say.${weakness}` };
  if (open.length > 0)
    return { kind: "shared", remark: `${searched}: ${ids}, which may be another entry's.${weakness}` };
  return { kind: "found", listed: first, remark: `${searched}: ${ids}.${weakness}` };
}

/**
 * Looks for what became of entries, all in one search; the findings are by the entries' ids. It is found where exactly one
 * thing is listed with the reference, in the days from the one before the call to the one after now, and no other entry of
 * the journal has it or may have it. Throws what reading throws.
 */
export async function searchByReference(
  entries: readonly Entry[],
  sources: SearchSources,
): Promise<ReadonlyMap<string, Finding>> {
  const searchable = entries.filter(({ reference }) => textOf(reference) !== "");
  const references = new Set(searchable.map(({ reference }) => textOf(reference)));
  const seen = await collectMatches(references, sources.readPages);
  const findings = new Map<string, Finding>();
  for (const entry of searchable) {
    const listed = [...(seen.get(textOf(entry.reference))?.values() ?? [])];
    findings.set(entry.id, await evaluate(entry, listed, sources));
  }
  return findings;
}
