/** Compares the entries of one operation and client with the list of the service, in both directions. */
import type { QuotedTrade } from "../call/quote-memory";
import { addDays, dayOf } from "../calendars/days";
import type { Declaration } from "../spec/operation";
import type { CallScope } from "../store/call-scope";
import type { Entry, EntryState } from "./entry";
import type { BegunWithin, Journal } from "./journal";
import type { OutcomeLookup } from "./outcome-lookup";
import { describeDeviations, type ListedItem } from "./reference-search";

/** Whole days in UTC as YYYY-MM-DD, both inclusive. */
export interface ReconciliationPeriod {
  readonly from: string;
  readonly to: string;
}

/** One call for which journal and service differ. */
export interface JournalDifference {
  /**
   * `unrecorded`: the service lists it, but no entry is done with it. `missing`: the entry is done, but the service does not
   * list its result. `unknown`: the outcome is unknown, and the service lists nothing with the reference. `different`: the
   * listed trade is not the quoted one.
   */
  readonly kind: "unrecorded" | "missing" | "unknown" | "different";
  readonly operation: string;
  /** Day (UTC) of the listed item, otherwise of the call. */
  readonly day: string;
  /** ID at the service, for example a trade ID. */
  readonly identity?: string | undefined;
  readonly reference?: string | undefined;
  /** Journal entry of the call, or one with the same reference. */
  readonly entry?: string | undefined;
  readonly state?: EntryState | undefined;
  /** Deviations from the quote, for people. */
  readonly remark?: string | undefined;
}

/** The result so far. */
interface Result {
  listed: number;
  entries: number;
  inProgress: number;
  readonly differences: JournalDifference[];
  readonly unread: string[];
}

interface Sources {
  readonly journal: Journal;
  readonly lookup: OutcomeLookup;
  readonly period: ReconciliationPeriod;
  readonly begun: BegunWithin;
  readonly result: Result;
}

/** Entries that one pass over the list is compared with. */
const maxBatch = 10_000;
/** Bounds the passes over a list that changes while it is read. */
const maxPasses = 5;
const maxDifferences = 1_000;

/** Compares a scope whose calls the service lists. Failures are reasons why the result is incomplete. */
export async function compareScope(scope: CallScope, sources: Sources): Promise<void> {
  const { journal, lookup, begun, result } = sources;
  const operation = lookup.operation(scope.operation)!;
  const comparison = new ListComparison(scope, operation, sources);
  try {
    let batch: Entry[] = [];
    for await (const entry of journal.listBegun(scope, begun)) {
      batch.push(entry);
      if (batch.length < maxBatch) continue;
      await comparison.compareBatch(batch);
      batch = [];
    }
    if (batch.length > 0 || !comparison.hasReadList) await comparison.compareBatch(batch);
  } catch (error) {
    result.unread.push(`${operation.lookup}: ${(error as Error).message}`);
  }
}

/** An entry that the service should list, without its details. */
interface ExpectedCall extends Pick<Entry, "id" | "state" | "reference" | "begunAt"> {
  readonly identity: string | undefined;
  readonly quoted: QuotedTrade | undefined;
}

const toExpected = ({ id, state, reference, begunAt, ending, intent }: Entry): ExpectedCall => ({
  id,
  state,
  reference: reference?.trim(),
  begunAt,
  identity: ending?.identity,
  quoted: intent?.call.quoted as QuotedTrade | undefined,
});

const isInProgress = ({ state }: Entry): boolean => state === "intended" || state === "sent";

class ListComparison {
  hasReadList = false;
  /** Identities of listed items that are reported or counted, of the days around the period. */
  readonly #reported = new Set<string>();
  /** Entries of the batch that no listed item was found for, by entry ID. */
  #open = new Map<string, ExpectedCall>();
  #byIdentity = new Map<string, ExpectedCall>();

  constructor(
    private readonly scope: CallScope,
    private readonly operation: Declaration,
    private readonly sources: Sources,
  ) {}

