import { seededRandom } from "../../chaos/seeded-random";
import { raceExecutors } from "./executor-races";

test("50 races of executors and a repeated call send one request each", async () => {
  const count = 50;
  const { results, total } = await raceExecutors(count, seededRandom(1));
  expect(results).toEqual(results.map((_, index) => ({ paymentId: `P-${index}`, requests: 1 })));
  expect(total).toBe(count);
});
