/** Tries every cell of the matrix in the client. matrix.long.test.ts tries them on the other surfaces. */
import { compare, faultsOn } from "./compare";
import { runOnClient } from "./surfaces";

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
