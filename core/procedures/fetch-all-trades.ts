/** All trades of the client with a completeness check, and their open amounts. */
import { Big } from "big.js";
import { FxdeskError } from "../spec/errors";
import { Sums } from "./decimal";
import { attempt, type Context, type ContractClient } from "./procedure";
import { findRowProblem } from "./row-validation";

type BookedTrade = Awaited<ReturnType<ContractClient["trades"]["list"]>>[number];
type Filter = NonNullable<Parameters<ContractClient["trades"]["list"]>[0]>["trade_type"];

/** A trade with its amounts as decimals. */
export interface Trade extends Omit<BookedTrade, "buy_amount" | "sell_amount"> {
  readonly buy_amount: Big;
  readonly sell_amount: Big;
}

interface FetchedTrades {
  readonly trades: readonly Trade[];
  /** Reasons why trades are or may be missing; empty if complete. */
  readonly gaps: readonly string[];
}

const pageSize = 200;

/** Returns a gap for each amount that lost digits as a number, because it differs from the service's. */
const precisionGaps = (
  trades: readonly BookedTrade[],
  violations: readonly { readonly field: string; readonly message: string }[],
): string[] =>
  violations.flatMap(({ field, message }) => {
    const [index, name] = field.split(".");
    const isAmount = name === "buy_amount" || name === "sell_amount";
    const trade = isAmount ? trades[Number(index)] : undefined;
    return trade ? [`Trade ${trade.trade_id}: ${name} ${message}.`] : [];
  });

/**
 * Reads all pages of trades, of all types or of the given ones. The contract has no total, so pages are read until
 * one is empty, which also detects short pages. Trades booked meanwhile shift others to later pages; duplicates are
 * dropped by ID. Throws if the first page cannot be read.
 */
export async function fetchAllTrades(context: Context, types?: NonNullable<Filter>): Promise<FetchedTrades> {
  const trades = new Map<string, BookedTrade>();
  const gaps: string[] = [];
  /** The first page shows the page size of the service; a shorter page can only be the last one. */
  let [fullPageSize, lastPageSize, expected] = [0, 0, 0];
  for (let page = 1; ; page += 1) {
    context.progress({ done: page - 1, message: `Trades, page ${page}` });
    const response = await attempt(context, () =>
      context.client.trades.list.response({
        page,
        page_size: pageSize,
        ...(types && { trade_type: types }),
      }),
    );
    if (response instanceof FxdeskError) {
      if (page === 1) throw response;
      gaps.push(`Page ${page} of the trades: ${response.message}`);
      break;
    }
    const { body, total, violations } = response;
    expected = Math.max(expected, total ?? 0);
    if (body.length === 0) break;
    if (lastPageSize < fullPageSize)
      gaps.push("A page of trades was shorter than the first one, but another page followed.");
    fullPageSize ||= body.length;
    lastPageSize = body.length;
    gaps.push(...precisionGaps(body, violations));
    const before = trades.size;
    for (const trade of body) {
      const problem = findRowProblem("Trade", trade);
      if (problem === undefined) trades.set(trade.trade_id, trade);
      else gaps.push(problem);
    }
    if (trades.size === before)
      gaps.push("The service returned a page of trades twice instead of the next one.");
    if (trades.size === before || (total !== undefined && trades.size >= total)) break;
  }
  if (trades.size < expected)
    gaps.push(`The service reports ${expected} trades but returned ${trades.size}.`);
  return {
    trades: [...trades.values()].map((trade) => ({
      ...trade,
      buy_amount: new Big(trade.buy_amount),
      sell_amount: new Big(trade.sell_amount),
    })),
    gaps,
  };
}

/** The amounts of a trade that are still to be exchanged on its maturity date. */
export interface OpenTrade {
  readonly trade: Trade;
  readonly buy: Big;
  readonly sell: Big;
}

const finalStatuses = new Set(["closed", "cancelled"]);
const fundedStatuses = new Set([
  "funds in full",
  "funds out partially allocated",
  "funds out full allocated",
]);

/** True if the sold amount was paid in full. */
export const isFullyFunded = ({ status }: Trade): boolean => fundedStatuses.has(status.toLowerCase());

/** Funded trades are exchanged at maturity. Later statuses are about payments from the bought amount. */
const isSettled = (trade: Trade, today: string): boolean =>
  finalStatuses.has(trade.status.toLowerCase()) || (isFullyFunded(trade) && trade.maturity_date < today);

interface OpenTrades {
  readonly open: readonly OpenTrade[];
  /** Inconsistencies: a drawdown without its forward, or drawdowns above the amount of the forward. */
  readonly gaps: readonly string[];
}

/**
 * Returns trades with open amounts. Drawdowns, unless cancelled, reduce the open amount of their forward and mature
 * on their own, so that nothing is counted twice.
 */
export function findOpenTrades(trades: readonly Trade[], today: string): OpenTrades {
  const known = new Set(trades.map(({ trade_id: id }) => id));
  const [drawnBuy, drawnSell] = [new Sums(), new Sums()];
  const gaps: string[] = [];
  for (const trade of trades) {
    const { parent_trade_id: parent } = trade;
    if (!parent || trade.status.toLowerCase() === "cancelled") continue;
    if (!known.has(parent) && !isSettled(trade, today))
      gaps.push(`Trade ${trade.trade_id} is a drawdown of ${parent}, which is not in the list of trades.`);
    drawnBuy.add(parent, trade.buy_amount);
    drawnSell.add(parent, trade.sell_amount);
  }
  const open = trades
    .filter((trade) => !isSettled(trade, today))
    .map((trade) => ({
      trade,
      buy: trade.buy_amount.minus(drawnBuy.of(trade.trade_id)),
      sell: trade.sell_amount.minus(drawnSell.of(trade.trade_id)),
    }));
  for (const { trade, buy, sell } of open)
    if (buy.lt(0) || sell.lt(0)) gaps.push(`The drawdowns of trade ${trade.trade_id} exceed its amount.`);
  return { open: open.filter(({ buy, sell }) => !buy.eq(0) || !sell.eq(0)), gaps };
}

/** False for NDFs, which settle only the difference in cash. */
export const isPhysicallyDelivered = ({ trade_type: type }: Pick<Trade, "trade_type">): boolean =>
  type !== "ndf";
