/**
 * 2,000 orders under faults, on both engines, with three competing processes that are killed. FXDESK_RUNS sets the total
 * number, FXDESK_SEED the seed.
 */
import { engines } from "../core/store/engines";
import { runOrders } from "./order-scenario";

const runs = Number(process.env.FXDESK_RUNS ?? 2_000);
const seed = Number(process.env.FXDESK_SEED ?? 20_261_122);

describe.each(engines())("$name", ({ name, create }) => {
  test("books each order once inside its limits, or gives the reason why not", async () => {
    const orders = Math.ceil(runs / 2);
    const report = await runOrders({
      store: await create(),
      orders,
      seed: seed + (name === "SQLite" ? 0 : 20),
      bookers: 3,
      areProcesses: true,
      validMs: [20_000 + 60 * orders, 40_000 + 200 * orders],
      killEvery: 40,
    });
    console.log(JSON.stringify({ engine: name, ...report }));
    expect(report).toMatchObject({ orders, faultsFound: [] });
    expect(report.byState.booked).toBeGreaterThan(orders / 5);
    expect(report.kills).toBeGreaterThan(orders / 100);
  }, 1_800_000);
});
