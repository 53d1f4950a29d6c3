/**
 * 10,000 bookings under faults, on both engines, with single-use and reusable quotes. FXDESK_RUNS sets the total number,
 * FXDESK_SEED the seed. With FXDESK_COMPANY_NETWORK=1, all calls pass a proxy with credentials, and TLS with a
 * client certificate.
 */
import { engines } from "../core/store/engines";
import { runBookings, type BookingReport } from "./booking-scenario";

const runs = Number(process.env.FXDESK_RUNS ?? 10_000);
const seed = Number(process.env.FXDESK_SEED ?? 20_261_122);
const isCompany = process.env.FXDESK_COMPANY_NETWORK === "1";
/** Limits a round to a few minutes, and the list of trades per sandbox. */
const most = 500;

const reports: BookingReport[] = [];
const sum = (of: (report: BookingReport) => number) =>
  reports.reduce((total, report) => total + of(report), 0);

const quotes = [
  ["used up by a booking", false],
  ["that can be booked again", true],
] as const;

describe.each(engines())("$name", ({ name, create }) => {
  describe.each(quotes)("quotes %s", (_, reusableQuotes) => {
    const share = Math.ceil(runs / 4);
    const rounds = Array.from({ length: Math.ceil(share / most) }, (_round, index) => index);
    test.each(rounds)(
      "round %i",
      async (round) => {
        const bookings = Math.min(most, share - round * most);
        const store = await create();
        const roundSeed = seed + 100 * round + (reusableQuotes ? 10 : 0) + (name === "SQLite" ? 0 : 20);
        const report = await runBookings({
          store,
          bookings,
          seed: roundSeed,
          reusableQuotes,
          killEvery: 100,
          isCompany,
        });
        reports.push(report);
        console.log(JSON.stringify({ engine: name, reusableQuotes, seed: roundSeed, ...report }));
        expect(report.faultsFound).toEqual([]);
      },
      900_000,
    );
  });
});

afterAll(() => {
  const all = { bookings: sum((each) => each.bookings), kills: sum((each) => each.kills) };
  const totals = { faults: sum((each) => each.faults), booked: sum((each) => each.booked) };
  console.log(JSON.stringify({ ...all, ...totals, seconds: sum((each) => each.seconds) }));
});

test("knows 99.9 % of the booked trades in the end", () => {
  const [booked, known] = [sum((each) => each.booked), sum((each) => each.known)];
  expect(booked).toBeGreaterThan(runs / 2);
  expect(known / booked).toBeGreaterThanOrEqual(0.999);
});