  /**
   * Compares a batch of entries with the whole list. Items that appear or disappear meanwhile shift others between pages, so the
   * list is read again until a pass finds no further entry.
   */
  async compareBatch(entries: readonly Entry[]): Promise<void> {
    const { result } = this.sources;
    const expected = entries
      .filter(({ state }) => state === "done" || state === "unknown")
      .map((entry) => toExpected(entry));
    result.entries += expected.length;
    result.inProgress += entries.filter(isInProgress).length;
    this.#open = new Map(expected.map((call) => [call.id, call]));
    this.#byIdentity = new Map(
      expected.flatMap((call) => (call.identity === undefined ? [] : [[call.identity, call] as const])),
    );
    const isFirst = !this.hasReadList;
    for (let pass = 1; pass <= maxPasses; pass += 1) {
      const before = this.#open.size;
      const pages = await this.#readList(isFirst && pass === 1);
      this.hasReadList = true;
      if (this.#open.size === 0 || pages <= 1 || (pass > 1 && this.#open.size === before)) break;
    }
    for (const call of this.#open.values()) this.#addUnlisted(call);
  }

  /** Reads all pages and returns their number. Throws if the list may be longer than what was read. */
  async #readList(isCounted: boolean): Promise<number> {
    const { result, period } = this.sources;
    let pages = 0;
    for await (const page of this.#pagesFrom(1)) {
      pages += 1;
      await Promise.all(page.map((item) => this.#compareItem(item)));
      if (isCounted) result.listed += page.filter(({ day }) => day >= period.from && day <= period.to).length;
    }
    // A short page ends a list, unless the service left out some of its items.
    for await (const page of this.#pagesFrom(pages + 1)) {
      if (page.length > 0)
        throw new Error(`Page ${pages} is shorter than the others, but page ${pages + 1} has items.`);
      break;
    }
    return pages;
  }

  #pagesFrom(firstPage: number): AsyncIterable<readonly ListedItem[]> {
    const { signal } = new AbortController();
    return this.sources.lookup.readPages(this.operation, this.scope, firstPage, signal);
  }

  async #compareItem(item: ListedItem): Promise<void> {
    const { identity, day, body } = item;
    const { from, to } = this.sources.period;
    // The service's days may be those of another time zone.
    if (day !== "" && (day < addDays(from, -1) || day > addDays(to, 1))) return;
    if (identity === "") throw new Error("An item of the list has no ID.");
    const call = this.#byIdentity.get(identity);
    if (!call) return this.#compareUnclaimed(item, day === "" || (day >= from && day <= to));
    const remark = this.#open.delete(call.id) && call.quoted ? describeDeviations(call.quoted, body) : "";
    if (remark !== "") this.#addListed("different", item, call, remark);
  }

  /** Looks in the whole journal for the entry of an item. */
  async #compareUnclaimed(item: ListedItem, isInPeriod: boolean): Promise<void> {
    const { journal } = this.sources;
    const { identity, reference } = item;
    if (this.#reported.has(identity) || (await journal.findByIdentity(this.scope, identity))) return;
    const sameReference = reference === "" ? [] : await journal.listByReference(this.scope, reference);
    // A person may have resolved the entry without an ID. Other entries may have ended since they were read.
    const isExplained = ({ state, ending }: Entry) =>
      state === "done" && (ending?.identity ?? identity) === identity;
    const explaining = sameReference.find((entry) => isInProgress(entry) || isExplained(entry));
    if (explaining) return void this.#open.delete(explaining.id);
    const entry = sameReference.find(({ state }) => state === "unknown") ?? sameReference[0];
    const isExpected = entry !== undefined && this.#open.delete(entry.id);
    if (isInPeriod || isExpected) this.#addListed("unrecorded", item, entry);
  }

  #addListed(
    kind: JournalDifference["kind"],
    { identity, reference, day }: ListedItem,
    call?: Pick<Entry, "id" | "state">,
    remark?: string,
  ): void {
    this.#reported.add(identity);
    this.#add({ kind, day, identity, reference, entry: call?.id, state: call?.state, remark });
  }

  #addUnlisted({ id, state, begunAt, identity, reference }: ExpectedCall): void {
    const kind = state === "done" ? "missing" : "unknown";
    this.#add({ kind, day: dayOf(begunAt), identity, reference, entry: id, state });
  }

  #add(found: Omit<JournalDifference, "operation">): void {
    const { differences } = this.sources.result;
    if (differences.length === maxDifferences)
      throw new Error(`There are more than ${maxDifferences} differences. Compare a shorter period.`);
    differences.push({ operation: this.operation.name, ...found });
  }
}
