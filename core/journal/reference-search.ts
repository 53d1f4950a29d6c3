/** Finds lost calls by their references in the lists of the service. */
import { Big } from "big.js";
import type { QuotedTrade } from "../call/quote-memory";
import { dayMs, dayOf } from "../calendars/days";
import { listPathsIn } from "../spec/result-list";
import type { Declaration, ListedRecovery } from "../spec/operation";
import { isObject, valueAt } from "../values/json";
import type { Entry } from "./entry";

/** An item of the service's list, with the fields that identify it. */
export interface ListedItem {
  readonly identity: string;
  readonly reference: string;
  /** YYYY-MM-DD. */
  readonly day: string;
  /** The item as listed. */
  readonly body: unknown;
}

export interface SearchSources {
  /** Name of the list operation for remarks, for example `trades.list`. */
  readonly listName: string;
  /** Reads the list page by page, from the page with this number. The list may change meanwhile. */
  readonly readPages: (firstPage: number) => AsyncIterable<readonly ListedItem[]>;
  /** Kept between the searches of one list. */
  readonly position: ListPosition;
  /** Returns the other journal entries with the same reference. */
  readonly entriesWithSameReference: (entry: Entry) => Promise<readonly Entry[]>;
  /** Returns the journal entry that already owns an identity. */
  readonly findByIdentity: (identity: string) => Promise<Entry | undefined>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Knowledge of a list from the latest pass over all of it; the contract documents no order. With the oldest items first, it is
 * read from the last page that was too old; with the newest first, until the first page that is too old.
 */
export interface ListPosition {
  page: number;
  isNewestFirst: boolean;
}

/** Result of a search for one entry. */
export type Finding =
  | { readonly kind: "found"; readonly listed: ListedItem; readonly remark: string }
  /** Not proven. The remark names the search and its results. */
  | { readonly kind: "none" | "several" | "shared"; readonly remark: string };

/** Allows for clock differences and for the service's time zone. */
const marginMs = dayMs;

/** Returns the first and last day (UTC) on which the service may have carried out the call. */
const searchDays = ({ begunAt }: Entry, now: number) =>
  [dayOf(begunAt - marginMs), dayOf(Math.max(begunAt, now) + marginMs)] as const;

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value).trim() : "";

/** Returns the items of a page. Fields that an item lacks are empty. */
export function parseListed(list: Declaration, { entry }: ListedRecovery, body: unknown): ListedItem[] {
  const lists = listPathsIn(list).map((path) => valueAt(body, path));
  return lists.flat().map((item) => {
    const [identity, reference, day] = [entry.identity, entry.reference, entry.day].map((name) =>
      textOf(valueAt(item, [name])),
    ) as [string, string, string];
    return { identity, reference, day: day.slice(0, 10), body: item };
  });
}

/** Bounds the search if the list changes constantly. */
const maxPasses = 5;

/** Format of references that fxdesk generates. They are unique. */
const generatedReference = /^FX-[0-9A-Z]{8}-[0-9A-Z]{8}$/;

/** Listed items by identity, for each reference. */
type MatchesByReference = ReadonlyMap<string, ReadonlyMap<string, ListedItem>>;

/** True if another item with the same reference would make a match ambiguous. */
const mayBeAmbiguous = (seen: MatchesByReference): boolean =>
  [...seen].some(([reference, { size }]) => size === 1 && !generatedReference.test(reference));

/** Watches in which order a list is read. */
class ListOrder {
  #previous = "";
  #rises = false;
  #falls = false;

  /** Returns true if all items of the page are dated before the day. */
  isBefore(page: readonly ListedItem[], day: string): boolean {
    for (const item of page) {
      this.#rises ||= this.#previous !== "" && item.day > this.#previous;
      this.#falls ||= item.day < this.#previous;
      this.#previous = item.day;
    }
    return page.length > 0 && page.every((item) => item.day !== "" && item.day < day);
  }

  get isNewestFirst(): boolean {
    return this.#falls && !this.#rises;
  }

  get isOldestFirst(): boolean {
    return this.#rises && !this.#falls;
  }
}

/** Yields the pages that may contain items from this day on. */
async function* readFrom(
  day: string,
  { readPages, position }: Pick<SearchSources, "readPages" | "position">,
): AsyncGenerator<readonly ListedItem[]> {
  const order = new ListOrder();
  const first = position.page;
  let lastOldPage = 1;
  let number = first;
  for await (const page of readPages(first)) {
    const isOld = order.isBefore(page, day);
    if (number === first && first > 1 && !isOld) {
      // Items were removed, or an earlier call is searched for.
      Object.assign(position, { page: 1, isNewestFirst: false });
      return yield* readFrom(day, { readPages, position });
    }
    yield page;
    if (isOld && position.isNewestFirst && order.isNewestFirst) return;
    if (isOld) lastOldPage = number;
    number += 1;
  }
  Object.assign(position, {
    page: order.isOldestFirst ? lastOldPage : 1,
    isNewestFirst: order.isNewestFirst,
  });
}

/**
 * Reads the pages from the day on. Items that appear or disappear meanwhile shift others between pages, so a pass may miss one. A
 * missed match is found by a later search. A missed second match would wrongly prove the first, so if a reference may be shared,
 * the list is read again until a pass finds nothing new. A list of one page cannot shift.
 */
