/** Panel of the request log, with the exchanges and undo. */
import { undo } from "../control/controls";
import { toCurlCommand, type Exchange, type ExchangeBody } from "../session/exchange";
import type { SandboxSession } from "../session/sandbox-session";
import type { LoggedRequest } from "../session/sandbox-state";
import { type Html, html } from "../pages/html";
import { controlForm } from "./form";
import { statusChip, shownCount, headCell, emptyState, type Panel, scrollableTable } from "./panel";

const maxRequestsShown = 20;
const statusClass = (status: number) => (status < 400 ? "good" : status < 500 ? "busy" : "bad");

const timeOfDay = (time: string) => time.slice(11, 19);

/** Indents JSON. Returns other text unchanged. */
function prettyPrint(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

const headersText = ({ headers }: ExchangeBody): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

const exchangeSide = (title: string, content: ExchangeBody): Html =>
  html`<div>
    <h3>${title}</h3>
    <pre tabindex="0">${[headersText(content), prettyPrint(content.body)].filter(Boolean).join("\n\n")}</pre>
  </div>`;

/** Shows request and response, and a curl command. The copy button needs JavaScript. */
const exchangeDetails = ({ number, method, url }: LoggedRequest, { request, response }: Exchange): Html =>
  html`<details id="request-${number}">
    <summary>Request and response</summary>
    <div class="sides">${exchangeSide("Request", request)} ${exchangeSide("Response", response)}</div>
    <h3>As a command</h3>
    <pre id="command-${number}" tabindex="0">${toCurlCommand(method, url, request)}</pre>
    <button type="button" class="quiet" data-copies="command-${number}" hidden>Copy</button>
  </details>`;

const undoForm = ({ number }: LoggedRequest): Html =>
  controlForm(undo, {
    fixedValues: { request: String(number) },
    label: "Undo",
    name: `Undo request ${number} and later`,
    cssClass: "quiet",
  });

function requestRow({ exchanges, undoHistory }: SandboxSession, request: LoggedRequest): Html {
  const { number, time, method, url, status, refusal, fault } = request;
  const [path, query] = url.split(/(?=\?)/, 2);
  const exchange = exchanges.get(number);
  return html`<tr>
    <td>${statusChip(String(status), statusClass(status))} <small>${timeOfDay(time)}</small></td>
    <td class="url">
      <b>${method}</b> ${path}<span class="query">${query}</span
      ><small>${[fault, refusal].filter(Boolean).join(": ")}</small>
      ${exchange && exchangeDetails(request, exchange)}
    </td>
    <td class="number">${undoHistory.requests.has(number) ? undoForm(request) : undefined}</td>
  </tr>`;
}

function renderRequests(session: SandboxSession): Html {
  const { requests: all } = session;
  const last = all.slice(-maxRequestsShown).toReversed();
  if (last.length === 0) return emptyState("No requests yet.");
  const rows = last.map((request) => requestRow(session, request));
  return html`${scrollableTable([headCell("Status"), headCell("Request"), headCell("Undo", "number")], rows)}${shownCount(last.length, all.length, "requests")}`;
}

export const requestsPanel: Panel = { id: "requests", title: "Requests", area: "main", show: renderRequests };
