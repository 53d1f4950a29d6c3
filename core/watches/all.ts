/** The watches over the contract. */
import { watchAccountDetails } from "./account-details";
import { watchBalances } from "./balances";
import { watchCalendar } from "./calendar";
import { watchConsents } from "./consents";
import { watchMarginCalls } from "./margin-calls";
import { watchMaturities } from "./maturities";
import { watchPayments } from "./payments";
import { watchStatements } from "./statements";
import { watchTradePayments } from "./trade-payments";
import { watchTrades } from "./trades";
import { watchTransactions } from "./transactions";

export const watches = [
  watchTransactions,
  watchBalances,
  watchMarginCalls,
  watchTrades,
  watchTradePayments,
  watchMaturities,
  watchPayments,
  watchAccountDetails,
  watchConsents,
  watchStatements,
  watchCalendar,
] as const;