async function collectMatches(
  references: ReadonlySet<string>,
  day: string,
  sources: SearchSources,
): Promise<MatchesByReference> {
  const seen = new Map([...references].map((reference) => [reference, new Map<string, ListedItem>()]));
  for (let pass = 1; pass <= maxPasses; pass += 1) {
    let pages = 0;
    let isNew = false;
    for await (const page of readFrom(day, sources)) {
      pages += 1;
      for (const listed of page) {
        const known = seen.get(listed.reference);
        if (!known || listed.identity === "") continue;
        isNew ||= !known.has(listed.identity);
        known.set(listed.identity, listed);
      }
      // Generated references are unique, so a second match need not be excluded.
      if ([...seen].every(([reference, { size }]) => size > 0 && generatedReference.test(reference)))
        return seen;
    }
    if (pages <= 1 || !isNew || !mayBeAmbiguous(seen)) break;
  }
  return seen;
}

const isUndecided = ({ state }: Entry): boolean => state === "unknown" || state === "sent";

const joinIds = (items: readonly string[]): string => items.join(", ");

/** Warns that other calls share the reference: a match cannot tell them apart. */
function sameReferenceRemark(sameReference: readonly Entry[]): string {
  if (sameReference.length === 0) return "";
  const entries = joinIds(sameReference.slice(0, 5).map(({ id }) => id));
  const more = sameReference.length > 5 ? ` and ${sameReference.length - 5} more` : "";
  return ` Other entries have the same reference, so it is weak evidence: ${entries}${more}.`;
}

/** Returns the listed items that no other journal entry owns. */
async function filterUnowned(
  entry: Entry,
  listed: readonly ListedItem[],
  owner: SearchSources["findByIdentity"],
): Promise<ListedItem[]> {
  const owners = await Promise.all(listed.map(({ identity }) => owner(identity)));
  return listed.filter((_, index) => (owners[index]?.id ?? entry.id) === entry.id);
}

function isSameValue(quoted: string, listed: unknown): boolean {
  const text = String(listed);
  const areDecimals = [quoted, text].every((each) => /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(each));
  return areDecimals ? new Big(quoted).eq(text) : quoted === text;
}

/** Returns the values of a listed trade that differ from the quote; empty if there are none. */
export function describeDeviations(quoted: Partial<QuotedTrade>, body: unknown): string {
  const listed = isObject(body) ? body : {};
  return Object.entries(quoted)
    .filter(([name, value]) => !isSameValue(value, listed[name]))
    .map(([name, value]) => `${name} is ${String(listed[name])}, quoted ${value}`)
    .join("; ");
}

/** Returns what was quoted for a booking, as far as the listed trade states it. */
function quotedIn({ intent }: Entry, body: unknown): Partial<QuotedTrade> {
  const listed = isObject(body) ? body : {};
  const quoted = Object.entries((intent?.call.quoted ?? {}) as QuotedTrade);
  return Object.fromEntries(quoted.filter(([name]) => (listed[name] ?? undefined) !== undefined));
}

async function evaluate(entry: Entry, all: readonly ListedItem[], sources: SearchSources): Promise<Finding> {
  const { listName, now, entriesWithSameReference: listSameReference, findByIdentity } = sources;
  const [from, to] = searchDays(entry, now);
  const listed = all.filter(({ day }) => day >= from && day <= to);
  // Keep this order: an entry that ends in between is then seen as an owner.
  const sameReference = await listSameReference(entry);
  const free = await filterUnowned(entry, listed, findByIdentity);
  const open = sameReference.filter(isUndecided);
  const searched =
    `fxdesk searched ${listName} at ${new Date(now).toISOString()} for the reference ${entry.reference} ` +
    `from ${from} to ${to}`;
  const weakness = sameReferenceRemark(sameReference);
  const [first, ...others] = free;
  const ids = joinIds(free.map(({ identity }) => identity));
  if (!first) {
    const elsewhere = all.length - free.length;
    const rest = elsewhere > 0 ? ` Ignored: ${elsewhere} on other days or of other entries.` : "";
    return { kind: "none", remark: `${searched}: no match.${rest}${weakness}` };
  }
  if (others.length > 0)
    return {
      kind: "several",
      remark: `${searched}: several matches, ${ids}. A person must resolve the entry.${weakness}`,
    };
  if (open.length > 0)
    return { kind: "shared", remark: `${searched}: ${ids}, which may belong to another entry.${weakness}` };
  const deviations = describeDeviations(quotedIn(entry, first.body), first.body);
  if (deviations !== "")
    return {
      kind: "shared",
      remark: `${searched}: ${ids}, which differs from the call: ${deviations}. A person must resolve the entry.${weakness}`,
    };
  return { kind: "found", listed: first, remark: `${searched}: ${ids}.${weakness}` };
}

/**
 * Searches for several entries at once and returns the findings by entry ID. A call is found if exactly one item has its
 * reference, is dated between one day before the call and one day after now, and neither belongs nor may belong to another entry.
 * Rethrows errors of `readPages`.
 */
export async function searchByReference(
  entries: readonly Entry[],
  sources: SearchSources,
): Promise<ReadonlyMap<string, Finding>> {
  const searchable = entries.filter(({ reference }) => textOf(reference) !== "");
  const references = new Set(searchable.map(({ reference }) => textOf(reference)));
  const [day = ""] = searchable.map((entry) => searchDays(entry, sources.now)[0]).toSorted();
  const seen = await collectMatches(references, day, sources);
  const findings = new Map<string, Finding>();
  for (const entry of searchable) {
    const listed = [...(seen.get(textOf(entry.reference))?.values() ?? [])];
    findings.set(entry.id, await evaluate(entry, listed, sources));
  }
  return findings;
}
