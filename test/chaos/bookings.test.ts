/** A small part of the bad day, on a file; bookings.long.test.ts has PostgreSQL, and npm run test:chaos plays it whole. */
import { engines } from "../core/store/engines";
import { runSmallScenario } from "./booking-scenario";

const [file] = engines();

test("each booking is made at most once, and what was made is known", async () => {
  await runSmallScenario({ store: await file!.create(), bookings: 200, reusableQuotes: false });
}, 300_000);
