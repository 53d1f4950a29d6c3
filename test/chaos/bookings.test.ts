/** A small part of the chaos test (npm run test:chaos), on SQLite; bookings.long.test.ts uses PostgreSQL. */
import { engines } from "../core/store/engines";
import { runSmallScenario } from "./booking-scenario";

const [file] = engines();

test("makes each booking at most once, and knows all that were made", async () => {
  await runSmallScenario({ store: await file!.create(), bookings: 200, reusableQuotes: false });
}, 300_000);
