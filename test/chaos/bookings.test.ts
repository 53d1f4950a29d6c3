/** A small part of the chaos test, on SQLite; bookings.night.test.ts has all of it. */
import { engines } from "../core/store/engines";
import { runSmallScenario } from "./booking-scenario";

const [file] = engines();

test("makes each booking at most once, and knows all that were made", async () => {
  await runSmallScenario({ store: await file!.create(), bookings: 200, reusableQuotes: false });
}, 300_000);
