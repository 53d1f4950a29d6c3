/**
 * Outcomes are as true through a proxy with credentials, and TLS with a client certificate, as on the direct way. FXDESK_RUNS
 * sets the number of random calls; bookings.night.test.ts makes more bookings.
 */
import { runBookings } from "../chaos/booking-scenario";
import { findWrongOutcomes, seed } from "../core/call/random-calls";
import { engines } from "../core/store/engines";

const [file] = engines();
const runs = Number(process.env.FXDESK_RUNS ?? 300);

test(
  `${runs} random calls end in time, and as the service saw them (seed ${seed})`,
  async () => expect(await findWrongOutcomes(runs, true)).toEqual([]),
  20 * 60_000,
);

test("makes each booking at most once, and knows all that were made", async () => {
  const store = await file!.create();
  const scenario = { store, bookings: 80, reusableQuotes: false, seed, killEvery: 40, isCompany: true };
  const report = await runBookings(scenario);
  expect(report).toMatchObject({ bookings: 80, kills: 2, faultsFound: [] });
  expect(report.faults).toBeGreaterThan(15);
  expect(report.known).toBe(report.booked);
}, 300_000);
