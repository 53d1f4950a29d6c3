/** A small part of the bad day, on PostgreSQL. */
import { engines } from "../core/store/engines";
import { runSmallScenario } from "./booking-scenario";

for (const { name, create } of engines().slice(1))
  test(`each booking on ${name} is made at most once, and what was made is known`, async () => {
    await runSmallScenario({ store: await create(), bookings: 80, reusableQuotes: true });
  }, 300_000);
