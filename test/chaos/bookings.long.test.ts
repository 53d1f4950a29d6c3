/** A small part of the bad day: npm run test:chaos plays it whole. */
import { engines } from "../core/store/engines";
import { play } from "./bookings";

const seed = Number(process.env.FXDESK_SEED ?? 20_261_122);

describe.each(engines())("$name", ({ name, create }) => {
  test("each booking is made at most once, and what was made is known", async () => {
    const reusableQuotes = name !== "SQLite";
    const bookings = name === "SQLite" ? 140 : 80;
    const report = await play({ store: await create(), bookings, seed, reusableQuotes, killEvery: 40 });
    expect(report).toMatchObject({ bookings, faultsFound: [] });
    expect(report.kills).toBeGreaterThan(1);
    expect(report.faults).toBeGreaterThan(15);
    expect(report.recovered).toBeGreaterThan(0);
    expect(report.known).toBe(report.booked);
  }, 300_000);
});
