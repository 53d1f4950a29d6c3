/** Money that comes in. */
import { fits, largest, mostHeld, mostOf } from "../../world/money/currencies";
import { receive } from "../../world/trades/incoming";
import { available } from "../../world/ledger/movements";
import type { World } from "../../world/world";
import { DomainError, unfit } from "../../world/domain-error";
import type { incomingControls } from "../controls/incoming";
import { type ActionsOf, missing } from "./parts";
import { Big } from "big.js";

/** The account with an id, else the demo company's in a currency. */
function accountFor({ accounts, home }: World, accountId: string | undefined, currency: string | undefined) {
  const found = [...accounts.values()].find((account) =>
    accountId === undefined
      ? account.clientId === home.clientId && account.currency === currency
      : account.accountId === accountId.toLowerCase(),
  );
  if (!found) throw missing("account", String(accountId ?? currency));
  return found;
}

export const incomingActions: ActionsOf<typeof incomingControls> = {
  payIn: ({ world }, { account_id, currency, amount, reference, debtor_name: name }) => {
    const account = accountFor(world, account_id, currency);
    const paid = new Big(amount);
    if (paid.lte(0)) throw unfit("amount must be more than zero");
    if (!fits(paid, account.currency)) throw unfit(`amount has too many decimals for ${account.currency}`);
    if (paid.gt(largest(account.currency))) throw unfit(`amount must be at most ${mostOf(account.currency)}`);
    if (available(world, account).plus(paid).gt(mostHeld(account.currency)))
      throw new DomainError(
        "account-full",
        `An account holds at most ${mostHeld(account.currency).toFixed()}.`,
      );
    const information = `Payment of ${reference}`;
    const { lineId } = receive(world, account, paid, { reference, information, counterparty: { name } });
    return { account_id: account.accountId, transaction_id: lineId };
  },
};
