/** The statement of an account as it is printed. */
import { type Balance, type Entry, signedAmount } from "@fxdesk/toolkit/formats";
import { Big } from "big.js";
import { bankIn, homeOf } from "../world/accounts/banks";
import { written } from "../world/money/currencies";
import type { AccountStatement } from "../world/statements/statement";
import { type Column, grouped, type Report, type Row } from "./report";

const columns: readonly Column[] = [
  { name: "booked", print: { title: "Date", width: 46 } },
  { name: "value", print: { title: "Value", width: 46 } },
  { name: "description", print: { title: "Description", width: 140 } },
  { name: "reference", print: { title: "Reference", width: 72 } },
  { name: "debit", print: { title: "Debit", width: 56, right: true } },
  { name: "credit", print: { title: "Credit", width: 56, right: true } },
  { name: "balance", print: { title: "Balance", width: 62, right: true } },
];

/** An IBAN in groups of four, as it is printed; other numbers as they are. */
const printed = (number: string) =>
  /^[A-Z]{2}\d{2}/.test(number) ? number.replace(/(.{4})(?=.)/g, "$1 ") : number;

const moneyIn = (balance: Balance, currency: string) =>
  grouped(written(new Big(signedAmount(balance)), currency));

const balanceRow = (title: string, balance: Balance, currency: string): Row => [
  balance.date,
  "",
  title,
  "",
  "",
  "",
  moneyIn(balance, currency),
];

/** The other side and what was said of the entry, each on lines of its own. */
const description = ({ counterparty = {}, remittance, additionalInformation }: Entry) =>
  [
    counterparty.name,
    remittance,
    counterparty.account && printed(counterparty.account),
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
      description(entry),
      endToEndId ?? customerReference ?? "",
      creditDebit === "Debit" ? grouped(amount) : "",
      creditDebit === "Credit" ? grouped(amount) : "",
      grouped(written(balance, currency)),
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
  const [debit, credit] = [totals.Debit, totals.Credit].map((total) => grouped(written(total, currency)));
  return ["", "", count === 1 ? "Total of 1 entry" : `Total of ${count} entries`, "", debit!, credit!, ""];
}

export function statementReport(statement: AccountStatement): Report {
  const { account, number, openingBalance, closingBalance, period, holder, writtenAt } = statement;
  const { currency, bic = "" } = account;
  const money = (balance: Balance) => `${moneyIn(balance, currency)} ${currency}`;
  return {
    bank: bankIn(homeOf(currency)),
    title: "Account statement",
    holder,
    facts: [
      ["Account", printed(account.number)],
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
