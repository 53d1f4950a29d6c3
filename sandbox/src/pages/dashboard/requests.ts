/** What was asked of the sandbox. */
import type { Stage } from "../../stage";
import type { LoggedRequest } from "../../stage-state";
import { type Html, html } from "../html";
import { chip, counted, head, nothing, type Panel, table } from "./parts";

const requestsShown = 20;
const statusLook = (status: number) => (status < 400 ? "good" : status < 500 ? "busy" : "bad");

/** Of the day. */
const hourIn = (time: string) => time.slice(11, 19);

function row({ time, method, url, status, refusal, fault }: LoggedRequest): Html {
  const [path, query] = url.split(/(?=\?)/, 2);
  return html`<tr>
    <td>${chip(String(status), statusLook(status))} <small>${hourIn(time)}</small></td>
    <td class="url">
      <b>${method}</b> ${path}<span class="query">${query}</span
      ><small>${[fault, refusal].filter(Boolean).join(": ")}</small>
    </td>
  </tr>`;
}

function show({ requests: all }: Stage): Html {
  const last = all.slice(-requestsShown).toReversed();
  if (last.length === 0) return nothing("Nothing was asked yet.");
  return html`${table([head("Status"), head("Request")], last.map(row))}${counted(last.length, all.length, "requests")}`;
}

export const requests: Panel = { id: "requests", title: "Requests", place: "main", show };
