/** The built-in service: operations of the contract, procedures and watches. */
import { contract } from "../contract/contract";
import type { operations } from "../contract/all";
import { defineService, type Service } from "../spec/service";
import { procedures } from "../procedures/all";
import { orderTrade } from "../procedures/order-trade";
import { watches } from "../watches/all";

/** Names of the everyday tools, in the order in which surfaces list them. */
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
  "trades.list",
  "trades.get",
  "trades.book",
  "journal.findOutcome",
  "releases.list",
  "transactions.watch",
  "accounts.watchBalances",
  "accounts.watchMargin",
  "trades.watch",
];

export const fxdeskService: Service<typeof operations, typeof procedures, typeof watches> = defineService({
  ...contract,
  procedures,
  quoteProcedures: [orderTrade],
  watches,
  daily,
  probe: "accounts.listCurrencyAccounts",
});
