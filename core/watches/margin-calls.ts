/** accounts.watchMargin: margin calls on forwards. */
import { json } from "../spec/declare";
import { accountOperations } from "../procedures/accounts";
import { z } from "zod";
import { textField } from "../values/response-fields";
import { readBalances } from "./balances";
import { watch } from "./watch";

const MarginDue = z
  .object({
    account_id: textField("Account in the currency of the margin call."),
    currency: textField("ISO 4217 code."),
    margin_call: textField("MarginCall balance, signed; negative if payable."),
    initial_margin: textField("InitialMargin balance, signed: deposits held."),
  })
  .meta({ id: "MarginDue", description: "An open margin call." });

export const watchMarginCalls = watch({
  name: "accounts.watchMargin",
  tool: "watch_margin_calls",
  title: "Watch margin calls",
  summary: "Reports margin calls on forwards: raised, changed or settled.",
  keywords: ["alert", "collateral", "top up", "Nachschuss", "Sicherheiten"],
  uses: [...accountOperations, "accounts.listBalances"],
  input: {},
  output: json(MarginDue, "The margin call."),
  defaultStart: "beginning",
  everyMs: 300_000,
  reportsGone: true,
  async read(context) {
    const { entries, gaps } = await readBalances(context, {}, ["MarginCall", "InitialMargin"]);
    const initial = new Map(
      entries.filter(({ type }) => type === "InitialMargin").map((each) => [each.account_id, each.amount]),
    );
    const calls = entries.filter(({ type, amount }) => type === "MarginCall" && Number(amount) !== 0);
    return {
      entries: calls.map(({ account_id, currency, amount }) => ({
        account_id,
        currency,
        margin_call: amount,
        initial_margin: initial.get(account_id) ?? "0",
      })),
      gaps,
    };
  },
  identify: ({ account_id: account, currency }) => `${account} ${currency}`,
  state: ({ margin_call }) => ({ margin_call }),
});
