/** A small part of the chaos test, on SQLite; bookings.night.test.ts has all of it, and a tenth of it in CI. */
import { engines } from "../core/store/engines";
import { runBookings } from "./booking-scenario";

const [file] = engines();
const seed = Number(process.env.FXDESK_SEED ?? 20_261_122);

test("makes each booking at most once, and knows all that were made", async () => {
  const store = await file!.create();
  const report = await runBookings({ store, bookings: 80, reusableQuotes: false, seed, killEvery: 40 });
  expect(report).toMatchObject({ bookings: 80, kills: 2, faultsFound: [] });
  expect(report.faults).toBeGreaterThan(15);
  expect(report.recovered).toBeGreaterThan(0);
  expect(report.known).toBe(report.booked);
}, 300_000);
