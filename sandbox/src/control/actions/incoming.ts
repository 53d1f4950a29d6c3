/** Money that comes in. */
import { fits, largest, mostHeld, mostOf } from "../../world/currencies";
import { receive } from "../../world/incoming";
import { available } from "../../world/movements";
import { demo } from "../../world/parties";
import type { World } from "../../world/world";
import type { incomingControls } from "../controls/incoming";
import { type ActionsOf, conflict, missing, unfit } from "./parts";
import { Big } from "big.js";

/** The account with an id, else the demo company's in a currency. */
function accountFor({ accounts }: World, accountId: string | undefined, currency: string | undefined) {
  const found = [...accounts.values()].find((account) =>
    accountId === undefined
      ? account.clientId === demo.clientId && account.currency === currency
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
      throw conflict("account_full", `An account holds at most ${mostHeld(account.currency).toFixed()}.`);
    const information = `Payment of ${reference}`;
    const { lineId } = receive(world, account, paid, { reference, information, counterparty: { name } });
    return { account_id: account.accountId, transaction_id: lineId };
  },
};
