/** The tables of docs/reliability.md, from the data. */
import { table } from "../../build/operations-document";
import { type Cell, exitCodes, kinds, matrix, toolPhrases, testedElsewhere } from "./matrix";

const outcomeWords = { "not-sent": "not sent", rejected: "rejected", unknown: "unknown" } as const;

const times = (attempts: number) => (attempts > 1 ? `, ${attempts}×` : "");

/** How a cell is written. */
export const cellText = (cell: Cell): string =>
  cell.ends === "done"
    ? `done${times(cell.attempts)}`
    : `\`${cell.ends}\`, ${outcomeWords[cell.outcome]}${times(cell.attempts)}`;

const headings = {
  read: "Read",
  page: "Next page",
  file: "File",
  change: "Change",
  money: "Money",
} as const;

/** The lines of each table, by the name that its marks in the document have. */
export const tables: Readonly<Record<string, readonly string[]>> = {
  matrix: table(
    ["Fault", ...kinds.map((kind) => headings[kind])],
    Object.values(matrix).map(({ fault, cells }) => [fault, ...kinds.map((kind) => cellText(cells[kind]))]),
  ),
  "exit codes": table(
    ["Ends as", "Exit code"],
    Object.entries(exitCodes).map(([ends, code]) => [ends === "done" ? ends : `\`${ends}\``, String(code)]),
  ),
  "tool words": table(
    ["Outcome", "What the tool says"],
    Object.entries(toolPhrases).map(([outcome, words]) => [`\`${outcome}\``, `"… ${words} …"`]),
  ),
  elsewhere: table(
    ["Fault", "What becomes of the call", "Test"],
    testedElsewhere.map(([fault, ending, test]) => [fault, ending, `\`${test}\``]),
  ),
};
