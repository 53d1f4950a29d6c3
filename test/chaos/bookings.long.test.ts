/** A small part of the chaos test, on PostgreSQL. */
import { engines } from "../core/store/engines";
import { runSmallScenario } from "./booking-scenario";

for (const { name, create } of engines().slice(1))
  test(`makes each booking on ${name} at most once, and knows all that were made`, async () => {
    await runSmallScenario({ store: await create(), bookings: 80, reusableQuotes: true });
  }, 300_000);
