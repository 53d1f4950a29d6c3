/** accounts.watchBalances: balances that cross a threshold, and their recovery. */
import { Big } from "big.js";
import { z } from "zod";
import { amountText } from "../values/amount-text";
import { textField } from "../values/response-fields";
import { balanceTypes } from "../contract/accounts";
import { formatAmount } from "../files/amount";
import { json } from "../spec/declare";
import { accountFields, accountOperations, selectAccounts } from "../procedures/accounts";
import { checkBounds, signedAmount } from "../procedures/decimal";
import { assertBalances } from "../procedures/row-validation";
import type { Context } from "../procedures/procedure";
import { selectWatched } from "./transactions";
import { readEach, watch } from "./watch";

const WatchedBalance = z
  .object({
    account_id: textField("The account."),
    type: textField("Balance type, such as InterimAvailable."),
    currency: textField("ISO 4217 code."),
    amount: textField("Signed decimal amount; negative for a debit balance."),
  })
  .meta({ id: "BalanceSeen", description: "An account balance." });

/** Reads signed balances of accounts, and the reasons why some are missing. */
export async function readBalances(
  context: Context,
  filter: Parameters<typeof selectAccounts>[1],
  types: readonly (typeof balanceTypes)[number][],
): Promise<{ entries: z.infer<typeof WatchedBalance>[]; gaps: string[] }> {
  const { accounts, gaps } = await selectWatched(context, filter);
  const balances = await readEach(
    context,
    accounts,
    ({ account_id: id }) => `Account ${id}`,
    async ({ account_id }) => {
      const listed = await context.client.accounts.listBalances({ account_id, balance_types: [...types] });
      return assertBalances(listed).map(
        ({ type, amount: { amount, currency }, credit_debit_indicator: direction }) => ({
          account_id,
          type,
          currency,
          amount: formatAmount(signedAmount(amount, direction), currency),
        }),
      );
    },
  );
  return { entries: balances.entries, gaps: [...gaps, ...balances.gaps] };
}

const decimalField = (title: string, description: string) =>
  amountText(/^-?\d{1,15}(\.\d{1,6})?$/, "must be a decimal amount, such as 10000 or -250.50").meta({
    title,
    description,
  });

/**
 * Returns the side of the thresholds. The hysteresis extends the previous side, so that small moves do not cross it.
 */
export function thresholdSideOf(
  amount: string,
  {
    below,
    above,
    hysteresis,
  }: {
    readonly below?: string | undefined;
    readonly above?: string | undefined;
    readonly hysteresis: string;
  },
  previous: unknown,
): "below" | "between" | "above" {
  const value = new Big(amount);
  const hysteresisFor = (side: string) => (previous === side ? hysteresis : 0);
  if (below !== undefined && value.lt(new Big(below).plus(hysteresisFor("below")))) return "below";
  if (above !== undefined && value.gt(new Big(above).minus(hysteresisFor("above")))) return "above";
  return "between";
}

const name = "accounts.watchBalances";

export const watchBalances = watch({
  name,
  tool: "watch_balances",
  title: "Watch balances",
  summary: "Reports when an account balance crosses a threshold, and when it recovers.",
  notes: "Each account is checked on its own.",
  keywords: [
    "alert",
    "low balance",
    "overdrawn",
    "Saldo",
    "Kontostand",
    "Mindestsaldo",
    "Schwelle",
    "Warnung",
  ],
  rules: [
    {
      kind: "at-least-one",
      fields: ["below", "above"],
      description: "At least one of below and above must be given.",
    },
  ],
  uses: [...accountOperations, "accounts.listBalances"],
  input: {
    ...accountFields,
    balance_type: z.enum(balanceTypes).default("InterimAvailable").meta({
      title: "Balance type",
      description: "Balance type, as in accounts.listBalances.",
      fromEarlier: true,
    }),
    below: decimalField("Below", "Lower threshold.").optional(),
    above: decimalField("Above", "Upper threshold.").optional(),
    hysteresis: decimalField("Hysteresis", "Distance that counts as recovered.").default("0"),
  },
  output: json(WatchedBalance, "The balance."),
  defaultStart: "beginning",
  everyMs: 300_000,
  async read(context, { balance_type: type, below, above, ...which }) {
    checkBounds(name, ["below", below], ["above", above]);
    return readBalances(context, which, [type]);
  },
  identify: ({ account_id: account, type, currency }) => `${account} ${type} ${currency}`,
  state: ({ amount }, input, previous) => ({ side: thresholdSideOf(amount, input, previous?.["side"]) }),
  reportsNew: ({ side }) => side !== "between",
});
