/** Tables of docs/reliability.md. */
import { table } from "../../build/operations-document";
import { type Cell, kinds, matrix, toolPhrases, testedElsewhere } from "./matrix";

const times = (attempts: number) => (attempts > 1 ? `, ${attempts}×` : "");

/** Returns the text of a cell. */
export const cellText = (cell: Cell): string =>
  cell.ends === "done"
    ? `done${times(cell.attempts)}`
    : `\`${cell.ends}\`, ${cell.outcome}${times(cell.attempts)}`;

const headings = {
  read: "Read",
  page: "Next page",
  file: "File",
  change: "Change",
  money: "Money",
} as const;

/** Lines of each table, by the name of its markers on the page. */
export const tables: Readonly<Record<string, readonly string[]>> = {
  matrix: table(
    ["Fault", ...kinds.map((kind) => headings[kind])],
    Object.values(matrix).map(({ fault, cells }) => [fault, ...kinds.map((kind) => cellText(cells[kind]))]),
  ),
  "tool words": table(
    ["Outcome", "Text of the tool"],
    Object.entries(toolPhrases).map(([outcome, words]) => [`\`${outcome}\``, `"… ${words} …"`]),
  ),
  elsewhere: table(
    ["Fault", "Effect", "Test"],
    testedElsewhere.map(([fault, ending, test]) => [fault, ending, `\`${test}\``]),
  ),
};
