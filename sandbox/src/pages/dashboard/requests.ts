/** What was asked of the sandbox, and what is put in the way of the next calls. */
import { operations } from "@fxdesk/toolkit/operations";
import { actions } from "../../control/actions";
import { addFault, clearFaults, decideStatement } from "../../control/controls";
import type { LoggedRequest, Stage } from "../../stage";
import { type Html, html } from "../html";
import { form } from "./form";
import { chip, counted, head, nothing, type Panel, table } from "./parts";

const requestsShown = 20;
const statusLook = (status: number) => (status < 400 ? "good" : status < 500 ? "busy" : "bad");

function requestRow({ method, url, status, refusal, fault }: LoggedRequest): Html {
  const [path, query] = url.split(/(?=\?)/, 2);
  return html`<tr>
    <td>${chip(String(status), statusLook(status))}</td>
    <td class="url">
      <b>${method}</b> ${path}<span class="query">${query}</span
      ><small>${[fault, refusal].filter(Boolean).join(": ")}</small>
    </td>
  </tr>`;
}

function showRequests({ requests: all }: Stage): Html {
  const last = all.slice(-requestsShown).toReversed();
  if (last.length === 0) return nothing("Nothing was asked yet.");
  return table([head("Status"), head("Request")], last.map(requestRow));
}

export const requests: Panel = { id: "requests", title: "Requests", place: "main", show: showRequests };

const faultsShown = 10;

type Fault = ReturnType<typeof actions.listFaults>[number];

const inWords = ({ kind, status, milliseconds, retry_after: seconds }: Fault): string =>
  [
    kind,
    status,
    milliseconds !== undefined && `${milliseconds} ms`,
    seconds !== undefined && `retry after ${seconds} s`,
  ]
    .filter((word) => word !== undefined && word !== false)
    .join(" ");

function showFaults(stage: Stage): Html {
  const waiting = actions.listFaults(stage, {});
  if (waiting.length === 0) return nothing("Nothing is in the way of calls.");
  const shown = waiting.slice(0, faultsShown);
  const items = shown.map((fault) => html`<li>${fault.operation}: ${inWords(fault)}</li>`);
  return html`<ul>
      ${items}
    </ul>
    ${counted(shown.length, waiting.length, "calls to be spoiled")} ${form(clearFaults, { look: "quiet" })}`;
}

const operationChoices = operations.map(({ name, title }) => [name, `${name}: ${title}`] as const);

export const faults: Panel = {
  id: "faults",
  title: "Faults",
  place: "main",
  show: showFaults,
  forms: () => html`${form(addFault, { choices: { operation: operationChoices } })}${form(decideStatement)}`,
};
