/** Every cell of the matrix, for real: a call of each kind meets each fault, in the client and through a tool. */
import { compare, type Shown, triedOn } from "./compare";
import { faults } from "./faults";
import { type Cell, type Kind, toolWords } from "./matrix";
import { onClient, onMcp } from "./surfaces";

beforeEach(() => {
  jest.spyOn(console, "error").mockImplementation();
});
afterEach(() => jest.restoreAllMocks());

test.each(triedOn("client"))("the client: %s", (name) =>
  compare(
    name,
    async (scene) => {
      const error = await onClient(scene);
      return error
        ? { ends: error.code, outcome: error.outcome, attempts: error.attempts }
        : { ends: "done" };
    },
    (cell) => (cell.ends === "done" ? { ends: "done" } : { ...cell }),
  ),
);

/** Which words about the outcome a tool must say, and whether what was read before the fault is shown. */
function shownByTool({ ends, ...cell }: Cell, kind: Kind, isThere: boolean): Shown {
  const isReading = kind !== "change" && kind !== "money";
  const said = "outcome" in cell && !isReading ? [toolWords[cell.outcome]] : [];
  const isPartial = kind === "page" && isThere && cell.attempts > 0;
  return { isError: ends !== "done" && !isPartial, said, entries: isPartial ? 1 : undefined };
}

test.each(triedOn("mcp"))("a tool: %s", (name) =>
  compare(
    name,
    async (scene) => {
      const { isError, text, count } = await onMcp(scene);
      const said = [...new Set(Object.values(toolWords))].filter((words) => text.includes(words));
      return { isError, said, entries: count };
    },
    (cell, kind) => shownByTool(cell, kind, faults[name].fault !== undefined),
  ),
);
