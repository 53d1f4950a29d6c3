/** Panel of the pending faults. */
import { addFault, clearFaults, decideStatement, listFaults } from "../control/controls";
import type { SandboxSession } from "../session/sandbox-session";
import { type Html, html } from "../pages/html";
import { type Choice, controlForm } from "./form";
import { shownCount, emptyState, type Panel } from "./panel";

const maxFaultsShown = 10;

type Fault = ReturnType<typeof listFaults.act>[number];

/** Fault that applies to several calls in a row. */
interface RepeatedFault {
  readonly description: string;
  readonly times: number;
}

const describeFault = ({ operation, kind, status, milliseconds, retry_after: seconds }: Fault): string =>
  [
    `${operation}:`,
    kind,
    status,
    milliseconds !== undefined && `${milliseconds} ms`,
    seconds !== undefined && `retry after ${seconds} s`,
  ]
    .filter((word) => word !== undefined && word !== false)
    .join(" ");

/** Groups consecutive equal faults. */
function groupRepeated(pending: readonly Fault[]): RepeatedFault[] {
  const all: RepeatedFault[] = [];
  for (const text of pending.map(describeFault)) {
    const last = all.at(-1);
    if (last?.description === text) all[all.length - 1] = { description: text, times: last.times + 1 };
    else all.push({ description: text, times: 1 });
  }
  return all;
}

function renderFaults(session: SandboxSession): Html {
  const pending = listFaults.act(session, {});
  if (pending.length === 0) return emptyState("No pending faults.");
  const shown = groupRepeated(pending).slice(0, maxFaultsShown);
  const calls = shown.reduce((sum, { times }) => sum + times, 0);
  return html`<ul>
      ${shown.map(({ description, times }) => html`<li>${description}${times > 1 ? ` × ${times}` : ""}</li>`)}
    </ul>
    ${shownCount(calls, pending.length, "affected calls")} ${controlForm(clearFaults, { cssClass: "quiet" })}`;
}

const operationChoices = ({ faults: { supportedOperations } }: SandboxSession): Choice[] =>
  supportedOperations.map(({ name, title }) => [name, `${name}: ${title}`]);

export const faultsPanel: Panel = {
  id: "faults",
  title: "Faults",
  area: "main",
  show: renderFaults,
  forms: (session) =>
    html`${controlForm(addFault, { choices: { operation: operationChoices(session) } })}${controlForm(decideStatement)}`,
};
