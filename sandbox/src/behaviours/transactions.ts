/** Transactions of an account. Contract: endpoints 19 and 20. */
import { type Declaration, fieldsOf } from "@fxdesk/toolkit/operations";
import { unwrap } from "@fxdesk/toolkit/schema";
import type { BehavioursOf } from "../behaviour";
import { knownValues } from "../example";
import { newestFirst, paged } from "../paging";
import { DomainError } from "../world/domain-error";
import type { Account } from "../world/accounts/account";
import type { TransactionType } from "../world/enumerations";
import { type BookedLine, bucketOf, type Counterparty } from "../world/ledger/ledger";
import type { World } from "../world/world";
import { accountOf, balanceData, signed } from "./accounts";

const party = ({ name, accountNumber, bankIdentifier, bic, iban }: Counterparty) => ({
  account_name: name,
  account_number: accountNumber,
  bank_identifier: bankIdentifier,
  iban,
  swift: bic,
});

/** Who paid a credit, or was paid by a debit. */
function otherSide({ amount, entry: { counterparty } }: BookedLine) {
  if (!counterparty) return {};
  return amount.lt(0)
    ? { creditor_name: counterparty.name, creditor_account: party(counterparty) }
    : { debtor_name: counterparty.name, debtor_account: party(counterparty) };
}

function transactionData(account: Account, line: BookedLine) {
  const { lineId, entry, amount, balance } = line;
  return {
    transaction_id: lineId,
    account_id: account.accountId,
    client_id: account.clientId,
    ...signed(amount, account.currency),
    status: "Booked",
    transaction_type: entry.type,
    booking_datetime: entry.bookedAt.toISOString(),
    value_datetime: entry.valueAt.toISOString(),
    balance: balanceData(account, "InterimAvailable", balance, entry.bookedAt),
    transaction_reference: entry.reference,
    transaction_information: entry.information,
    additional_transaction_information: entry.additionalInformation ?? "",
    ...otherSide(line),
  };
}

const transactionsOf = ({ ledger }: World, account: Account) =>
  ledger.lines(bucketOf(account, "InterimAvailable"));

/** A service of tomorrow may book more types, so the contract leaves them open; here there are no others. */
function knownType(operation: Declaration, asked: string | undefined): TransactionType | undefined {
  const { schema } = fieldsOf(operation).find(({ name }) => name === "transaction_type")!;
  const types = knownValues(unwrap(schema)) as TransactionType[];
  const type = types.find((each) => each === asked);
  if (type === asked) return type;
  throw new DomainError(
    "validation-error",
    "The request does not fit.",
    `transaction_type must be one of ${types.join(", ")}.`,
  );
}

/** Both bounds are excluded, as the contract says. */
const bound = (minute: string | undefined, otherwise: number) =>
  minute ? Date.parse(`${minute}:00Z`) : otherwise;

export const transactions: BehavioursOf<"transactions"> = {
  "transactions.list": (call) => {
    const { operation, values, client, world } = call;
    const type = knownType(operation, values.transaction_type);
    const account = accountOf(world, client, values.account_id);
    const after = bound(values.from_value_datetime, -Infinity);
    const before = bound(values.to_value_datetime, Infinity);
    const { credit_debit_indicator: side } = values;
    const all = transactionsOf(world, account);
    const matches = (line: BookedLine) =>
      line.valueTime > after &&
      line.valueTime < before &&
      (!side || (side === "debit") === line.isDebit) &&
      (type === undefined || type === line.type);
    const isFiltered =
      Number.isFinite(after) || Number.isFinite(before) || Boolean(side) || type !== undefined;
    return paged(call, newestFirst(isFiltered ? all.filter(matches) : all), (line) =>
      transactionData(account, line),
    );
  },

  "transactions.get": ({ values, client, world }) => {
    const account = accountOf(world, client, values.account_id);
    const wanted = values.transaction_id.toLowerCase();
    const line = transactionsOf(world, account).find(wanted);
    if (!line)
      throw new DomainError(
        "transaction-not-found",
        "The account has no such transaction.",
        values.transaction_id,
      );
    return { status: 200, body: transactionData(account, line) };
  },
};
