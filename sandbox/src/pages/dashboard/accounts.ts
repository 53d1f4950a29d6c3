/** What the company has, owes and expects, account by account. */
import { payIn } from "../../control/controls";
import type { Stage } from "../../stage";
import type { Account } from "../../world/accounts/account";
import { type Bucket, bucketOf } from "../../world/ledger/ledger";
import type { World } from "../../world/world";
import { type Html, html } from "../html";
import { form } from "./form";
import { accountsOf, amountOf, chip, head, type Panel, table, tradesOf } from "./parts";

interface BalanceColumn {
  readonly bucket: Bucket;
  readonly title: string;
  readonly look: string;
}

const available: BalanceColumn = { bucket: "InterimAvailable", title: "Available", look: "number" };

const balances: readonly BalanceColumn[] = [
  { bucket: "RequiredFunds", title: "Required", look: "number" },
  { bucket: "Incoming", title: "Incoming", look: "number minor" },
  { bucket: "Outgoing", title: "Outgoing", look: "number minor" },
  { bucket: "InitialMargin", title: "Margin held", look: "number minor" },
];

const balanceOf = ({ ledger }: World, account: Account, bucket: Bucket) =>
  ledger.balance(bucketOf(account, bucket));

/** The first day on which margin that was called in a currency is due. */
const firstDue = (world: World, currency: string): string | undefined =>
  tradesOf(world)
    .filter(({ sell }) => sell.currency === currency)
    .flatMap(({ calls }) => calls.map(({ dueDate }) => dueDate))
    .toSorted()[0];

function marginCall(world: World, account: Account): Html {
  const { currency } = account;
  const called = balanceOf(world, account, "MarginCall");
  if (called.lte(0)) return html`<td class="number zero">none</td>`;
  const due = firstDue(world, currency);
  return html`<td class="number">
    ${chip(amountOf(called, currency), "bad")}${due && html`<small>due from <time>${due}</time></small>`}
  </td>`;
}

function cell(world: World, account: Account, { bucket, look }: BalanceColumn): Html {
  const balance = balanceOf(world, account, bucket);
  return html`<td class="${look}${balance.eq(0) ? " zero" : ""}">${amountOf(balance, account.currency)}</td>`;
}

const row = (world: World, account: Account): Html =>
  html`<tr>
    <th scope="row">${account.currency} <small>${account.listNumber}</small></th>
    ${cell(world, account, available)}${marginCall(world, account)}${balances.map((each) =>
      cell(world, account, each),
    )}
  </tr>`;

const show = ({ world }: Stage): Html =>
  table(
    [
      head("Account"),
      head(available.title, available.look),
      head("Margin call", "number"),
      ...balances.map(({ title, look }) => head(title, look)),
    ],
    accountsOf(world).map((account) => row(world, account)),
  );

export const accounts: Panel = {
  id: "accounts",
  title: "Accounts",
  place: "main",
  show,
  forms: ({ world }) => {
    const currency = accountsOf(world).map((account) => [account.currency, account.currency] as const);
    return form(payIn, { without: ["account_id"], choices: { currency } });
  },
};
