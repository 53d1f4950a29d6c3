/** Panel of the company's accounts and balances. */
import { payIn } from "../control/controls";
import type { SandboxSession } from "../session/sandbox-session";
import type { Account } from "../world/model/account";
import { type Bucket, balanceAccount } from "../world/ledger/ledger";
import type { World } from "../world/model/world";
import { type Html, html } from "../pages/html";
import { controlForm } from "./form";
import {
  homeAccounts,
  amountText,
  statusChip,
  headCell,
  type Panel,
  scrollableTable,
  homeTrades,
} from "./panel";

interface BalanceColumn {
  readonly bucket: Bucket;
  readonly title: string;
  readonly cssClass: string;
}

const availableColumn: BalanceColumn = { bucket: "InterimAvailable", title: "Available", cssClass: "number" };

const balanceColumns: readonly BalanceColumn[] = [
  { bucket: "RequiredFunds", title: "Required", cssClass: "number" },
  { bucket: "Incoming", title: "Incoming", cssClass: "number minor" },
  { bucket: "Outgoing", title: "Outgoing", cssClass: "number minor" },
  { bucket: "InitialMargin", title: "Margin held", cssClass: "number minor" },
];

const balanceOf = ({ ledger }: World, account: Account, bucket: Bucket) =>
  ledger.balance(balanceAccount(account, bucket));

/** Returns the earliest due date of the margin calls in a currency. */
const firstMarginDueDate = (world: World, currency: string): string | undefined =>
  homeTrades(world)
    .filter(({ sell }) => sell.currency === currency)
    .flatMap(({ calls }) => calls.map(({ dueDate }) => dueDate))
    .toSorted()[0];

function marginCallCell(world: World, account: Account): Html {
  const { currency } = account;
  const called = balanceOf(world, account, "MarginCall");
  if (called.lte(0)) return html`<td class="number zero">none</td>`;
  const due = firstMarginDueDate(world, currency);
  return html`<td class="number">
    ${statusChip(amountText(called, currency), "bad")}${due && html`<small>due from <time>${due}</time></small>`}
  </td>`;
}

function balanceCell(world: World, account: Account, { bucket, cssClass }: BalanceColumn): Html {
  const balance = balanceOf(world, account, bucket);
  return html`<td class="${cssClass}${balance.eq(0) ? " zero" : ""}">
    ${amountText(balance, account.currency)}
  </td>`;
}

const accountRow = (world: World, account: Account): Html =>
  html`<tr>
    <th scope="row">${account.currency} <small>${account.listNumber}</small></th>
    ${balanceCell(world, account, availableColumn)}${marginCallCell(world, account)}${balanceColumns.map(
      (each) => balanceCell(world, account, each),
    )}
  </tr>`;

const renderAccounts = ({ world }: SandboxSession): Html =>
  scrollableTable(
    [
      headCell("Account"),
      headCell(availableColumn.title, availableColumn.cssClass),
      headCell("Margin call", "number"),
      ...balanceColumns.map(({ title, cssClass }) => headCell(title, cssClass)),
    ],
    homeAccounts(world).map((account) => accountRow(world, account)),
  );

export const accountsPanel: Panel = {
  id: "accounts",
  title: "Accounts",
  area: "main",
  show: renderAccounts,
  forms: ({ world }) => {
    const currency = homeAccounts(world).map((account) => [account.currency, account.currency] as const);
    return controlForm(payIn, { omitted: ["account_id"], choices: { currency } });
  },
};
