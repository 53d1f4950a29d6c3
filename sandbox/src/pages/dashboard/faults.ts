/** What is put in the way of the next calls. */
import { addFault, clearFaults, decideStatement, listFaults } from "../../control/controls";
import type { Stage } from "../../stage";
import { type Html, html } from "../html";
import { type Choice, form } from "./form";
import { counted, nothing, type Panel } from "./parts";

const faultsShown = 10;

type Fault = ReturnType<typeof listFaults.act>[number];

/** What is put in the way of several calls one after the other. */
interface Several {
  readonly description: string;
  readonly times: number;
}

const inWords = ({ operation, kind, status, milliseconds, retry_after: seconds }: Fault): string =>
  [
    `${operation}:`,
    kind,
    status,
    milliseconds !== undefined && `${milliseconds} ms`,
    seconds !== undefined && `retry after ${seconds} s`,
  ]
    .filter((word) => word !== undefined && word !== false)
    .join(" ");

/** Equal ones that follow each other, as one. */
function counts(waiting: readonly Fault[]): Several[] {
  const all: Several[] = [];
  for (const text of waiting.map(inWords)) {
    const last = all.at(-1);
    if (last?.description === text) all[all.length - 1] = { description: text, times: last.times + 1 };
    else all.push({ description: text, times: 1 });
  }
  return all;
}

function show(stage: Stage): Html {
  const waiting = listFaults.act(stage, {});
  if (waiting.length === 0) return nothing("Nothing is in the way of calls.");
  const shown = counts(waiting).slice(0, faultsShown);
  const calls = shown.reduce((sum, { times }) => sum + times, 0);
  return html`<ul>
      ${shown.map(({ description, times }) => html`<li>${description}${times > 1 ? ` × ${times}` : ""}</li>`)}
    </ul>
    ${counted(calls, waiting.length, "calls to be spoiled")} ${form(clearFaults, { look: "quiet" })}`;
}

const operationChoices = ({ faults: { operations } }: Stage): Choice[] =>
  operations.map(({ name, title }) => [name, `${name}: ${title}`]);

export const faults: Panel = {
  id: "faults",
  title: "Faults",
  place: "main",
  show,
  forms: (stage) =>
    html`${form(addFault, { choices: { operation: operationChoices(stage) } })}${form(decideStatement)}`,
};
