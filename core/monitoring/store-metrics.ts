/** Metrics that are read from the store: open outcomes, releases, halts and failing watches. */
import { effectiveStateSql } from "../releases/states";
import type { Row } from "../store/database";
import type { Store } from "../store/open";
import type { MetricValues } from "../values/metric-values";
import type { MetricName } from "./metrics";

/** The rows of one store. */
export interface StoreRows {
  readonly moment: number;
  readonly unknown: readonly Row[];
  readonly releases: readonly Row[];
  readonly halts: readonly Row[];
  readonly failingWatches: number;
}

/** Reads the rows. They are not authenticated: `fxdesk store check` does that. */
export async function readStoreRows({ run, now }: Store): Promise<StoreRows> {
  const [clock] = await run(`SELECT ${now} AS moment`);
  const [watches] = await run("SELECT count(*) AS failing FROM fxdesk_watches WHERE failures > 0");
  return {
    moment: Number(clock!.moment),
    // The process of a sent call whose claim has expired died before it could record the outcome.
    unknown: await run(
      `SELECT environment, operation, count(*) AS number, min(begun_at) AS oldest FROM fxdesk_journal_entries
       WHERE state IN ('unknown', 'sent') AND (state = 'unknown' OR claim_expires_at <= ${now})
       GROUP BY environment, operation`,
    ),
    releases: await run(
      `SELECT environment, state, count(*) AS number, min(requested_at) AS oldest
       FROM (SELECT environment, requested_at, ${effectiveStateSql(now)} AS state FROM fxdesk_releases
             WHERE state IN ('waiting', 'released', 'unknown')) AS found
       WHERE state <> 'expired' GROUP BY environment, state`,
    ),
    halts: await run("SELECT environment FROM fxdesk_halts"),
    failingWatches: Number(watches!.failing),
  };
}

/** Returns the name of a stored environment, without its address. */
const environmentOf = ({ environment }: Row): string => String(environment).split(" ")[0]!;

const storeGauges = [
  "fxdesk_unknown_outcomes",
  "fxdesk_oldest_unknown_outcome_age_seconds",
  "fxdesk_releases",
  "fxdesk_oldest_waiting_release_age_seconds",
  "fxdesk_halted",
  "fxdesk_failing_watches",
] as const;

/** Replaces the values with those of all given stores. */
export function setStoreValues(values: MetricValues<MetricName>, stores: readonly StoreRows[]): void {
  for (const name of storeGauges) values.clear(name);
  const ages = new Map<string, number>();
  const setAge = (name: MetricName, environment: string, age: number) => {
    const oldest = Math.max(ages.get(name + environment) ?? 0, age / 1_000);
    ages.set(name + environment, oldest);
    values.set(name, oldest, { environment });
  };
  for (const { moment, unknown, releases, halts, failingWatches } of stores) {
    for (const row of unknown) {
      const environment = environmentOf(row);
      const labels = { environment, operation: String(row.operation) };
      values.add("fxdesk_unknown_outcomes", Number(row.number), labels);
      setAge("fxdesk_oldest_unknown_outcome_age_seconds", environment, moment - Number(row.oldest));
    }
    for (const row of releases) {
      const environment = environmentOf(row);
      values.add("fxdesk_releases", Number(row.number), { environment, state: String(row.state) });
      if (row.state === "waiting")
        setAge("fxdesk_oldest_waiting_release_age_seconds", environment, moment - Number(row.oldest));
    }
    for (const row of halts) values.set("fxdesk_halted", 1, { environment: environmentOf(row) || "all" });
    values.add("fxdesk_failing_watches", failingWatches);
  }
}
