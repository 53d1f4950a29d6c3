/** statements.fetch: statement files, asked for, waited for and delivered. */
import { extname } from "node:path";
import { z } from "zod";
import { createStatementFile } from "../contract/statements";
import type { ReceivedFile } from "../client/file";
import { json } from "../declaration/declare";
import { FxdeskError } from "../errors";
import { type Account, accountFields, accountOperations, accountsOf, missingAccounts } from "./accounts";
import { sideBySide } from "./at-once";
import { deliveredFile } from "./delivered-file";
import { type Period, periodOf, PeriodText } from "./period";
import { type Context, procedure } from "./procedure";
import { endOfWait, mayPass, untilSeen, waitSeconds } from "./wait";

const { format: Format } = createStatementFile.query;

const accountOfFile = {
  account_id: z.string().meta({ description: "The account." }),
  currency: z.string().meta({ description: "ISO 4217 code; empty if the account does not exist." }),
};

export const FetchedStatements = z
  .object({
    period: z.object({ from: z.string(), to: z.string() }).meta({ description: "First and last day, UTC." }),
    files: z
      .array(
        z.object({
          ...accountOfFile,
          ...deliveredFile,
        }),
      )
      .meta({ description: "One statement file per account." }),
    failed: z
      .array(
        z.object({
          ...accountOfFile,
          statement_id: z.string().optional().meta({
            description:
              "ID of a file that is still being generated; fetch it later with statements.getFile.",
          }),
          reason: z.string().meta({ description: "Reason why there is no file." }),
        }),
      )
      .meta({ description: "Accounts without a file; empty if complete." }),
    complete: z.boolean().meta({ description: "True if there is a file for every account." }),
  })
  .meta({ id: "FetchedStatements", description: "Statement files of the accounts." });

type Result = z.infer<typeof FetchedStatements>;
type Format = z.infer<typeof Format>;

/** A file that the service makes. */
interface Making {
  readonly account: Account;
  readonly statementId: string;
  /** Why it was not there at the last look. */
  reason: string;
}

const failureOf = ({ account_id, currency }: Account, reason: string, statementId?: string) => ({
  account_id,
  currency,
  ...(statementId !== undefined && { statement_id: statementId }),
  reason,
});

/** A failure of one file is told; that the whole was ended is not one of them. */
function reasonOf(error: unknown, { signal }: Context): string {
  if (!(error instanceof FxdeskError) || signal?.aborted) throw error;
  return error.message;
}

const notReady = "The file is not ready yet.";

/** Asks for the file of an account. */
async function ask(
  context: Context,
  account: Account,
  { from, to }: Period,
  format: Format,
  end: number,
): Promise<Making | Result["failed"][number]> {
  const { client, signal } = context;
  const { account_id } = account;
  try {
    const asked = await untilSeen(end, signal, () =>
      client.statements.createFile({
        account_id,
        format,
        from_value_datetime: `${from}T00:00`,
        to_value_datetime: `${to}T00:00`,
      }),
    );
    const statementId = /statements\/([^/?]+)/.exec(asked?.url ?? "")?.[1];
    return statementId === undefined
      ? failureOf(account, "The service did not say where the file will be.")
      : { account, statementId, reason: notReady };
  } catch (error) {
    return failureOf(account, reasonOf(error, context));
  }
}

/** The account as people know it. */
function labelOf({ account_details: details, account_id: id }: Account): string {
  const named =
    details?.find(({ account_number: number }) => number) ?? details?.find(({ account_name: name }) => name);
  return named?.account_number || named?.account_name || id;
}

/** The service may send another kind of file than its format is called by, and then says so by the name. */
function nameOf(
  account: Account,
  { from, to }: Period,
  format: Format,
  { fileName = "" }: ReceivedFile,
): string {
  const own = extname(fileName);
  const extension = /^\.[a-z0-9]{1,8}$/i.test(own) ? own : `.${format}`;
  const label = labelOf(account).replace(/[^\p{L}\p{N}]+/gu, "-");
  return `${account.currency}_${label}_${from}_${to}${extension}`;
}

/** Looks for a file: its place, why there will be none, or undefined while it is being made. */
async function look(
  context: Context,
  making: Making,
  period: Period,
  format: Format,
): Promise<Result["files"][number] | Result["failed"][number] | undefined> {
  const { account, statementId } = making;
  const { account_id, currency } = account;
  try {
    const response = await context.client.statements.getFile({ account_id, statement_id: statementId });
    if (response.status === 202) {
      const { status } = response.body;
      making.reason = notReady;
      return status === "Failed" ? failureOf(account, "The service could not make the file.") : undefined;
    }
    const { body: file } = response;
    const name = nameOf(account, period, format, file);
    const { contentType, stream } = file;
    const place = await context.deliver({ name, contentType, content: stream });
    return { account_id, currency, name, content_type: contentType, ...place };
  } catch (error) {
    making.reason = reasonOf(error, context);
    return mayPass(error) ? undefined : failureOf(account, making.reason);
  }
}

export const fetchStatements = procedure({
  name: "statements.fetch",
  tool: "fetch_statements",
  title: "Fetch bank statements",
  summary: "Downloads the statement files of all accounts for a period as PDF, CSV, MT940 or XLS.",
  keywords: ["bank statement", "Excel", "Kontoauszug", "Kontoauszüge", "herunterladen"],
  effect: "read",
  effectBecause: "Requesting a statement file has no lasting effect.",
  uses: [...accountOperations, "statements.createFile", "statements.getFile"],
  delivers: true,
  input: {
    ...accountFields,
    period: PeriodText.default("last month"),
    format: Format,
    wait_seconds: waitSeconds,
  },
  output: json(FetchedStatements, "The files, and the accounts without one."),
  async run(context, { accounts, currencies, period: asked, format, wait_seconds: seconds }) {
    const end = endOfWait(seconds);
    const period = periodOf(asked)!;
    const found = await accountsOf(context.client, { accounts, currencies });
    const total = found.length;
    context.progress({ done: 0, total, message: "Asking for the files" });
    const begun = await sideBySide(found, (account) => ask(context, account, period, format, end));
    const files: Result["files"] = [];
    const failed: Result["failed"] = [];
    let waiting: Making[] = [];
    for (const each of begun) {
      if ("account" in each) waiting.push(each);
      else failed.push(each);
    }
    await untilSeen(end, context.signal, async () => {
      const results = await sideBySide(waiting, async (making) => {
        const result = await look(context, making, period, format);
        if (result && "name" in result) files.push(result);
        else if (result) failed.push(result);
        if (result)
          context.progress({ done: files.length + failed.length, total, message: "Statement files" });
        return result;
      });
      waiting = waiting.filter((_, index) => !results[index]);
      return waiting.length === 0 || undefined;
    });
    const missing = missingAccounts({ accounts, currencies }, found);
    failed.push(
      ...waiting.map(({ account, statementId, reason }) => failureOf(account, reason, statementId)),
      ...missing.map((each) => ({ ...each, currency: "" })),
    );
    return { period, files, failed, complete: failed.length === 0 };
  },
});
