/** Panels of the simulation: clock, market, requests, outbox, faults, saved state and reset. */
import { advanceClock, setClock, undo, reset, fork, load, save } from "../control/controls/simulation";
import type { SandboxSession } from "../session/sandbox-session";
import { nextBusinessDay, addDays, dayOf, timeAtHour } from "@fxdesk/toolkit/calendars";
import type { World } from "../world/model/world";
import { type Html, html } from "../pages/page";
import { controlForm, type Choice } from "./form";
import { homeAccounts, type Panel, table, statusChip, emptyState, foldedList } from "./panel";
import { Big } from "big.js";
import { listRates, moveRate } from "../control/controls/money";
import { toCurlCommand, type Exchange, type ExchangeBody } from "../session/exchange";
import type { LoggedRequest } from "../session/sandbox-state";
import {
  getAttachment,
  getMessage,
  listMails,
  addFault,
  clearFaults,
  listFaults,
} from "../control/controls/requests";
import { addStatementFault } from "../control/controls/decisions";

const hourSeconds = 3_600;
const clockSteps = { "+ 1 hour": hourSeconds, "+ 1 day": 24 * hourSeconds };

/** Start of a business day, as hour in UTC. */
const officeHour = 9;

/** Returns the start of the next day on which all of the company's currencies settle. */
function nextMorning(world: World): Date {
  const currencies = homeAccounts(world).map(({ currency }) => currency);
  return timeAtHour(nextBusinessDay(addDays(dayOf(world.now), 1), currencies), officeHour);
}

const renderClock = ({ world }: SandboxSession): Html =>
  html`<p class="clock">
    <time datetime="${world.now.toISOString()}">${world.now.toUTCString().replace("GMT", "UTC")}</time>
  </p>`;

const stepForms = Object.entries(clockSteps).map(([label, seconds]) =>
  controlForm(advanceClock, {
    fixedValues: { seconds: String(seconds) },
    omitted: ["days"],
    label,
    cssClass: "quiet",
  }),
);

const clockForms = ({ world }: SandboxSession): Html =>
  html`<div class="row">
      ${stepForms}${controlForm(setClock, {
        fixedValues: { now: nextMorning(world).toISOString() },
        label: "Next business day",
        cssClass: "quiet",
      })}
    </div>
    ${controlForm(setClock)}`;

export const clockPanel: Panel = {
  id: "clock",
  title: "Clock",
  area: "top",
  show: renderClock,
  forms: clockForms,
};

type Price = ReturnType<typeof listRates.act>[number];

/** Relative rate changes of the buttons. */
const rateSteps = [
  { by: "-0.01", label: "− 1 %", description: "down" },
  { by: "0.01", label: "+ 1 %", description: "up" },
];

const rateDecimals = 6;

const moveRateBy = (rate: number, by: string): string =>
  new Big(rate).times(new Big(1).plus(by)).round(rateDecimals).toFixed();

const rateRow = ({ symbol, rate }: Price): Html => {
  const buttons = rateSteps.map(({ by, label, description }) =>
    controlForm(moveRate, {
      fixedValues: { symbol, rate: moveRateBy(rate, by) },
      label,
      name: `${symbol} ${description} 1 %`,
      cssClass: "quiet",
    }),
  );
  return html`<tr>
    <th scope="row">${symbol}</th>
    <td class="number">${rate}</td>
    <td><div class="row end">${buttons}</div></td>
  </tr>`;
};

const ratesTable = (prices: readonly Price[]): Html =>
  table({ Pair: "", Rate: "number", Change: "number" }, prices.map(rateRow));

function renderMarket(session: SandboxSession): Html {
  const own = new Set(homeAccounts(session.world).map(({ currency }) => currency));
  const isOwn = ({ symbol }: Price) => own.has(symbol.slice(0, 3)) && own.has(symbol.slice(3));
  const all = listRates.act(session, {});
  return html`${ratesTable(all.filter(isOwn))}
    <details id="other-rates">
      <summary>Other currencies</summary>
      ${ratesTable(all.filter((price) => !isOwn(price)))}
    </details>`;
}

