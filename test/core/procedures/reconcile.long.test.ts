/** Many labelled cases. */
import { judgeMatches, seeds } from "../../support/match-quality";

test.each(seeds)("1,000 labelled cases from seed %d: no wrong match, at least 90 % found", (seed) => {
  const { wrong, found } = judgeMatches(seed, 1_000);
  expect(wrong).toEqual([]);
  expect(found).toBeGreaterThanOrEqual(0.9);
});
