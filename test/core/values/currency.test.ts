/** Decimals of currencies according to ISO 4217. */
import { minorUnits } from "../../../core/values";

test.each([
  ["EUR", 2],
  ["USD", 2],
  ["HUF", 2],
  ["MGA", 2],
  ["JPY", 0],
  ["ISK", 0],
  ["UYI", 0],
  ["KWD", 3],
  ["TND", 3],
  ["CLF", 4],
  ["UYW", 4],
  ["ABC", 2],
  ["toString", 2],
])("%s has %d decimals", (currency, decimals) => {
  expect(minorUnits(currency)).toBe(decimals);
});
