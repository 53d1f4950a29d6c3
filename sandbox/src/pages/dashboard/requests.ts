/** What was asked of the sandbox, what it responded, and the way back to before it. */
import { undo } from "../../control/controls";
import { commandOf, type Exchange, type Said } from "../../exchange";
import type { Stage } from "../../stage";
import type { LoggedRequest } from "../../stage-state";
import { type Html, html } from "../html";
import { form } from "./form";
import { chip, counted, head, nothing, type Panel, table } from "./parts";

const requestsShown = 20;
const statusLook = (status: number) => (status < 400 ? "good" : status < 500 ? "busy" : "bad");

/** Of the day. */
const hourIn = (time: string) => time.slice(11, 19);

/** JSON is easier to read on several lines. */
function laidOut(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

const headersOf = ({ headers }: Said): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

const side = (title: string, said: Said): Html =>
  html`<div>
    <h3>${title}</h3>
    <pre tabindex="0">${[headersOf(said), laidOut(said.body)].filter(Boolean).join("\n\n")}</pre>
  </div>`;

/** Both sides, and the request as a command; with JavaScript there is a button that copies it. */
const unfolded = ({ number, method, url }: LoggedRequest, { request, response }: Exchange): Html =>
  html`<details id="request-${number}">
    <summary>Request and response</summary>
    <div class="sides">${side("Request", request)} ${side("Response", response)}</div>
    <h3>As a command</h3>
    <pre id="command-${number}" tabindex="0">${commandOf(method, url, request)}</pre>
    <button type="button" class="quiet" data-copies="command-${number}" hidden>Copy</button>
  </details>`;

const wayBack = ({ number }: LoggedRequest): Html =>
  form(undo, {
    given: { request: String(number) },
    label: "Back to before",
    name: `Back to before request ${number}`,
    look: "quiet",
  });

function row({ exchanges, history }: Stage, request: LoggedRequest): Html {
  const { number, time, method, url, status, refusal, fault } = request;
  const [path, query] = url.split(/(?=\?)/, 2);
  const exchange = exchanges.get(number);
  return html`<tr>
    <td>${chip(String(status), statusLook(status))} <small>${hourIn(time)}</small></td>
    <td class="url">
      <b>${method}</b> ${path}<span class="query">${query}</span
      ><small>${[fault, refusal].filter(Boolean).join(": ")}</small>
      ${exchange && unfolded(request, exchange)}
    </td>
    <td class="number">${history.requests.has(number) ? wayBack(request) : undefined}</td>
  </tr>`;
}

function show(stage: Stage): Html {
  const { requests: all } = stage;
  const last = all.slice(-requestsShown).toReversed();
  if (last.length === 0) return nothing("Nothing was asked yet.");
  const rows = last.map((request) => row(stage, request));
  return html`${table([head("Status"), head("Request"), head("Undo", "number")], rows)}${counted(last.length, all.length, "requests")}`;
}

export const requests: Panel = { id: "requests", title: "Requests", place: "main", show };
