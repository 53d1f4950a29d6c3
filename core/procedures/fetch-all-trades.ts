/** All trades of the client with a completeness check, and their open amounts. */
import { Big } from "big.js";
import { FxdeskError } from "../spec/errors";
import { isDay } from "../values/values";
import type { Context, ContractClient } from "./procedure";

type BookedTrade = Awaited<ReturnType<ContractClient["trades"]["list"]>>[number];
type Filter = NonNullable<Parameters<ContractClient["trades"]["list"]>[0]>["trade_type"];

/** A trade with its amounts as decimals. */
export interface Trade extends Omit<BookedTrade, "buy_amount" | "sell_amount"> {
  readonly buy_amount: Big;
  readonly sell_amount: Big;
}

export interface FetchedTrades {
  readonly trades: readonly Trade[];
  /** Reasons why trades are or may be missing; empty if complete. */
  readonly gaps: readonly string[];
}

const pageSize = 200;

const sides = ["buy", "sell"] as const;

/** Returns the first problem that prevents counting a trade, or undefined. */
function findTradeProblem(trade: BookedTrade): string | undefined {
  const { trade_id: id, maturity_date: matures, status } = trade;
  if (typeof id !== "string" || id === "") return "A trade has no trade_id.";
  if (typeof matures !== "string" || !isDay(matures)) return `Trade ${id} has no maturity_date.`;
  if (typeof status !== "string") return `Trade ${id} has no status.`;
  for (const side of sides) {
    if (typeof trade[`${side}_amount`] !== "number") return `Trade ${id} has no ${side}_amount.`;
    if (!trade[`${side}_currency`]) return `Trade ${id} has no ${side}_currency.`;
  }
  return undefined;
}

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

/** Collects pages of trades and their gaps. */
class TradePages {
  readonly trades = new Map<string, BookedTrade>();
  readonly gaps: string[] = [];
  #fullPageSize = 0;
  #lastPageSize = 0;
  #expected = 0;

  /** Adds a page. Returns true if there may be another one. */
  add(
    trades: readonly BookedTrade[],
    total: number | undefined,
    violations: readonly { readonly field: string; readonly message: string }[],
  ): boolean {
    this.#expected = Math.max(this.#expected, total ?? 0);
    if (trades.length === 0) return false;
    // The first page shows the page size of the service; a shorter page can only be the last one.
    this.#fullPageSize ||= trades.length;
    if (this.#lastPageSize !== 0 && this.#lastPageSize < this.#fullPageSize)
      this.gaps.push("A page of trades was shorter than the first one, but another page followed.");
    this.#lastPageSize = trades.length;
    this.gaps.push(...precisionGaps(trades, violations));
    const before = this.trades.size;
    for (const trade of trades) {
      const problem = findTradeProblem(trade);
      if (problem === undefined) this.trades.set(trade.trade_id, trade);
      else this.gaps.push(problem);
    }
    if (this.trades.size > before) return total === undefined || this.trades.size < total;
    this.gaps.push("The service returned a page of trades twice instead of the next one.");
    return false;
  }

  finish(): FetchedTrades {
    const { size } = this.trades;
    if (size < this.#expected)
      this.gaps.push(`The service reports ${this.#expected} trades but returned ${size}.`);
    const trades = [...this.trades.values()].map((trade) => ({
      ...trade,
      buy_amount: new Big(trade.buy_amount),
      sell_amount: new Big(trade.sell_amount),
    }));
    return { trades, gaps: this.gaps };
  }
}

/**
 * Reads all pages of trades, of all types or of the given ones. The contract has no total, so pages are read until
 * one is empty, which also detects short pages. Trades booked meanwhile shift others to later pages; duplicates are
 * dropped by ID. Throws if the first page cannot be read.
 */
export async function fetchAllTrades(
  { client, signal, progress }: Context,
  types?: NonNullable<Filter>,
): Promise<FetchedTrades> {
  const pages = new TradePages();
  for (let page = 1; ; page += 1) {
    progress({ done: page - 1, message: `Trades, page ${page}` });
    try {
      const input = { page, page_size: pageSize, ...(types && { trade_type: types }) };
      const { body, total, violations } = await client.trades.list.response(input);
      if (!pages.add(body, total, violations)) return pages.finish();
    } catch (error) {
      if (!(error instanceof FxdeskError) || signal?.aborted || page === 1) throw error;
      pages.gaps.push(`Page ${page} of the trades: ${error.message}`);
      return pages.finish();
    }
  }
}

/** The amounts of a trade that are still to be exchanged on its maturity date. */
export interface OpenTrade {
  readonly trade: Trade;
  readonly buy: Big;
  readonly sell: Big;
}

const isCancelled = ({ status }: Trade): boolean => status.toLowerCase() === "cancelled";

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

export interface OpenTrades {
  readonly open: readonly OpenTrade[];
  /** Inconsistencies: a drawdown without its forward, or drawdowns above the amount of the forward. */
  readonly gaps: readonly string[];
}

/**
 * Returns trades with open amounts. Drawdowns, unless cancelled, reduce the open amount of their forward and mature
 * on their own, so that nothing is counted twice.
 */
export function findOpenTrades(trades: readonly Trade[], today: string): OpenTrades {
  const known = new Map(trades.map((trade) => [trade.trade_id, trade]));
  const drawn = new Map<string, { buy: Big; sell: Big }>();
  const gaps: string[] = [];
  for (const trade of trades) {
    const { parent_trade_id: parent } = trade;
    if (!parent || isCancelled(trade)) continue;
    if (!known.has(parent) && !isSettled(trade, today))
      gaps.push(`Trade ${trade.trade_id} is a drawdown of ${parent}, which is not in the list of trades.`);
    const before = drawn.get(parent) ?? { buy: new Big(0), sell: new Big(0) };
    drawn.set(parent, {
      buy: before.buy.plus(trade.buy_amount),
      sell: before.sell.plus(trade.sell_amount),
    });
  }
  const open = trades
    .filter((trade) => !isSettled(trade, today))
    .map((trade) => ({
      trade,
      buy: trade.buy_amount.minus(drawn.get(trade.trade_id)?.buy ?? 0),
      sell: trade.sell_amount.minus(drawn.get(trade.trade_id)?.sell ?? 0),
    }));
  for (const { trade, buy, sell } of open)
    if (buy.lt(0) || sell.lt(0)) gaps.push(`The drawdowns of trade ${trade.trade_id} exceed its amount.`);
  return { open: open.filter(({ buy, sell }) => !buy.eq(0) || !sell.eq(0)), gaps };
}

/** False for NDFs, which settle only the difference in cash. */
export const isPhysicallyDelivered = ({ trade_type: type }: Pick<Trade, "trade_type">): boolean =>
  type !== "ndf";