export const marketPanel: Panel = {
  id: "market",
  title: "Market",
  area: "side",
  show: renderMarket,
  forms: () => controlForm(moveRate),
};

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
  if (last.length === 0) return emptyState("requests");
  const rows = last.map((request) => requestRow(session, request));
  return html`${table({ Status: "", Request: "", Undo: "number" }, rows)}
    <p class="more">${last.length} of ${all.length} requests</p>`;
}

export const requestsPanel: Panel = { id: "requests", title: "Requests", area: "main", show: renderRequests };

const maxMailsShown = 10;

const formatMinute = (time: string) => time.slice(0, 16).replace("T", " ");

type Mail = ReturnType<typeof listMails.act>[number];

/** Fills in the path parameters of a control. */
const fillPath = (
  { path }: { readonly path: string },
  parameters: Readonly<Record<string, string | number>>,
) => path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(parameters[name]!));

const renderMail = ({ mail, subject, to, sent_at, attachments }: Mail): Html => {
  const files = attachments.map(
    ({ file_name }) =>
      html`<li><a href="${fillPath(getAttachment, { mail, file_name })}">${file_name}</a></li>`,
  );
  return html`<article>
    <h3>${subject}</h3>
    <p><small>${formatMinute(sent_at)} to ${to}</small></p>
    <ul>
      ${files}
      <li><a href="${fillPath(getMessage, { mail })}">E-mail ${mail} as .eml</a></li>
    </ul>
  </article>`;
};

function renderOutbox(session: SandboxSession): Html {
  const mails = listMails.act(session, {}).toReversed();
  return foldedList("e-mails", mails, maxMailsShown, (some) => html`${some.map(renderMail)}`);
}

export const outboxPanel: Panel = { id: "outbox", title: "Outbox", area: "side", show: renderOutbox };

type Fault = ReturnType<typeof listFaults.act>[number];

const describeFault = ({ operation, kind, status, milliseconds, retry_after: seconds }: Fault): string => {
  const details = [
    kind,
    status,
    milliseconds && `${milliseconds} ms`,
    seconds !== undefined && `retry after ${seconds} s`,
  ];
  return `${operation}: ${details.filter(Boolean).join(" ")}`;
};

function renderFaults(session: SandboxSession): Html {
  const pending = listFaults.act(session, {});
  if (pending.length === 0) return emptyState("pending faults");
  const callsByFault = new Map<string, number>();
  for (const text of pending.map(describeFault)) callsByFault.set(text, (callsByFault.get(text) ?? 0) + 1);
  return html`<ul>
      ${[...callsByFault].map(([text, calls]) => html`<li>${text}${calls > 1 ? ` × ${calls}` : ""}</li>`)}
    </ul>
    ${controlForm(clearFaults, { cssClass: "quiet" })}`;
}

const operationChoices = ({ faults: { supportedOperations } }: SandboxSession): Choice[] =>
  supportedOperations.map(({ name, title }) => [name, `${name}: ${title}`]);

export const faultsPanel: Panel = {
  id: "faults",
  title: "Faults",
  area: "main",
  show: renderFaults,
  forms: (session) =>
    html`${controlForm(addFault, { choices: { operation: operationChoices(session) } })}${controlForm(addStatementFault)}`,
};

const renderForks = ({ forkUrls }: SandboxSession): Html =>
  html`${forkUrls.map((address) => html`<p>Forked: <a href="${address}">${address}</a></p>`)}`;

export const savedStatePanel: Panel = {
  id: "saved-state",
  title: "Save and restore",
  area: "side",
  show: renderForks,
  forms: () =>
    html`<p>
        <a href="${save.path}" download>Save as a file</a> to restore this state later, here or in another
        sandbox.
      </p>
      ${controlForm(load, { file: "Saved file (replaces the current state)", cssClass: "bad" })}${controlForm(fork)}`,
};

export const resetPanel: Panel = {
  id: "reset",
  title: "Reset",
  area: "side",
  forms: () =>
    html`<p>All changes are lost.</p>
      ${controlForm(reset, { cssClass: "bad" })}`,
};
