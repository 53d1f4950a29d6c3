/** Panel of the trades, with the amounts still to be paid in. */
import { Big } from "big.js";
import type { SandboxSession } from "../session/sandbox-session";
import type { Money } from "../world/money/currencies";
import { outstandingFunds, statusOf, type Trade } from "../world/model/trade";
import { type Html, html } from "../pages/html";
import {
  statusChip,
  shownCount,
  headCell,
  moneyText,
  emptyState,
  type Panel,
  smallText,
  scrollableTable,
  homeTrades,
} from "./panel";

const maxTradesShown = 15;
const endedClasses: Readonly<Record<string, string>> = { Closed: "calm", Cancelled: "bad" };

const zero = new Big(0);

const isFinished = ({ ended, settled }: Trade) => ended !== undefined || settled;

/** Returns the amount to pay in by maturity. A trade without delivery requires only its loss, once that is known. */
function amountToFund(trade: Trade): Money {
  const { type, sell, fee, owedFee, difference } = trade;
  if (isFinished(trade)) return { ...fee, amount: owedFee };
  if (type !== "ndf") return { ...sell, amount: outstandingFunds(trade) };
  return difference ? { ...difference, amount: difference.amount.neg() } : { ...sell, amount: zero };
}

/** Describes the unpaid deposit of a forward. */
function depositDue(trade: Trade): string | undefined {
  const { initialMargin, deposited, sell } = trade;
  if (!initialMargin || deposited || isFinished(trade)) return undefined;
  const { amount, dueDate } = initialMargin;
  return `deposit ${moneyText({ ...sell, amount })} by ${dueDate}`;
}

function fundingCell(trade: Trade): Html {
  const due = amountToFund(trade);
  if (due.amount.lte(0)) return html`<td class="number zero">nothing ${smallText(depositDue(trade))}</td>`;
  return html`<td class="number">
    ${moneyText(due)} ${smallText(`by ${trade.maturityDate}`)}${smallText(depositDue(trade))}
  </td>`;
}

function tradeRow(trade: Trade): Html {
  const { tradeId, type, buy, sell, rate, maturityDate } = trade;
  const status = statusOf(trade);
  return html`<tr>
    <th scope="row">
      ${tradeId} <small>${type.replace("_", " ")}, <time>${maturityDate}</time></small>
    </th>
    <td>${statusChip(status, endedClasses[status] ?? "busy")}</td>
    ${fundingCell(trade)}
    <td class="number">${moneyText(buy)} <small>for ${moneyText(sell)}</small></td>
    <td class="number minor">${rate.rate.toString()}</td>
  </tr>`;
}

const byMaturity = (one: Trade, other: Trade) => one.maturityDate.localeCompare(other.maturityDate);

/** Sorts open trades by maturity, then ended trades in reverse. */
function sortForDisplay(trades: readonly Trade[]): Trade[] {
  const open = trades.filter(({ ended }) => ended === undefined);
  const ended = trades.filter((trade) => trade.ended !== undefined);
  return [...open.toSorted(byMaturity), ...ended.toSorted(byMaturity).toReversed()];
}

function renderTrades({ world }: SandboxSession): Html {
  const own = homeTrades(world);
  if (own.length === 0) return emptyState("No trades yet.");
  const shown = sortForDisplay(own).slice(0, maxTradesShown);
  const heads = [
    headCell("Trade"),
    headCell("Status"),
    headCell("To be funded", "number"),
    headCell("Bought", "number"),
    headCell("Rate", "number minor"),
  ];
  return html`${scrollableTable(heads, shown.map(tradeRow))}${shownCount(shown.length, own.length, "trades")}`;
}

export const tradesPanel: Panel = { id: "trades", title: "Trades", area: "main", show: renderTrades };
