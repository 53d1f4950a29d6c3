/** Completions of accounts, currencies and trades, for arguments of prompts and of resource templates. */
import type { Completion } from "./protocol";
import type { JsonObject, ToolResult } from "./render/content";

/** The tool that lists the values, and the field of its entries. */
interface Source {
  readonly tool: string;
  readonly field: string;
}

const accounts: Source = { tool: "list_accounts", field: "account_id" };
const currencies: Source = { tool: "list_accounts", field: "currency" };
const trades: Source = { tool: "list_trades", field: "trade_id" };

const sources: Readonly<Record<string, Source>> = {
  accounts,
  account_id: accounts,
  currencies,
  currency: currencies,
  sell_currency: currencies,
  buy_currency: currencies,
  base_currency: currencies,
  trade_id: trades,
  parent_trade_id: trades,
};

/** Limit of the protocol. */
const maxValues = 100;
/** Hosts complete while a person types; the first completion also loads the client. */
const timeoutMs = 5_000;
const cacheMs = 30_000;
/** Shorter texts occur in most entries. */
const minSearchLength = 3;

/** Calls an offered tool; undefined if it is not offered. */
type CallTool = (tool: string, input: JsonObject, signal: AbortSignal) => Promise<ToolResult | undefined>;

/** True if the text occurs in a value of an entry, for example in the name of an account. */
const contains = (entry: JsonObject, text: string): boolean =>
  text.length >= minSearchLength && JSON.stringify(entry).toLowerCase().includes(text);

/** Lists entries by tool, shared by all completions of a server for a short time. */
export class Completions {
  readonly #call: CallTool;
  readonly #cache = new Map<
    string,
    { readonly at: number; readonly entries: Promise<readonly JsonObject[]> }
  >();

  constructor(call: CallTool) {
    this.#call = call;
  }

  /** Completes the last of the values that the text separates by commas. Returns no values if they cannot be read in time. */
  async complete(argument: string, text: string): Promise<Completion> {
    const source = Object.hasOwn(sources, argument) ? sources[argument] : undefined;
    const entries = source ? await this.#entriesOf(source.tool) : [];
    const start = text.slice(0, text.lastIndexOf(",") + 1);
    const typed = text.slice(start.length).trim().toLowerCase();
    const valueOf = (entry: JsonObject) => String(entry[source!.field] ?? "");
    const startsWith = entries.filter((entry) => valueOf(entry).toLowerCase().startsWith(typed));
    const found = entries.filter((entry) => contains(entry, typed));
    const values = [...new Set([...startsWith, ...found].map(valueOf))].filter(Boolean);
    return {
      values: values.slice(0, maxValues).map((value) => start + value),
      total: values.length,
      hasMore: values.length > maxValues,
    };
  }

  #entriesOf(tool: string): Promise<readonly JsonObject[]> {
    const cached = this.#cache.get(tool);
    if (cached && Date.now() - cached.at < cacheMs) return cached.entries;
    const entries = this.#read(tool);
    this.#cache.set(tool, { at: Date.now(), entries });
    return entries;
  }

  async #read(tool: string): Promise<readonly JsonObject[]> {
    const result = await this.#call(tool, {}, AbortSignal.timeout(timeoutMs));
    const { items } = result?.structuredContent ?? {};
    if (!Array.isArray(items)) this.#cache.delete(tool);
    return Array.isArray(items) ? (items as JsonObject[]) : [];
  }
}
