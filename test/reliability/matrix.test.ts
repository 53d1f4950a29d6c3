/** Every cell of the matrix, for real: a call of each kind meets each fault, in the client and through a tool. */
import { compare, type Observation, faultsOn } from "./compare";
import { faults } from "./faults";
import { type Cell, type Kind, toolPhrases } from "./matrix";
import { runOnClient, runOnMcp } from "./surfaces";

beforeEach(() => {
  jest.spyOn(console, "error").mockImplementation();
});
afterEach(() => jest.restoreAllMocks());

test.each(faultsOn("client"))("the client: %s", (name) =>
  compare(
    name,
    async (scene) => {
      const error = await runOnClient(scene);
      return error
        ? { ends: error.code, outcome: error.outcome, attempts: error.attempts }
        : { ends: "done" };
    },
    (cell) => (cell.ends === "done" ? { ends: "done" } : { ...cell }),
  ),
);

/** Which words about the outcome a tool must say, and whether what was read before the fault is shown. */
function shownByTool({ ends, ...cell }: Cell, kind: Kind, isThere: boolean): Observation {
  const isReading = kind !== "change" && kind !== "money";
  const said = "outcome" in cell && !isReading ? [toolPhrases[cell.outcome]] : [];
  const isPartial = kind === "page" && isThere && cell.attempts > 0;
  return { isError: ends !== "done" && !isPartial, said, entries: isPartial ? 1 : undefined };
}

test.each(faultsOn("mcp"))("a tool: %s", (name) =>
  compare(
    name,
    async (scene) => {
      const { isError, text, count } = await runOnMcp(scene);
      const said = [...new Set(Object.values(toolPhrases))].filter((words) => text.includes(words));
      return { isError, said, entries: count };
    },
    (cell, kind) => shownByTool(cell, kind, faults[name].fault !== undefined),
  ),
);
