/** statements.fetch: requests statement files, waits for them and delivers them. */
import { extname } from "node:path";
import { z } from "zod";
import { createStatementFile } from "../contract/statements";
import type { ReceivedFile } from "../call/received-file";
import { json } from "../spec/declare";
import { FxdeskError } from "../spec/errors";
import {
  type Account,
  accountFields,
  accountOperations,
  selectAccounts,
  findMissingAccounts,
} from "./accounts";
import { attempt, mapConcurrent, type Context, procedure } from "./procedure";
import { deliveredFileFields } from "../spec/procedure";
import { type Period, parsePeriod, PeriodText } from "./period";
import { deadlineAfter, isTransient, pollUntil, waitSeconds } from "./poll-until";
import { flagField, optionalTextField, periodField, textField } from "./result-fields";

const { format: Format } = createStatementFile.query;

const accountOfFile = {
  account_id: textField("The account."),
  currency: textField("ISO 4217 code; empty if the account does not exist."),
};

const FetchedStatements = z
  .object({
    period: periodField("First and last day, UTC."),
    files: z
      .array(
        z.object({
          ...accountOfFile,
          ...deliveredFileFields,
        }),
      )
      .describe("One statement file per account."),
    failed: z
      .array(
        z.object({
          ...accountOfFile,
          statement_id: optionalTextField(
            "ID of a file that is still being generated; fetch it later with statements.getFile.",
          ),
          reason: textField("Reason why there is no file."),
        }),
      )
      .describe("Accounts without a file; empty if complete."),
    complete: flagField("True if there is a file for every account."),
  })
  .meta({ id: "FetchedStatements", description: "Statement files of the accounts." });

type Result = z.infer<typeof FetchedStatements>;
type Format = z.infer<typeof Format>;

/** The file of an account. Without a result, the service is still generating it, or the last poll failed. */
interface FileRequest {
  readonly account: Account;
  readonly statementId?: string | undefined;
  readonly reason: string;
  readonly result?: Result["files"][number];
  readonly isFinal: boolean;
}

const notReadyReason = "The file is not ready yet.";

/** Requests the file of an account. */
async function requestFile(
  context: Context,
  account: Account,
  { from, to }: Period,
  format: Format,
  deadline: number,
): Promise<FileRequest> {
  const created = await attempt(context, () =>
    pollUntil(deadline, context.signal, () =>
      context.client.statements.createFile({
        account_id: account.account_id,
        format,
        from_value_datetime: `${from}T00:00`,
        to_value_datetime: `${to}T00:00`,
      }),
    ),
  );
  if (created instanceof FxdeskError) return { account, reason: created.message, isFinal: true };
  const statementId = /statements\/([^/?]+)/.exec(created?.url ?? "")?.[1];
  return statementId === undefined
    ? { account, reason: "The response contains no address of the file.", isFinal: true }
    : { account, statementId, reason: notReadyReason, isFinal: false };
}

/** Returns the account number, the account name or the ID. */
function accountLabelOf({ account_details: details, account_id: id }: Account): string {
  const named =
    details?.find(({ account_number: number }) => number) ?? details?.find(({ account_name: name }) => name);
  return named?.account_number || named?.account_name || id;
}

/** Uses the extension of the service's file name, because the file may have another type than the requested format. */
function fileNameOf(
  account: Account,
  { from, to }: Period,
  format: Format,
  { fileName = "" }: ReceivedFile,
): string {
  const own = extname(fileName);
  const extension = /^\.[a-z0-9]{1,8}$/i.test(own) ? own : `.${format}`;
  const label = accountLabelOf(account).replace(/[^\p{L}\p{N}]+/gu, "-");
  return `${account.currency}_${label}_${from}_${to}${extension}`;
}

/** Polls a file, and delivers it if it is ready. */
async function pollFile(
  context: Context,
  request: FileRequest,
  period: Period,
  format: Format,
): Promise<FileRequest> {
  const { account_id, currency } = request.account;
  const polled = await attempt(context, async () => {
    const response = await context.client.statements.getFile({
      account_id,
      statement_id: request.statementId!,
    });
    if (response.status === 202) return response.body.status === "Failed" ? "failed" : "pending";
    const { body: file } = response;
    const name = fileNameOf(request.account, period, format, file);
    const location = await context.deliver({ name, contentType: file.contentType, content: file.stream });
    return { account_id, currency, name, content_type: file.contentType, ...location };
  });
  if (polled === "pending") return { ...request, reason: notReadyReason };
  if (polled === "failed") return failed(request, "The service failed to generate the file.");
  if (!(polled instanceof FxdeskError)) return { ...request, result: polled, isFinal: true };
  return isTransient(polled) ? { ...request, reason: polled.message } : failed(request, polled.message);
}

const failed = ({ account }: FileRequest, reason: string): FileRequest => ({
  account,
  reason,
  isFinal: true,
});

export const fetchStatements = procedure({
  name: "statements.fetch",
  tool: "fetch_statements",
  title: "Fetch bank statements",
  summary:
    "Downloads statement files of all accounts for a period. To request one file without waiting, use statements.createFile.",
  icon: "font-awesome/fa-cloud-download",
  keywords: [
    "bank statement",
    "MT940",
    "PDF",
    "Excel",
    "month end",
    "Kontoauszug",
    "Kontoauszüge",
    "herunterladen",
    "Monatsende",
  ],
  effect: "read",
  effectReason: "Requesting a statement file has no lasting effect.",
  uses: [...accountOperations, "statements.createFile", "statements.getFile"],
  deliversFiles: true,
  input: {
    ...accountFields,
    period: PeriodText.default("last month"),
    format: Format,
    wait_seconds: waitSeconds,
  },
  output: json(FetchedStatements, "The files, and the accounts without one."),
  async run(context, { accounts, currencies, period: periodText, format, wait_seconds: seconds }) {
    const deadline = deadlineAfter(seconds);
    const period = parsePeriod(periodText)!;
    const found = await selectAccounts(context.client, { accounts, currencies });
    const total = found.length;
    context.progress({ done: 0, total, message: "Requesting the files" });

    const requests = await mapConcurrent(context, found, (account) =>
      requestFile(context, account, period, format, deadline),
    );
    await pollUntil(deadline, context.signal, async () => {
      const pending = [...requests.entries()].filter(([, { isFinal }]) => !isFinal);
      await mapConcurrent(context, pending, async ([index, request]) => {
        requests[index] = await pollFile(context, request, period, format);
        const done = requests.filter(({ isFinal }) => isFinal).length;
        if (requests[index].isFinal) context.progress({ done, total, message: "Statement files" });
      });
      return requests.every(({ isFinal }) => isFinal) || undefined;
    });
    const files = requests.flatMap(({ result }) => result ?? []);
    const missing = findMissingAccounts({ accounts, currencies }, found);
    const failures = [
      ...requests
        .filter(({ result }) => !result)
        .map(({ account: { account_id, currency }, statementId, reason }) => ({
          account_id,
          currency,
          ...(statementId !== undefined && { statement_id: statementId }),
          reason,
        })),
      ...missing.map(({ account_id, reason }) => ({ account_id, currency: "", reason })),
    ];
    return { period, files, failed: failures, complete: failures.length === 0 };
  },
});
