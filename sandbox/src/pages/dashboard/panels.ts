/** What the page shows, panel by panel. */
import type { Declaration } from "@fxdesk/toolkit/operations";
import type { Big } from "big.js";
import { actions } from "../../control/actions";
import {
  addFault,
  advanceClock,
  clearFaults,
  controls,
  decideApprovals,
  decideAuthorisation,
  decideStatement,
  moveRate,
  payIn,
  reset,
  setClock,
} from "../../control/controls";
import type { Stage } from "../../stage";
import type { Account } from "../../world/accounts";
import type { ApprovalsConfig } from "../../world/approvals";
import { type Money, written } from "../../world/currencies";
import { bucketOf, type Bucket } from "../../world/ledger";
import { demo } from "../../world/parties";
import { statusOf, type Trade } from "../../world/trades";
import type { World } from "../../world/world";
import { form } from "./form";
import { type Html, html } from "../html";

/** Part of the page with a heading. What is shown is read again while the page is open; the forms stay. */
export interface Panel {
  readonly id: string;
  readonly title: string;
  readonly place: "main" | "side";
  readonly show?: (stage: Stage) => Html;
  readonly forms?: readonly Html[];
  /** The controls that have a form here. */
  readonly controls?: readonly Declaration[];
}

const money = (amount: Big, currency: string) =>
  written(amount, currency).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",");

const nothing = (says: string) => html`<p class="none">${says}</p>`;

