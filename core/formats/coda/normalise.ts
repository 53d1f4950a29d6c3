import { checkedIndicator, normalAmount, normalBalance, normalExchange } from "../amount";
import { ascii, compact, cut } from "../charset";
import {
  type Account,
  checkHead,
  counterpartyFrom,
  type Entry,
  given,
  type Statement,
  type StatementHead,
  type StatementTail,
} from "../statement";
import { codaCode } from "../transaction-codes";
import { carried } from "./communication";
import { inRecord } from "./values";

const text = (value: string | undefined, length: number) => cut(ascii(value ?? ""), length) || undefined;
/** A longer one is left out, because a part of a reference is a wrong reference. */
const reference = (value: string | undefined, length: number) => {
  const whole = ascii(value ?? "");
  return whole.length > length ? undefined : whole || undefined;
};
const identifier = (value: string | undefined, length: number) =>
  compact(ascii(value ?? "")).slice(0, length) || undefined;

/** CODA carries nothing of an exchange, but broken is broken in every format. */
function checkExchange(entry: Entry): void {
  const place = inRecord("2.1");
  normalExchange(entry, { exchangeRate: place, instructedAmount: place, charges: place });
}

/** An entry as CODA carries it; its details are entries of the same kind, without further details. */
export function normalEntry(entry: Entry, currency: string): Entry {
  const { counterparty = {}, details = [], reversal } = entry;
  const { name, ...stated } = carried(entry);
  const { account, bic } = counterparty;
  checkExchange(entry);
  const parts = details.map((detail) => normalEntry({ ...detail, details: [] }, currency));
  return given<Entry>({
    bookingDate: entry.bookingDate,
    valueDate: entry.valueDate,
    amount: normalAmount(entry.amount, currency, inRecord("2.1")),
    creditDebit: checkedIndicator(entry, inRecord("2.1")),
    reversal: reversal || undefined,
    transactionCode: codaCode(entry),
    bankReference: reference(entry.bankReference, 21),
    endToEndId: reference(entry.endToEndId ?? entry.customerReference, 35),
    counterparty: counterpartyFrom({
      name,
      account: identifier(account, 34),
      bic: identifier(bic, 11),
    }),
    ...stated,
    purpose: text(entry.purpose, 4),
    returnReason: text(entry.returnReason, 4),
    details: parts.length > 0 ? parts : undefined,
  });
}

export function normalHead(statement: StatementHead): StatementHead {
  const { number, openingBalance } = statement;
  const { currency, bic, holder } = statement.account;
  const account = given<Account>({
    number: identifier(statement.account.number, 34) ?? "",
    currency,
    bic: identifier(bic, 11),
    holder: text(holder, 26),
  });
  const place = inRecord("1");
  checkHead({ ...statement, account }, { account: place, currency: place, number: place });
  return given<StatementHead>({
    account,
    reference: reference(statement.reference, 16),
    number: number % 1000,
    openingBalance: normalBalance(openingBalance, currency, place),
  });
}

export const normalTail = ({ closingBalance, information }: StatementTail, currency: string): StatementTail =>
  given<StatementTail>({
    closingBalance: normalBalance(closingBalance, currency, inRecord("8")),
    information: ascii(information ?? "") || undefined,
  });

/**
 * A statement as CODA carries it: reading what was written gives exactly this.
 *
 * Texts are ASCII and cut to their fields; references longer than theirs are left out. The end-to-end id takes the place of the customer reference; mandates,
 * exchange, charges, additional information and other than booked balances are left out. A statement without entries has
 * no closing balance of its own.
 */
export function normaliseCoda(statement: Statement): Statement {
  const head = normalHead(statement);
  const { currency } = head.account;
  const entries = statement.entries.map((entry) => normalEntry(entry, currency));
  const tail = normalTail(statement, currency);
  return {
    ...head,
    ...tail,
    closingBalance: entries.length > 0 ? tail.closingBalance : head.openingBalance,
    entries,
  };
}
