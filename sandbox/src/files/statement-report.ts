/** Account statements as printable reports. */
import { type Balance, type Entry, signedAmount } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";
import { bankIn, homeCountryOf } from "../world/banks/banks";
import { formatDecimalAmount } from "../world/money/currencies";
import type { AccountStatement } from "../world/model/statement";
import { type Column, groupDigits, type Report, type Row } from "./report";

const columns: readonly Column[] = [
  { name: "booked", print: { title: "Date", width: 46 } },
  { name: "value", print: { title: "Value", width: 46 } },
  { name: "description", print: { title: "Description", width: 140 } },
  { name: "reference", print: { title: "Reference", width: 72 } },
  { name: "debit", print: { title: "Debit", width: 56, right: true } },
  { name: "credit", print: { title: "Credit", width: 56, right: true } },
  { name: "balance", print: { title: "Balance", width: 62, right: true } },
];

/** Groups an IBAN in fours. Returns other numbers unchanged. */
const formatAccountNumber = (number: string) =>
  /^[A-Z]{2}\d{2}/.test(number) ? number.replace(/(.{4})(?=.)/g, "$1 ") : number;

const formatBalance = (balance: Balance, currency: string) =>
  groupDigits(formatDecimalAmount(new Big(signedAmount(balance)), currency));

const balanceRow = (title: string, balance: Balance, currency: string): Row => [
  balance.date,
  "",
  title,
  "",
  "",
  "",
  formatBalance(balance, currency),
];

/** Returns the counterparty and the remittance information, one per line. */
const describeEntry = ({ counterparty = {}, remittance, additionalInformation }: Entry) =>
  [
    counterparty.name,
    remittance,
    counterparty.account && formatAccountNumber(counterparty.account),
    additionalInformation,
  ]
    .filter(Boolean)
    .join("\n");

function* entryRows({ entries, openingBalance, account: { currency } }: AccountStatement): Generator<Row> {
  let balance = new Big(signedAmount(openingBalance));
  for (const entry of entries) {
    const { bookingDate, valueDate, amount, creditDebit, endToEndId, customerReference } = entry;
    balance = balance.plus(signedAmount(entry));
    yield [
      bookingDate,
      valueDate,
      describeEntry(entry),
      endToEndId ?? customerReference ?? "",
      creditDebit === "Debit" ? groupDigits(amount) : "",
      creditDebit === "Credit" ? groupDigits(amount) : "",
      groupDigits(formatDecimalAmount(balance, currency)),
    ];
  }
}

function totalsRow({ entries, account: { currency } }: AccountStatement): Row {
  const totals = { Debit: new Big(0), Credit: new Big(0) };
  let count = 0;
  for (const { amount, creditDebit } of entries) {
    totals[creditDebit] = totals[creditDebit].plus(amount);
    count += 1;
  }
  const [debit, credit] = [totals.Debit, totals.Credit].map((total) =>
    groupDigits(formatDecimalAmount(total, currency)),
  );
  return ["", "", count === 1 ? "Total of 1 entry" : `Total of ${count} entries`, "", debit!, credit!, ""];
}

export function toStatementReport(statement: AccountStatement): Report {
  const { account, number, openingBalance, closingBalance, period, holder, writtenAt } = statement;
  const { currency, bic = "" } = account;
  const money = (balance: Balance) => `${formatBalance(balance, currency)} ${currency}`;
  return {
    bank: bankIn(homeCountryOf(currency)),
    title: "Account statement",
    holder,
    facts: [
      ["Account", formatAccountNumber(account.number)],
      ["BIC", bic],
      ["Currency", currency],
      ["Period", `${period.from} to ${period.to}`],
      ["Statement no.", `${closingBalance.date.slice(0, 4)}/${number}`],
      ["Opening balance", money(openingBalance)],
      ["Closing balance", money(closingBalance)],
    ],
    columns,
    rows: entryRows(statement),
    above: [balanceRow("Opening balance", openingBalance, currency)],
    below: [totalsRow(statement), balanceRow("Closing balance", closingBalance, currency)],
    writtenAt,
  };
}
