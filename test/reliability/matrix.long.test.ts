/** Tries every cell of the matrix on the command line, in Node-RED and through an MCP tool. */
import helper from "node-red-node-test-helper";
import { disableBackoff } from "../core/support/client-fixtures";
import { compare, type Observation, faultsOn } from "./compare";
import { faults } from "./faults";
import { type Cell, exitCodes, type Kind, kinds, matrix, type Row, toolPhrases } from "./matrix";
import { createScene, runOnCli, runOnMcp, runOnNodeRed } from "./surfaces";

helper.init(require.resolve("node-red"));
beforeAll((done) => {
  helper.startServer(done);
});
afterAll((done) => {
  helper.stopServer(done);
});
beforeEach(() => {
  jest.spyOn(console, "error").mockImplementation();
});
afterEach(() => jest.restoreAllMocks());

test.each(faultsOn("cli"))("the command: %s", (name) =>
  compare(
    name,
    async (scene) => {
      const { code, stderr } = await runOnCli(scene);
      if (code === 0) return { exit: code };
      const { code: ends, outcome, attempts } = JSON.parse(stderr.trim().split("\n").at(-1)!) as Observation;
      return { exit: code, ends, outcome, attempts };
    },
    (cell) => ({ exit: exitCodes[cell.ends], ...(cell.ends !== "done" && cell) }),
  ),
);

test.each(faultsOn("node-red"))("a node: %s", async (name) => {
  disableBackoff();
  const scenes = await Promise.all(kinds.map((kind) => createScene(name, kind)));
  const messages = await runOnNodeRed(scenes);
  const { cells }: Row = matrix[name];
  for (const { kind, status, requests } of scenes) {
    const { error, statusCode } = messages[kind];
    const cell = cells[kind];
    const { outcome, attempts } = error?.cause ?? {};
    expect({ kind, ...(error ? { ends: error.code, outcome, attempts } : { statusCode }) }).toEqual({
      kind,
      ...(cell.ends === "done" ? { statusCode: status } : cell),
    });
    expect(requests() ?? cell.attempts).toBe(cell.attempts);
  }
});

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
