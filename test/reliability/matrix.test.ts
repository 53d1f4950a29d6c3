/** Tries every cell of the matrix in the client and through an MCP tool. */
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

/** Returns the expected tool result: outcome text, and the entries read before the fault. */
function shownByTool({ ends, ...cell }: Cell, kind: Kind, isThere: boolean): Observation {
  const isReading = kind !== "change" && kind !== "money";
  const phrases = "outcome" in cell && !isReading ? [toolPhrases[cell.outcome]] : [];
  const isPartial = kind === "page" && isThere && cell.attempts > 0;
  return { isError: ends !== "done" && !isPartial, phrases, entries: isPartial ? 1 : undefined };
}

test.each(faultsOn("mcp"))("a tool: %s", (name) =>
  compare(
    name,
    async (scene) => {
      const { isError, text, count } = await runOnMcp(scene);
      const phrases = [...new Set(Object.values(toolPhrases))].filter((words) => text.includes(words));
      return { isError, phrases, entries: count };
    },
    (cell, kind) => shownByTool(cell, kind, faults[name].fault !== undefined),
  ),
);
