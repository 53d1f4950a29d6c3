/** A small part of the chaos test of orders (npm run test:night), in one process. */
import { engines } from "../core/store/engines";
import { runOrders } from "./order-scenario";

const seed = Number(process.env.FXDESK_SEED ?? 20_261_122);

describe.each(engines())("$name", ({ create }) => {
  test("books each order once inside its limits, or gives the reason why not", async () => {
    const report = await runOrders({
      store: await create(),
      orders: 30,
      seed,
      bookers: 3,
      areProcesses: false,
      validMs: [4_000, 15_000],
      killEvery: 8,
    });
    expect(report).toMatchObject({ orders: 30, faultsFound: [] });
    expect(report.byState.booked).toBeGreaterThan(0);
    expect(report.byState.expired).toBeGreaterThan(0);
  }, 120_000);
});
