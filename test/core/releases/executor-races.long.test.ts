import { seededRandom } from "../../chaos/seeded-random";
import { raceExecutors } from "./executor-races";

test("500 races of executors and a repeated call send one request each", async () => {
  const count = 500;
  const { results, total } = await raceExecutors(count, seededRandom(2));
  expect(results).toEqual(results.map((_, index) => ({ paymentId: `P-${index}`, requests: 1 })));
  expect(total).toBe(count);
});
