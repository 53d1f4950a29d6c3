/** The seeded sandbox that all tasks fork, and its books, read without fxdesk's procedures: expected answers follow from them. */
import { Big } from "big.js";
import { demoSettings, loadSandbox } from "../cli/sandbox/sandbox-package";
import type { ClientCore } from "../core/api/client-types";
import { optionsFromSettings } from "../core/call/settings";
import { createClient } from "../core/client/client";

/** The part of a sandbox that the tasks use. */
export interface DemoSandbox {
  readonly baseUrl: string;
  readonly demo: Readonly<Record<string, string>>;
  readonly extension: { readonly path: string; readonly effects: readonly string[] };
  readonly requests: readonly { number: number; method: string; url: string; status: number }[];
  readonly control: { payIn(input: object): unknown; addFault(input: object): unknown };
  fork(): Promise<DemoSandbox>;
  close(): Promise<void>;
}

export interface Entry {
  readonly date: string;
  readonly currency: string;
  /** Negative for money out. */
  readonly amount: Big;
  readonly reference: string;
  readonly text: string;
  readonly name: string;
  readonly iban: string | undefined;
}

export interface Trade {
  readonly trade_id: string;
  readonly trade_type: string;
  readonly buy_currency: string;
  readonly buy_amount: number;
  readonly sell_currency: string;
  readonly sell_amount: number;
  readonly parent_trade_id: string | null;
  readonly reference: string | null;
}

const [daysBehind, pageSize, dayMs] = [100, 50, 86_400_000];
export const currencies = ["EUR", "GBP", "USD", "JPY"];

/** Returns the day so many days before today, UTC. */
export const daysAgo = (days: number): string =>
  new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

const get = async (client: ClientCore, path: string, query: Record<string, string | number> = {}) =>
  (await client.request({ method: "GET", path, query: { client_id: "client-demo", ...query } }))
    .body as any[];

async function getAll(client: ClientCore, path: string): Promise<any[]> {
  const rows: any[] = [];
  for (let page = 1; rows.length === (page - 1) * pageSize; page += 1)
    rows.push(...(await get(client, path, { page, page_size: pageSize })));
  return rows;
}

export const readTrades = (client: ClientCore): Promise<Trade[]> => getAll(client, "/trades");

const toEntry = (row: any): Entry => ({
  date: row.value_datetime.slice(0, 10),
  currency: row.amount.currency,
  amount: new Big(row.amount.amount).times(row.credit_debit_indicator === "Debit" ? -1 : 1),
  reference: row.transaction_reference,
  text: row.transaction_information,
  name: row.creditor_name ?? row.debtor_name ?? "",
  iban: row.creditor_account?.iban,
});

interface Account {
  readonly available: string;
  readonly iban: string;
}

export class Books {
  constructor(
    readonly accounts: Readonly<Record<string, Account>>,
    readonly entries: readonly Entry[],
    readonly trades: readonly Trade[],
  ) {}

  /** Returns the entries of a currency since a day: money in, or with a negative sign out. */
  select(currency: string, sign: 1 | -1, from: string): Entry[] {
    return this.entries.filter(
      (entry) => entry.currency === currency && entry.amount.s === sign && entry.date >= from,
    );
  }

  /** Returns incoming payments whose invoice and amount occur once. */
  invoices(currency: string): Entry[] {
    const isUnique = ({ reference, amount }: Entry) =>
      this.entries.filter((each) => each.reference === reference || each.amount.eq(amount)).length === 1;
    return this.select(currency, 1, daysAgo(80)).filter(
      (entry) => entry.reference.startsWith("INV-") && isUnique(entry),
    );
  }

  /** Returns the suppliers in euros with the IBAN to which they were paid last. */
  suppliers(): { readonly payee: string; readonly iban: string }[] {
    const paid = this.select("EUR", -1, "").filter(({ iban }) => iban !== undefined);
    return [...new Map(paid.toReversed().map(({ name, iban }) => [name, iban!]))].map(([payee, iban]) => ({
      payee,
      iban,
    }));
  }

  /** Returns the window forward of the company, and what is left of it in its sell currency. */
  frame(): { readonly id: string; readonly left: string } {
    const { trade_id: id, sell_amount: amount } = this.trades.find(
      ({ reference, parent_trade_id: parent }) => reference === "FRAME-1" && parent === null,
    )!;
    const drawn = this.trades.filter(({ parent_trade_id: parent }) => parent === id);
    const left = drawn.reduce((rest, trade) => rest.minus(trade.sell_amount), new Big(amount));
    return { id, left: left.toFixed() };
  }
}

async function readBooks(sandbox: DemoSandbox): Promise<Books> {
  const client = createClient(optionsFromSettings(demoSettings(sandbox)));
  const accounts: Record<string, Account> = {};
  const rows: any[] = [];
  for (const account of await get(client, "/accounts", { currencies: currencies.join(",") })) {
    const path = `/accounts/${account.account_id}`;
    const balance = (await get(client, `${path}/balances`)).find(({ type }) => type === "InterimAvailable");
    const details = account.account_details.find((each: any) => each.account_number_type === "IBAN");
    accounts[account.currency] = { available: balance.amount.amount, iban: details?.account_number };
    rows.push(...(await getAll(client, `${path}/transactions`)));
  }
  const trades = await readTrades(client);
  await client.close();
  return new Books(accounts, rows.map(toEntry), trades);
}

export interface World {
  readonly sandbox: DemoSandbox;
  readonly books: Books;
}

export async function openWorld(seed: string): Promise<World> {
  const { startSandbox } = await loadSandbox();
  const sandbox = (await startSandbox({ seed, daysBehind })) as unknown as DemoSandbox;
  return { sandbox, books: await readBooks(sandbox) };
}
