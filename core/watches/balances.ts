/** accounts.watchBalances: balances that cross a threshold. */
import { Big } from "big.js";
import { z } from "zod";
import { balanceTypes } from "../contract/accounts";
import { json } from "../declaration/declare";
import { accountFields, accountOperations, accountsOf } from "../procedures/accounts";
import { checkBounds, decimalText, signed } from "../procedures/decimal";
import { countable } from "../procedures/odd-rows";
import type { Context } from "../procedures/procedure";
import { minorUnits } from "../schema/currency";
import { readEach } from "./read-each";
import { accountGaps } from "./transactions";
import { watch } from "./watch";

const BalanceSeen = z
  .object({
    account_id: z.string().meta({ description: "The account." }),
    type: z.string().meta({ description: "Balance type, such as InterimAvailable." }),
    currency: z.string().meta({ description: "ISO 4217 code." }),
    amount: z.string().meta({ description: "Signed decimal amount; negative for a debit balance." }),
  })
  .meta({ id: "BalanceSeen", description: "An account balance." });

/** Balances of accounts, signed, and why some are missing. */
export async function readBalances(
  context: Context,
  which: Parameters<typeof accountsOf>[1],
  types: readonly (typeof balanceTypes)[number][],
): Promise<{ entries: z.infer<typeof BalanceSeen>[]; gaps: string[] }> {
  const accounts = await accountsOf(context.client, which);
  const found = await readEach(
    context,
    accounts,
    ({ account_id: id }) => `Account ${id}`,
    async ({ account_id }) => {
      const balances = await context.client.accounts.listBalances({ account_id, balance_types: [...types] });
      return countable(balances).map(
        ({ type, amount: { amount, currency }, credit_debit_indicator: direction }) => ({
          account_id,
          type,
          currency,
          amount: decimalText(signed(amount, direction), minorUnits(currency)),
        }),
      );
    },
  );
  return { entries: found.entries, gaps: [...accountGaps(which, accounts), ...found.gaps] };
}

const decimal = (title: string, description: string) =>
  z
    .string()
    .regex(/^-?\d{1,15}(\.\d{1,6})?$/, "must be a decimal amount, such as 10000 or -250.50")
    .meta({ title, description });

/** On which side of the thresholds an amount is. The side that it was on reaches further, by the hysteresis. */
export function sideOf(
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
  const reach = (side: string) => (previous === side ? hysteresis : 0);
  if (below !== undefined && value.lt(new Big(below).plus(reach("below")))) return "below";
  if (above !== undefined && value.gt(new Big(above).minus(reach("above")))) return "above";
  return "between";
}

const name = "accounts.watchBalances";

export const watchBalances = watch({
  name,
  tool: "watch_balances",
  title: "Watch balances",
  summary: "Reports when an account balance crosses a threshold, and when it recovers.",
  notes: "Each account is compared by itself, in its currency.",
  keywords: ["alert", "low", "overdrawn", "Saldo", "Kontostand", "Schwelle", "Warnung"],
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
    below: decimal("Below", "Reports when the balance falls below this decimal amount.").optional(),
    above: decimal("Above", "Reports when the balance rises above this decimal amount.").optional(),
    hysteresis: decimal(
      "Hysteresis",
      "Amount by which the balance must pass the threshold again to count as recovered.",
    ).default("0"),
  },
  output: json(BalanceSeen, "The balance."),
  begins: "beginning",
  everyMs: 300_000,
  async read(context, { balance_type: type, below, above, ...which }) {
    checkBounds(name, ["below", below], ["above", above]);
    return readBalances(context, which, [type]);
  },
  identify: ({ account_id: account, type, currency }) => `${account} ${type} ${currency}`,
  state: ({ amount }, input, previous) => ({ side: sideOf(amount, input, previous?.["side"]) }),
  tellsWhenNew: ({ side }) => side !== "between",
});
