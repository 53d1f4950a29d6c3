/** Whether a search among the tools finds the right one by the words that people use. */
import { declarationsOf } from "../../core/declaration/service";
import { fxdeskService } from "../../core/service";
import { toolsOf } from "../../mcp/tools";
import { ranking } from "../support/bm25";
import { wishes } from "./support/wishes";
import { wishesKeptApart } from "./support/wishes-kept-apart";
import { wishesOfManyWords } from "./support/wishes-of-many-words";

const rank = ranking(
  new Map(
    toolsOf(declarationsOf(fxdeskService)).map(({ tool: { name, description } }) => [
      name,
      `${name} ${description}`,
    ]),
  ),
);

/** How many of the first tools a model looks at. */
const looksAt = 3;

const isFound = ([wish, ...right]: (typeof wishes)[number]): boolean =>
  rank(wish)
    .slice(0, looksAt)
    .some((name) => right.includes(name));

test("the wishes are 1557", () => {
  expect(new Set([...wishes, ...wishesKeptApart].map(([wish]) => wish)).size).toBe(1557);
});

test("the right tool is among the first three for 95 % of the wishes that words were chosen by", () => {
  const missed = wishes.filter((wish) => !isFound(wish));
  const told = missed.map(
    ([wish, ...right]) => `${wish}: ${rank(wish).slice(0, 4).join(" ")}, not ${right.join(" ")}`,
  );
  expect(missed.length <= wishes.length * 0.05 ? [] : told).toEqual([]);
});

// Only the share is told: who saw the wishes would word descriptions by them.
test("and for 95 % of those kept apart", () => {
  const found = wishesKeptApart.filter(isFound).length;
  expect(found / wishesKeptApart.length).toBeGreaterThanOrEqual(0.95);
});

test("and for 88 % of those in as many different words as there are", () => {
  const found = wishesOfManyWords.filter(isFound).length;
  expect(found / wishesOfManyWords.length).toBeGreaterThanOrEqual(0.88);
});
