/** Control for incoming payments. */
import { json, operation } from "@fxdesk/toolkit/operations";
import { DecimalText } from "@fxdesk/toolkit/schema";
import { z } from "zod";
import { defineControl, controlDefaults, withDescription, toNotFoundError } from "./define-control";
import { findAccountIn } from "../../world/accounts/accounts";
import { fitsMinorUnits, maxAmount, maxBalance, maxAmountText } from "../../world/money/currencies";
import { receivePayment } from "../../world/trades/incoming-payments";
import { availableBalance } from "../../world/accounts/movements";
import type { World } from "../../world/model/world";
import { DomainError, toValidationError } from "../../world/common/domain-error";
import { Big } from "big.js";

/** Returns the account with an ID, or else the demo company's account in a currency. */
function findAccount(world: World, accountId: string | undefined, currency: string | undefined) {
  const found =
    accountId === undefined
      ? findAccountIn(world, world.home, currency!)
      : world.accounts.get(accountId.toLowerCase());
  if (!found) throw toNotFoundError("account", String(accountId ?? currency));
  return found;
}

export const payIn = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.payIn",
    tool: "sandbox_pay_in",
    title: "Pay in",
    summary: "Books an incoming payment to an account, given by ID or by currency.",
    method: "POST",
    path: "/_sandbox/pay-ins",
    body: z.object({
      account_id: z
        .string()
        .optional()
        .meta({ title: "Account ID", ...withDescription("Account to credit.") }),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, "must be three capital letters like EUR")
        .optional()
        .meta(withDescription("Instead of an account ID: currency of the demo company's account.", "EUR")),
      amount: DecimalText.meta(
        withDescription("Decimal amount with a point, for example 1234.50.", "1234.50"),
      ),
      reference: z
        .string()
        .max(35)
        .default("PAY-IN")
        .meta(withDescription("Payment reference. The ID or reference of a trade funds that trade.")),
      debtor_name: z.string().max(70).default("Unnamed payer").meta(withDescription("Name of the payer.")),
    }),
    rules: [
      {
        kind: "exactly-one",
        fields: ["account_id", "currency"],
        description: "Exactly one of account_id and currency must be given.",
      },
    ],
    responses: {
      200: json(z.object({ account_id: z.string(), transaction_id: z.string() }), "The booked transaction."),
    },
  }),
  ({ world }, { account_id, currency, amount, reference, debtor_name: name }) => {
    const account = findAccount(world, account_id, currency);
    const payment = new Big(amount);
    if (payment.lte(0)) throw toValidationError("amount must be more than zero");
    if (!fitsMinorUnits(payment, account.currency))
      throw toValidationError(`amount has too many decimals for ${account.currency}`);
    if (payment.gt(maxAmount(account.currency)))
      throw toValidationError(`amount must be at most ${maxAmountText(account.currency)}`);
    if (availableBalance(world, account).plus(payment).gt(maxBalance(account.currency)))
      throw new DomainError(
        "account-full",
        `An account holds at most ${maxBalance(account.currency).toFixed()}.`,
      );
    const information = `Payment of ${reference}`;
    const { lineId } = receivePayment(world, account, payment, {
      reference,
      information,
      counterparty: { name },
    });
    return { account_id: account.accountId, transaction_id: lineId };
  },
);

export const payInControls = [payIn] as const;