function table(heads: readonly Html[], rows: readonly Html[]): Html {
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          ${heads}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

const head = (name: string, look = "") => html`<th scope="col" class="${look}">${name}</th>`;

const chip = (text: string, look: string) => html`<span class="chip ${look}">${text}</span>`;

const minute = (time: string) => time.slice(0, 16).replace("T", " ");

interface BalanceColumn {
  readonly bucket: Bucket;
  readonly title: string;
  readonly look: string;
}

const balances: readonly BalanceColumn[] = [
  { bucket: "InterimAvailable", title: "Available", look: "number" },
  { bucket: "Incoming", title: "Incoming", look: "number" },
  { bucket: "RequiredFunds", title: "Required", look: "number" },
  { bucket: "InitialMargin", title: "Margin", look: "number minor" },
];

function accountRow({ ledger }: World, account: Account): Html {
  const cells = balances.map(({ bucket, look }) => {
    const balance = ledger.balance(bucketOf(account, bucket));
    return html`<td class="${look}${balance.eq(0) ? " zero" : ""}">${money(balance, account.currency)}</td>`;
  });
  return html`<tr>
    <th scope="row">${account.currency} <small>${account.accountNumber}</small></th>
    ${cells}
  </tr>`;
}

const accounts = ({ world }: Stage): Html =>
  table(
    [head("Account"), ...balances.map(({ title, look }) => head(title, look))],
    [...world.accounts.values()]
      .filter(({ clientId }) => clientId === demo.clientId)
      .map((account) => accountRow(world, account)),
  );

const tradesShown = 12;
const endedLooks: Readonly<Record<string, string>> = { Closed: "calm", Cancelled: "bad" };

const price = ({ amount, currency }: Money) => `${money(amount, currency)} ${currency}`;

const tradeRow = (trade: Trade): Html => {
  const { tradeId, type, buy, sell, rate, maturityDate } = trade;
  const status = statusOf(trade);
  return html`<tr>
    <th scope="row">
      ${tradeId} <small>${type.replace("_", " ")}, <time>${maturityDate}</time></small>
    </th>
    <td>${chip(status, endedLooks[status] ?? "busy")}</td>
    <td class="number">${price(buy)} <small>for ${price(sell)}</small></td>
    <td class="number minor">${rate.rate.toString()}</td>
  </tr>`;
};

function trades({ world }: Stage): Html {
  const own = [...world.trades.values()].filter(({ clientId }) => clientId === demo.clientId);
  return html`${table(
      [head("Trade"), head("Status"), head("Bought", "number"), head("Rate", "number minor")],
      own.toReversed().slice(0, tradesShown).map(tradeRow),
    )}
    <p class="more">${Math.min(tradesShown, own.length)} of ${own.length} trades</p>`;
}

const requestsShown = 20;
const statusLook = (status: number) => (status < 400 ? "good" : status < 500 ? "busy" : "bad");

function requests(stage: Stage): Html {
  const last = stage.requests.slice(-requestsShown).toReversed();
  if (last.length === 0) return nothing("Nothing was asked yet.");
  const rows = last.map(
    ({ method, url, status, refusal, fault }) =>
      html`<tr>
        <td>${chip(String(status), statusLook(status))}</td>
        <td class="url">
          <b>${method}</b> ${url}<small>${[fault, refusal].filter(Boolean).join(": ")}</small>
        </td>
      </tr>`,
  );
  return html`${table([head("Status"), head("Request")], rows)}
    <p class="more">${last.length} of ${stage.requests.length} requests</p>`;
}

function authorisations(stage: Stage): Html {
  const waiting = actions.listAuthorisations(stage, {});
  if (waiting.length === 0) return nothing("Nobody is asked for anything.");
  return html`${waiting.map(({ authorisation_id, title, terms }) => {
    const list = Object.entries(terms).map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    );
    const decide = (decision: string) => ({ given: { authorisation_id, decision } });
    return html`<article>
      <h3>${title}</h3>
      <dl>${list}</dl>
      <div class="row">
        ${form(decideAuthorisation, { ...decide("approve"), label: "Approve" })}
        ${form(decideAuthorisation, { ...decide("refuse"), label: "Refuse", look: "bad" })}
      </div>
    </article>`;
  })}`;
}

const inWords = (amount: number) => amount.toLocaleString("en-GB");

const bands = ({ rules }: ApprovalsConfig): Html =>
  html`<dl>
    ${rules.map(({ min_amount, max_amount, currency, combinations }) => {
      const until = max_amount === null ? "and more" : `to ${inWords(max_amount)}`;
      const ways = combinations.map((each) =>
        each.map((part) => `${part.approvals} × ${part.group}`).join(" + "),
      );
      return html`<dt>${inWords(min_amount)} ${until} ${currency}</dt>
        <dd>${ways.join(" or ")}</dd>`;
    })}
  </dl>`;

function approvals({ world }: Stage): Html {
  const { config, pending } = world.approvals.get(demo.clientId)!;
  if (!pending) return bands(config);
  return html`${bands(config)}
    <article>
      <h3>A change waits for a second administrator</h3>
      ${bands(pending.config)}
      <div class="row">
        ${form(decideApprovals, { given: { decision: "approve" }, label: "Approve" })}
        ${form(decideApprovals, { given: { decision: "reject" }, label: "Reject", look: "bad" })}
      </div>
    </article>`;
}

const market = (stage: Stage): Html =>
  html`<dl class="rates">
    ${actions.listRates(stage, {}).map(
      ({ symbol, rate }) =>
        html`<div>
          <dt>${symbol}</dt>
          <dd>${rate}</dd>
        </div>`,
    )}
  </dl>`;

const mailsShown = 10;

function outbox(stage: Stage): Html {
  const mails = actions.listMails(stage, {}).toReversed().slice(0, mailsShown);
  if (mails.length === 0) return nothing("No e-mail was sent.");
  return html`${mails.map(({ mail, subject, to, sent_at, attachments }) => {
    const files = attachments.map(
      ({ file_name }) =>
        html`<a href="/_sandbox/outbox/${mail}/attachments/${encodeURIComponent(file_name)}"
          >${file_name}</a
        > `,
    );
    return html`<article>
      <h3>${subject}</h3>
      <p><small>${minute(sent_at)} to ${to}</small></p>
      <p>${files}</p>
    </article>`;
  })}`;
}

const faultsShown = 10;

function faults(stage: Stage): Html {
  const waiting = actions.listFaults(stage, {});
  if (waiting.length === 0) return nothing("Nothing is in the way of calls.");
  const items = waiting
    .slice(0, faultsShown)
    .map(({ operation, kind, status }) => html`<li>${operation}: ${kind} ${status}</li>`);
  return html`<ul>
      ${items}
    </ul>
    <p class="more">${items.length} of ${waiting.length} calls to be spoiled</p>`;
}

const hour = 3_600;
const steps = { "+1 hour": hour, "+1 day": 24 * hour, "+1 week": 7 * 24 * hour };

const clock = ({ world }: Stage): Html =>
  html`<p class="clock">
    <time datetime="${world.now.toISOString()}">${world.now.toUTCString().replace("GMT", "UTC")}</time>
  </p>`;

const clockForms = Object.entries(steps).map(([label, seconds]) =>
  form(advanceClock, { given: { seconds: String(seconds) }, without: ["days"], label }),
);

const placed: readonly Panel[] = [
  {
    id: "accounts",
    title: "Accounts",
    place: "main",
    show: accounts,
    forms: [form(payIn, { without: ["account_id"] })],
    controls: [payIn],
  },
  { id: "trades", title: "Trades", place: "main", show: trades },
  { id: "requests", title: "Requests", place: "main", show: requests },
  {
    id: "faults",
    title: "Faults",
    place: "main",
    show: faults,
    forms: [form(addFault), form(clearFaults, { look: "quiet" }), form(decideStatement)],
    controls: [addFault, clearFaults, decideStatement],
  },
  {
    id: "clock",
    title: "Clock",
    place: "side",
    show: clock,
    forms: [html`<div class="row">${clockForms}</div>`, form(setClock)],
    controls: [advanceClock, setClock],
  },
  {
    id: "authorisations",
    title: "Authorisations",
    place: "side",
    show: authorisations,
    controls: [decideAuthorisation],
  },
  { id: "approvals", title: "Approvals", place: "side", show: approvals, controls: [decideApprovals] },
  {
    id: "market",
    title: "Market",
    place: "side",
    show: market,
    forms: [form(moveRate)],
    controls: [moveRate],
  },
  { id: "outbox", title: "Outbox", place: "side", show: outbox },
  {
    id: "reset",
    title: "Begin again",
    place: "side",
    forms: [html`<p>Everything that was done is lost.</p>`, form(reset, { look: "bad" })],
    controls: [reset],
  },
];

const home = new Set(placed.flatMap(({ controls: own = [] }) => own));
const others = controls.filter((control) => control.effect !== "read" && !home.has(control));

/** Every control that changes something has a form: what has no place of its own is listed here. */
const more: Panel = {
  id: "more",
  title: "More controls",
  place: "main",
  forms: others.map(
    (control) =>
      html`<details>
        <summary>${control.title}</summary>
        <p>${control.summary}</p>
        ${form(control)}
      </details>`,
  ),
};

export const panels: readonly Panel[] = others.length > 0 ? [...placed, more] : placed;
