/** One call of each kind, and the response of a working service. */
import { updateAccountAlias } from "../../core/contract/account-details";
import { getStatementFile } from "../../core/contract/statements";
import { bookTrade, getTrade, listTrades } from "../../core/contract/trades";
import type { Declaration } from "../../core/operations";
import { type Fault, respond } from "../support/fault-server";
import type { Kind } from "./matrix";

export interface Call {
  readonly operation: Declaration;
  readonly input: Readonly<Record<string, unknown>>;
  /** Status of the documented success. */
  readonly status: number;
  readonly good: Fault;
  /** Response before the fault: the first page of a list. */
  readonly before: readonly Fault[];
}

const account = "11111111-2222-3333-4444-555555555555";
const firstPage = respond(200, '[{"trade_id":"t-1"}]');
const asFile = { "content-type": "application/pdf" };

export const calls: Readonly<Record<Kind, Call>> = {
  read: {
    operation: getTrade,
    input: { trade_id: "t-1" },
    status: 200,
    good: respond(200, '{"trade_id":"t-1"}'),
    before: [],
  },
  page: { operation: listTrades, input: {}, status: 200, good: respond(200, "[]"), before: [firstPage] },
  file: {
    operation: getStatementFile,
    input: { account_id: account, statement_id: account },
    status: 200,
    good: respond(200, "%PDF", asFile),
    before: [],
  },
  change: {
    operation: updateAccountAlias,
    input: { account_details_id: account, alias: "Collections" },
    status: 200,
    good: respond(200, '{"account_details_id":"d-1"}'),
    before: [],
  },
  money: {
    operation: bookTrade,
    input: { quote_id: "q-1", reason: "other" },
    status: 201,
    good: respond(201, '{"trade_id":"t-1"}'),
    before: [],
  },
};
