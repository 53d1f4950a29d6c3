/** Money that comes in. */
import { json, operation } from "@fxdesk/toolkit/operations";
import { DecimalText } from "@fxdesk/toolkit/schema";
import { z } from "zod";
import { control, local, described, missing } from "./parts";
import { openAccountIn } from "../../world/accounts/accounts";
import { fits, largest, mostHeld, mostOf } from "../../world/money/currencies";
import { receive } from "../../world/trades/incoming";
import { available } from "../../world/ledger/movements";
import type { World } from "../../world/world";
import { DomainError, unfit } from "../../world/domain-error";
import { Big } from "big.js";

/** The account with an id, else the demo company's in a currency. */
function accountFor(world: World, accountId: string | undefined, currency: string | undefined) {
  const found =
    accountId === undefined
      ? openAccountIn(world, world.home, currency!)
      : world.accounts.get(accountId.toLowerCase());
  if (!found) throw missing("account", String(accountId ?? currency));
  return found;
}

export const payIn = control(
  operation({
    ...local,
    name: "sandbox.payIn",
    tool: "sandbox_pay_in",
    title: "Pay in",
    summary: "Lets money come in from outside, to an account or to the demo company's account in a currency.",
    method: "POST",
    path: "/_sandbox/pay-ins",
    body: z.object({
      account_id: z
        .string()
        .optional()
        .meta({ title: "Account ID", ...described("The account.") }),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, "must be three capital letters, such as EUR")
        .optional()
        .meta(described("Or the currency of the demo company's account.", "EUR")),
      amount: DecimalText.meta(described("Decimal amount with a dot, such as 1234.50.", "1234.50")),
      reference: z
        .string()
        .max(35)
        .default("PAY-IN")
        .meta(described("What it refers to: it pays for the trade with that ID or reference.")),
      debtor_name: z.string().max(70).default("Somebody").meta(described("Who pays.")),
    }),
    rules: [
      {
        kind: "exactly-one",
        fields: ["account_id", "currency"],
        description: "Exactly one of account_id and currency must be given.",
      },
    ],
    responses: {
      200: json(z.object({ account_id: z.string(), transaction_id: z.string() }), "What was booked."),
    },
  }),
  ({ world }, { account_id, currency, amount, reference, debtor_name: name }) => {
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
);

export const incomingControls = [payIn] as const;
