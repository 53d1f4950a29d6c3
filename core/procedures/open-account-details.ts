/** accountDetails.open: requests a dedicated account and waits for its confirmation. */
import { z } from "zod";
import { AccountDetails, RequestAccount } from "../contract/account-details";
import { json } from "../spec/declare";
import { describeViolations, InvalidInput } from "../spec/errors";
import { id } from "../values/values";
import { type Context, procedure } from "./procedure";
import { deadlineAfter, pollUntil, waitSeconds } from "./poll-until";
import { flagField, optionalTextField, textField } from "./result-fields";

const name = "accountDetails.open";

type Details = z.infer<typeof AccountDetails>;

const OpenedAccountDetails = z
  .object({
    status: textField(
      "`confirmed`: the account can receive money; `failed`: the request failed; `pending`: not decided yet.",
    ),
    description: textField("Explanation of the state."),
    requested: flagField(
      "True if this call requested the account; false if it existed or was requested before.",
    ),
    account_details_id: optionalTextField("ID of the account details; pass it again to wait longer."),
    account_details: AccountDetails.optional().describe("The account details, once listed."),
  })
  .meta({ id: "OpenedAccountDetails", description: "Requested account details." });

interface AccountRequest {
  readonly country: string;
  readonly currency: string;
}

/** Returns all dedicated account details of the country and currency. */
async function listDedicatedDetails(
  { client }: Context,
  { country, currency }: AccountRequest,
): Promise<Details[]> {
  const all: Details[] = [];
  const filter = { account_details_type: "dedicated", country, currency } as const;
  for await (const details of client.accountDetails.list.all(filter)) all.push(details);
  return all;
}

const statusDescriptions: Readonly<Record<string, string>> = {
  pending: "The account was requested and the dealers have not confirmed it yet. Call again to wait longer.",
  confirmed: "The account is confirmed and can receive money.",
  failed: "The request for the account failed.",
};

const unknownDetailsError = (accountDetailsId: string) => {
  const violations = [
    {
      field: "account_details_id",
      message: `must be the ID of a dedicated account of this country and currency, not ${accountDetailsId}`,
    },
  ];
  return new InvalidInput(`${name}: ${describeViolations(violations)}`, {
    operation: name,
    code: "invalid_input",
    outcome: "rejected",
    violations,
  });
};

const isDecided = ({ status }: Details) => status !== "pending";

export const openAccountDetails = procedure({
  name,
  tool: "open_account",
  title: "Open account",
  summary:
    "Requests a dedicated account for a currency and country and waits for the result. For a virtual account, use accountDetails.assignVirtual.",
  notes: "Call again to wait longer: nothing is requested twice.",
  icon: "font-awesome/fa-plus-square-o",
  keywords: ["apply", "local account", "collections", "Konto eröffnen", "Konto beantragen"],
  effect: "change",
  uses: ["accountDetails.list", "accountDetails.request"],
  input: {
    country: RequestAccount.shape.country,
    currency: RequestAccount.shape.currency,
    alias: RequestAccount.shape.alias,
    account_details_id: id(
      "Account details ID",
      "ID of account details requested earlier, to wait longer.",
    ).optional(),
    wait_seconds: waitSeconds,
  },
  output: json(OpenedAccountDetails, "The account details, or the state of the request."),
  async run(context, { alias, account_details_id: given, wait_seconds: seconds, ...wanted }) {
    const { client, signal, progress } = context;
    const deadline = deadlineAfter(seconds);
    const existing = await listDedicatedDetails(context, wanted);
    const failedBefore = new Set(
      existing.filter(({ status }) => status === "failed").map(({ account_details_id: own }) => own),
    );
    const isRequested = ({ account_details_id: own }: Details) =>
      given === undefined ? !failedBefore.has(own) : own === given;
    let details = existing.find(isRequested);
    if (given !== undefined && !details) throw unknownDetailsError(given);
    const requested = given === undefined && details === undefined;
    if (requested) {
      progress({ done: 0, total: 2, message: "Requesting the account" });
      await client.accountDetails.request({ ...wanted, ...(alias !== undefined && { alias }) });
    }
    if (!details || !isDecided(details)) {
      progress({ done: 1, total: 2, message: "Waiting until the account is confirmed" });
      await pollUntil(deadline, signal, async () => {
        details = (await listDedicatedDetails(context, wanted)).find(isRequested);
        return details && isDecided(details) ? details : undefined;
      });
    }
    const status = details?.status ?? "pending";
    progress({ done: status === "pending" ? 1 : 2, total: 2, message: statusDescriptions[status] ?? status });
    return {
      status,
      description: statusDescriptions[status] ?? `Its status is ${status}.`,
      requested,
      ...(details && { account_details_id: details.account_details_id, account_details: details }),
    };
  },
});
