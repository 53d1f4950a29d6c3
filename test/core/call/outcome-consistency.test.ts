/**
 * The outcome of every call agrees with the requests that the service received. FXDESK_RUNS sets the number of runs,
 * FXDESK_SEED the seed. company-network.long.test.ts does the same through a proxy and TLS.
 */
import { findWrongOutcomes, seed } from "./random-calls";

const runs = Number(process.env.FXDESK_RUNS ?? 300);

test(
  `${runs} random calls end in time, and as the service saw them (seed ${seed})`,
  async () => expect(await findWrongOutcomes(runs, false)).toEqual([]),
  20 * 60_000,
);
