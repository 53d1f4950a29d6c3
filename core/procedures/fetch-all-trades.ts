/** The trades of the client, each once, whether they are all, and what of them is still open. */
import { Big } from "big.js";
import { FxdeskError } from "../errors";
import { isDay } from "../schema/values";
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
  /** Why trades are missing or may be; nothing where they are all there. */
  readonly gaps: readonly string[];
}

const pageSize = 200;

const sides = ["buy", "sell"] as const;

/** What cannot be counted of a trade, in words; undefined where all of it can. */
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

/** Amounts that a number cannot hold: what is shown of them is not what the service has. */
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

/** Reads page after page, and keeps what it has read when one of them fails. */
class TradePages {
  readonly trades = new Map<string, BookedTrade>();
  readonly gaps: string[] = [];
  #fullPageSize = 0;
  #lastPageSize = 0;
  #expected = 0;

  /** Takes a page; returns whether there is another one to ask for. */
  add(
    trades: readonly BookedTrade[],
    total: number | undefined,
    violations: readonly { readonly field: string; readonly message: string }[],
  ): boolean {
    this.#expected = Math.max(this.#expected, total ?? 0);
    if (trades.length === 0) return false;
    // The first page shows how many the service gives at once: one with less can only be the last.
    this.#fullPageSize ||= trades.length;
    if (this.#lastPageSize !== 0 && this.#lastPageSize < this.#fullPageSize)
      this.gaps.push("A page of trades came with less than the pages before it, and another one followed.");
    this.#lastPageSize = trades.length;
    this.gaps.push(...precisionGaps(trades, violations));
    const before = this.trades.size;
    for (const trade of trades) {
      const problem = findTradeProblem(trade);
      if (problem === undefined) this.trades.set(trade.trade_id, trade);
      else this.gaps.push(problem);
    }
    if (this.trades.size > before) return total === undefined || this.trades.size < total;
    this.gaps.push("The service gave a page of trades again instead of the next one.");
    return false;
  }

  finish(): FetchedTrades {
    const { size } = this.trades;
    if (size < this.#expected)
      this.gaps.push(`The service counts ${this.#expected} trades and gave ${size}.`);
    const trades = [...this.trades.values()].map((trade) => ({
      ...trade,
      buy_amount: new Big(trade.buy_amount),
      sell_amount: new Big(trade.sell_amount),
    }));
    return { trades, gaps: this.gaps };
  }
}

/**
 * All pages of the trades, of all types or those given. The contract gives no count of trades: pages are read until one is
 * empty, so that a page that came short is noticed. Trades that are booked meanwhile move others to a later page, where
 * they are seen again: each counts once. Throws when not even the first page can be read.
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

/** What of a trade is still to be exchanged, on its maturity date. */
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

/** Whether all of what a trade sells was paid in. */
export const isFullyFunded = ({ status }: Trade): boolean => fundedStatuses.has(status.toLowerCase());

/** What is paid for is exchanged when it matures; what follows are payments from what it bought. */
const isSettled = (trade: Trade, today: string): boolean =>
  finalStatuses.has(trade.status.toLowerCase()) || (isFullyFunded(trade) && trade.maturity_date < today);

export interface OpenTrades {
  readonly open: readonly OpenTrade[];
  /** What does not fit together: a drawdown without its forward, or more drawn than there was. */
  readonly gaps: readonly string[];
}

/**
 * The trades of which something is still to be exchanged. Drawdowns replace what they take of their forward, whatever
 * became of them since, unless they were cancelled; each matures by itself. Nothing counts twice.
 */
export function findOpenTrades(trades: readonly Trade[], today: string): OpenTrades {
  const known = new Map(trades.map((trade) => [trade.trade_id, trade]));
  const drawn = new Map<string, { buy: Big; sell: Big }>();
  const gaps: string[] = [];
  for (const trade of trades) {
    const { parent_trade_id: parent } = trade;
    if (!parent || isCancelled(trade)) continue;
    if (!known.has(parent) && !isSettled(trade, today))
      gaps.push(`Trade ${trade.trade_id} is drawn from ${parent}, which is not among the trades.`);
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
    if (buy.lt(0) || sell.lt(0)) gaps.push(`More is drawn from trade ${trade.trade_id} than it has.`);
  return { open: open.filter(({ buy, sell }) => !buy.eq(0) || !sell.eq(0)), gaps };
}

/** What is settled in cash delivers nothing but the difference. */
export const isPhysicallyDelivered = ({ trade_type: type }: Pick<Trade, "trade_type">): boolean =>
  type !== "ndf";
