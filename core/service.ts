/** What fxdesk offers by itself: the operations of the contract, the procedures over them, and the watches. */
import { contract } from "./contract/contract";
import type { operations } from "./contract/all";
import { defineService, type Service } from "./declaration/service";
import { procedures } from "./procedures/all";
import { orderTrade } from "./procedures/order-trade";
import { watches } from "./watches/all";

/** What a treasury team does every day: look, find, match, fetch a statement, fund, book, and hear what is new. */
const daily = [
  "cash.getPosition",
  "transactions.find",
  "transactions.summarize",
  "transactions.reconcile",
  "statements.fetch",
  "forwards.list",
  "exposure.get",
  "accounts.list",
  "accountDetails.list",
  "accounts.getFunding",
  "transactions.get",
  "trades.list",
  "trades.get",
  "trades.book",
  "transactions.watch",
  "accounts.watchBalances",
  "accounts.watchMargin",
  "trades.watch",
  "forwards.watch",
];

export const fxdeskService: Service<typeof operations, typeof procedures, typeof watches> = defineService({
  ...contract,
  procedures,
  quoteProcedures: [orderTrade],
  watches,
  daily,
  probe: "accounts.listCurrencyAccounts",
});
