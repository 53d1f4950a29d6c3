/** Transactions of an account. Contract: endpoints 19 and 20. */
import { type Declaration, fieldsOf } from "@fxdesk/toolkit/operations";
import { unwrap } from "@fxdesk/toolkit/schema";
import type { BehavioursOf } from "../calls/behaviour";
import { extensibleEnumValues, toPageResponse } from "../calls/responses";
import { DomainError } from "../world/common/domain-error";
import type { Account } from "../world/model/account";
import type { TransactionType } from "../world/common/enumerations";
import { availableLines } from "../world/accounts/accounts";
import type { BookedLine, Counterparty } from "../world/ledger/ledger";
import { findAccount, toBalanceView, toUnsignedAmount } from "./accounts";

const partyFields = ({ name, accountNumber, bankIdentifier, bic, iban }: Counterparty) => ({
  account_name: name,
  account_number: accountNumber,
  bank_identifier: bankIdentifier,
  iban,
  swift: bic,
});

/** Returns the debtor of a credit or the creditor of a debit. */
function counterpartyFields({ amount, entry: { counterparty } }: BookedLine) {
  if (!counterparty) return {};
  return amount.lt(0)
    ? { creditor_name: counterparty.name, creditor_account: partyFields(counterparty) }
    : { debtor_name: counterparty.name, debtor_account: partyFields(counterparty) };
}

function toTransactionView(account: Account, line: BookedLine) {
  const { lineId, entry, amount, balance } = line;
  return {
    transaction_id: lineId,
    account_id: account.accountId,
    client_id: account.clientId,
    ...toUnsignedAmount(amount, account.currency),
    status: "Booked",
    transaction_type: entry.type,
    booking_datetime: entry.bookedAt.toISOString(),
    value_datetime: entry.valueAt.toISOString(),
    balance: toBalanceView(account, "InterimAvailable", balance, entry.bookedAt),
    transaction_reference: entry.reference,
    transaction_information: entry.information,
    additional_transaction_information: entry.additionalInformation ?? "",
    ...counterpartyFields(line),
  };
}

/** The contract leaves the enumeration open for future types; the sandbox books only the known ones. */
function parseTransactionType(operation: Declaration, text: string | undefined): TransactionType | undefined {
  const { schema } = fieldsOf(operation).find(({ name }) => name === "transaction_type")!;
  const types = extensibleEnumValues(unwrap(schema)) as TransactionType[];
  const type = types.find((each) => each === text);
  if (type === text) return type;
  throw new DomainError(
    "validation-error",
    "The request is invalid.",
    `transaction_type must be one of ${types.join(", ")}.`,
  );
}

/** Parses a bound of the period. The contract excludes both bounds. */
const parseBound = (minute: string | undefined, unbounded: number) =>
  minute ? Date.parse(`${minute}:00Z`) : unbounded;

export const transactions: BehavioursOf<"transactions"> = {
  "transactions.list": (call) => {
    const { operation, values, client, world } = call;
    const type = parseTransactionType(operation, values.transaction_type);
    const account = findAccount(world, client, values.account_id);
    const after = parseBound(values.from_value_datetime, -Infinity);
    const before = parseBound(values.to_value_datetime, Infinity);
    const { credit_debit_indicator: side } = values;
    const matches = ({ entry, amount }: BookedLine) =>
      entry.valueAt.getTime() > after &&
      entry.valueAt.getTime() < before &&
      (!side || (side === "debit") === amount.lt(0)) &&
      (type === undefined || type === entry.type);
    const found = availableLines(world, account).filter(matches).toReversed();
    return toPageResponse(call, found, (line) => toTransactionView(account, line));
  },

  "transactions.get": ({ values, client, world }) => {
    const account = findAccount(world, client, values.account_id);
    const requestedId = values.transaction_id.toLowerCase();
    const line = availableLines(world, account).find(({ lineId }) => lineId === requestedId);
    if (!line)
      throw new DomainError(
        "transaction-not-found",
        "The account has no such transaction.",
        values.transaction_id,
      );
    return { status: 200, body: toTransactionView(account, line) };
  },
};
