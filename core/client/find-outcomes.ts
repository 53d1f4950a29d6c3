/** Finds what became of calls: in the journal, and among the requests that wait for release. */
import type { OutcomeList, OutcomeQuery } from "../api/client-types";
import type { CallOptions } from "../call/call-options";
import { type Entry } from "../journal/entry";
import { dayMs } from "../calendars/days";
import type { Release } from "../releases/release";
import type { ReleaseMiddleware } from "../releases/release-middleware";
import type { ReleaseService } from "../releases/release-service";
import type { CallOutcome } from "../spec/call-outcome";
import type { Service } from "../spec/service";

const operationName = "journal.findOutcome";
/** Outcomes in a result, entries read at once, and entries read altogether where most belong to others. */
const [maxOutcomes, pageSize, maxRead] = [50, 200, 5_000];

interface Search {
  readonly middleware: ReleaseMiddleware;
  readonly releases: ReleaseService;
  readonly service: Pick<Service, "operations">;
  readonly environments: readonly string[];
  readonly options: CallOptions;
}

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

interface Found<T> {
  readonly found: readonly T[];
  readonly isComplete: boolean;
}

/** Returns the visible entries that a query selects, newest first. */
async function findEntries(
  { middleware, releases, environments, options }: Search,
  { day, quote, id, ...query }: OutcomeQuery,
): Promise<Found<Entry>> {
  const isVisible = await middleware.entriesVisibleTo(operationName, options);
  const selected = {
    ...query,
    environments,
    singleUse: quote,
    identity: id,
    ...(day !== undefined && { begun: [startOf(day), startOf(day) + dayMs] as const }),
  };
  const found: Entry[] = [];
  for (let offset = 0; offset < maxRead && found.length <= maxOutcomes; offset += pageSize) {
    const page = await releases.searchEntries(selected, { limit: pageSize, offset });
    found.push(...page.filter((entry) => isVisible?.(entry) ?? true));
    if (page.length < pageSize) return { found, isComplete: true };
  }
  return { found, isComplete: false };
}

/** Returns the visible requests that a query selects and that were not sent. */
async function findUnsent(
  { middleware, releases, service, environments, options }: Search,
  { release, quote, key, reference, day, id, entry }: OutcomeQuery,
): Promise<Found<Release>> {
  if (id !== undefined || entry !== undefined) return { found: [], isComplete: true };
  const isVisible = await middleware.visibleTo(operationName, options);
  const { releases: listed, isComplete } = await releases.list({
    ...(release === undefined && { states: ["waiting", "released"] as const }),
    environments,
    limit: 1_000,
    isVisible,
  });
  const found = listed.filter(({ id: releaseId, sealed, entry: sent, key: ownKey, requestedAt }) => {
    const values: Readonly<Record<string, unknown>> =
      sealed.kind === "call" ? sealed.terms.values : { ...sealed.terms };
    const { singleUseField } = service.operations.find(({ name }) => name === sealed.operation) ?? {};
    const quoteOf = singleUseField === undefined ? undefined : values[singleUseField];
    const begun = day === undefined ? 0 : requestedAt - startOf(day);
    return (
      sent === undefined &&
      (release ?? releaseId) === releaseId &&
      (key ?? ownKey) === ownKey &&
      (quote ?? quoteOf) === quoteOf &&
      (reference ?? values.reference) === values.reference &&
      begun >= 0 &&
      begun < dayMs
    );
  });
  return { found, isComplete };
}

const byTime = (one: CallOutcome, other: CallOutcome): number => (one.at < other.at ? 1 : -1);

/** Returns the outcomes that a query selects, newest first. */
export async function findOutcomes(search: Search, query: OutcomeQuery): Promise<OutcomeList> {
  const [entries, unsent] = [await findEntries(search, query), await findUnsent(search, query)];
  const found = [...entries.found, ...unsent.found];
  const outcomes = found.map((each) => search.middleware.outcomeOf(each)).toSorted(byTime);
  const isComplete = entries.isComplete && unsent.isComplete && outcomes.length <= maxOutcomes;
  let isRestored = false;
  for (const environment of search.environments) isRestored ||= await search.releases.isRestored(environment);
  return {
    outcomes: outcomes.slice(0, maxOutcomes),
    complete: isComplete && !isRestored,
    ...(isRestored && {
      warning:
        "The store was restored and may not know calls that were sent. Ask the service before anything is repeated.",
    }),
  };
}
