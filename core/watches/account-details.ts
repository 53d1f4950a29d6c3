/** accountDetails.watch: new, changed and removed account details. */
import type { z } from "zod";
import { AccountDetails } from "../contract/account-details";
import { json } from "../spec/declare";
import { watch } from "./watch";

type Numbers = { readonly account_number?: string | null | undefined } | null | undefined;

const numberOf = (numbers: Numbers): string | null => numbers?.account_number ?? null;

export const watchAccountDetails = watch({
  name: "accountDetails.watch",
  tool: "watch_account_details",
  title: "Watch account details",
  summary:
    "Reports new, changed and removed account details, such as the confirmation of a requested account.",
  keywords: ["alert", "IBAN", "Kontoverbindung", "Bankverbindung"],
  uses: ["accountDetails.list"],
  input: {},
  output: json(AccountDetails, "Account details."),
  defaultStart: "now",
  everyMs: 300_000,
  reportsGone: true,
  async read({ client }) {
    const entries: z.output<typeof AccountDetails>[] = [];
    for await (const details of client.accountDetails.list.all({ page_size: 200 })) entries.push(details);
    return { entries, gaps: [] };
  },
  identify: ({ account_details_id: id }) => id,
  state: ({ status, alias, primary, domestic, international }) => ({
    status,
    alias: alias ?? null,
    primary: primary ?? null,
    domestic: numberOf(domestic),
    international: numberOf(international),
  }),
});
