/** Trades, and what of them is still to be paid in. */
import { Big } from "big.js";
import type { Stage } from "../../stage";
import type { Money } from "../../world/money/currencies";
import { outstanding, statusOf, type Trade } from "../../world/trades/trades";
import { type Html, html } from "../html";
import { chip, counted, head, moneyOf, nothing, type Panel, small, table, tradesOf } from "./parts";

const tradesShown = 15;
const endedLooks: Readonly<Record<string, string>> = { Closed: "calm", Cancelled: "bad" };

const zero = new Big(0);

const isOver = ({ ended, settled }: Trade) => ended !== undefined || settled;

/** What is to be paid in until maturity; a trade without delivery asks for its loss alone, once that is known. */
function toBeFunded(trade: Trade): Money {
  const { type, sell, fee, owedFee, difference } = trade;
  if (isOver(trade)) return { ...fee, amount: owedFee };
  if (type !== "ndf") return { ...sell, amount: outstanding(trade) };
  return difference ? { ...difference, amount: difference.amount.neg() } : { ...sell, amount: zero };
}

/** The deposit of a forward, while it is not paid. */
function depositDue(trade: Trade): string | undefined {
  const { initialMargin, deposited, sell } = trade;
  if (!initialMargin || deposited || isOver(trade)) return undefined;
  const { amount, dueDate } = initialMargin;
  return `deposit ${moneyOf({ ...sell, amount })} by ${dueDate}`;
}

function funding(trade: Trade): Html {
  const due = toBeFunded(trade);
  if (due.amount.lte(0)) return html`<td class="number zero">nothing ${small(depositDue(trade))}</td>`;
  return html`<td class="number">
    ${moneyOf(due)} ${small(`by ${trade.maturityDate}`)}${small(depositDue(trade))}
  </td>`;
}

function row(trade: Trade): Html {
  const { tradeId, type, buy, sell, rate, maturityDate } = trade;
  const status = statusOf(trade);
  return html`<tr>
    <th scope="row">
      ${tradeId} <small>${type.replace("_", " ")}, <time>${maturityDate}</time></small>
    </th>
    <td>${chip(status, endedLooks[status] ?? "busy")}</td>
    ${funding(trade)}
    <td class="number">${moneyOf(buy)} <small>for ${moneyOf(sell)}</small></td>
    <td class="number minor">${rate.rate.toString()}</td>
  </tr>`;
}

const byMaturity = (one: Trade, other: Trade) => one.maturityDate.localeCompare(other.maturityDate);

/** What is open, the next to mature first; then what has ended, the last first. */
function inOrder(trades: readonly Trade[]): Trade[] {
  const open = trades.filter(({ ended }) => ended === undefined);
  const ended = trades.filter((trade) => trade.ended !== undefined);
  return [...open.toSorted(byMaturity), ...ended.toSorted(byMaturity).toReversed()];
}

function show({ world }: Stage): Html {
  const own = tradesOf(world);
  if (own.length === 0) return nothing("Nothing was traded yet.");
  const shown = inOrder(own).slice(0, tradesShown);
  const heads = [
    head("Trade"),
    head("Status"),
    head("To be funded", "number"),
    head("Bought", "number"),
    head("Rate", "number minor"),
  ];
  return html`${table(heads, shown.map(row))}${counted(shown.length, own.length, "trades")}`;
}

export const trades: Panel = { id: "trades", title: "Trades", place: "main", show };
