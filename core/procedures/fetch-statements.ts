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
import { mapConcurrent, type Context, procedure } from "./procedure";
import { deliveredFileFields } from "../spec/procedure";
import { type Period, parsePeriod, PeriodText } from "./period";
import { deadlineAfter, isTransient, pollUntil, waitSeconds } from "./poll-until";
import { flagField, optionalTextField, periodField, textField } from "./result-fields";

const { format: Format } = createStatementFile.query;

const accountOfFile = {
  account_id: textField("The account."),
  currency: textField("ISO 4217 code; empty if the account does not exist."),
};

export const FetchedStatements = z
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
type FileResult = Result["files"][number] | Result["failed"][number];
type Format = z.infer<typeof Format>;

/** A file that the service is generating. */
interface PendingFile {
  readonly account: Account;
  readonly statementId: string;
  /** Reason why it was not available at the last poll. */
  lastReason: string;
}

const toFailure = ({ account_id, currency }: Account, reason: string, statementId?: string) => ({
  account_id,
  currency,
  ...(statementId !== undefined && { statement_id: statementId }),
  reason,
});

/** Returns the reason why one file failed. Rethrows if the procedure was aborted. */
function failureReason(error: unknown, { signal }: Context): string {
  if (!(error instanceof FxdeskError) || signal?.aborted) throw error;
  return error.message;
}

const notReadyReason = "The file is not ready yet.";

/** Requests the file of an account. */
async function requestFile(
  context: Context,
  account: Account,
  { from, to }: Period,
  format: Format,
  deadline: number,
): Promise<PendingFile | Result["failed"][number]> {
  const { client, signal } = context;
  const { account_id } = account;
  try {
    const created = await pollUntil(deadline, signal, () =>
      client.statements.createFile({
        account_id,
        format,
        from_value_datetime: `${from}T00:00`,
        to_value_datetime: `${to}T00:00`,
      }),
    );
    const statementId = /statements\/([^/?]+)/.exec(created?.url ?? "")?.[1];
    return statementId === undefined
      ? toFailure(account, "The response contains no address of the file.")
      : { account, statementId, lastReason: notReadyReason };
  } catch (error) {
    return toFailure(account, failureReason(error, context));
  }
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

/** Polls a file. Returns its location, a failure, or undefined while it is being generated. */
async function pollFile(
  context: Context,
  pending: PendingFile,
  period: Period,
  format: Format,
): Promise<FileResult | undefined> {
  const { account, statementId } = pending;
  const { account_id, currency } = account;
  try {
    const response = await context.client.statements.getFile({ account_id, statement_id: statementId });
    if (response.status === 202) {
      const { status } = response.body;
      pending.lastReason = notReadyReason;
      return status === "Failed" ? toFailure(account, "The service failed to generate the file.") : undefined;
    }
    const { body: file } = response;
    const name = fileNameOf(account, period, format, file);
    const { contentType, stream } = file;
    const location = await context.deliver({ name, contentType, content: stream });
    return { account_id, currency, name, content_type: contentType, ...location };
  } catch (error) {
    pending.lastReason = failureReason(error, context);
    return isTransient(error) ? undefined : toFailure(account, pending.lastReason);
  }
}

export const fetchStatements = procedure({
  name: "statements.fetch",
  tool: "fetch_statements",
  title: "Fetch bank statements",
  summary: "Downloads the statement files of all accounts for a period as PDF, CSV, MT940 or XLS.",
  keywords: ["bank statement", "Excel", "Kontoauszug", "Kontoauszüge", "herunterladen"],
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
    const requested = await mapConcurrent(context, found, (account) =>
      requestFile(context, account, period, format, deadline),
    );
    const results = new Map<Account, FileResult>();
    let pendingFiles: PendingFile[] = [];
    for (const [index, each] of requested.entries()) {
      if ("account" in each) pendingFiles.push(each);
      else results.set(found[index]!, each);
    }
    await pollUntil(deadline, context.signal, async () => {
      await mapConcurrent(context, pendingFiles, async (pending) => {
        const result = await pollFile(context, pending, period, format);
        if (!result) return;
        results.set(pending.account, result);
        context.progress({ done: results.size, total, message: "Statement files" });
      });
      pendingFiles = pendingFiles.filter(({ account }) => !results.has(account));
      return pendingFiles.length === 0 || undefined;
    });
    for (const { account, statementId, lastReason } of pendingFiles)
      results.set(account, toFailure(account, lastReason, statementId));
    const ordered = found.map((account) => results.get(account)!);
    const files = ordered.filter((each) => "name" in each);
    const missing = findMissingAccounts({ accounts, currencies }, found);
    const failed = [
      ...ordered.filter((each) => "reason" in each),
      ...missing.map((each) => ({ ...each, currency: "" })),
    ];
    return { period, files, failed, complete: failed.length === 0 };
  },
});
