/** Statements: as a file and by e-mail. Contract: endpoints 13 to 18. */
import { z } from "zod";
import { AccountId, Currencies, day, dayOrMonth, minute, openEnum, uuid } from "../schema/values";
import { file, json, operation, text } from "../declaration/declare";
import { accountErrors, clientId, credentials, meaning } from "./json-interface";

const StatementId = uuid("Statement ID", "From the url that statements.createFile returns.");

const dateFrom = day("Date from", "First day.");
const dateTo = day("Date to", "Last day.");

/** The contract names formats in capitals and gives their values in small letters. */
const format = <const F extends readonly [string, ...string[]]>(formats: F, usual: F[number]) =>
  z
    .enum(formats)
    .default(usual)
    .meta({
      title: "Format",
      description: "Its format.",
      alsoSpelled: new Map(formats.map((each) => [each.toUpperCase(), each])),
    });

const inOrder = {
  kind: "ordered",
  fields: ["date_from", "date_to"],
  description: "date_from must not be after date_to.",
} as const;

/** Of both times only the day counts: its beginning for the first, its end for the second. */
export const NewStatement = z
  .object({
    from_value_datetime: minute("From", "First day, UTC; the time of day is ignored.", "its first"),
    to_value_datetime: minute("To", "Last day, UTC; the time of day is ignored.", "its last").optional(),
  })
  .meta({ id: "NewStatement" });

export const StatementFileData = z
  .object({
    url: z
      .string()
      .meta({ description: "Path of the file: /accounts/{account_id}/statements/{statement_id}/file." }),
  })
  .meta({ id: "StatementFileData", description: "Where a statement file will be." });

export const StatementFileStatus = z
  .object({
    status: openEnum(["Pending", "Failed"]).meta({
      description: "Pending while the file is being made; Failed is final, there will be none.",
    }),
  })
  .meta({
    id: "StatementFileStatus",
    description: "How far a statement file is that cannot be fetched yet.",
  });

export const AccountsStatement = z
  .object({
    date_from: dateFrom,
    date_to: dateTo,
    format: format(["pdf", "csv", "xls", "coda"], "pdf"),
    currencies: Currencies.optional(),
  })
  .meta({ id: "AccountsStatement" });

export const Mt940Statement = z
  .object({
    date_from: dateFrom,
    date_to: dateTo.optional(),
    account_ids: z.array(z.int()).optional().meta({
      title: "Accounts",
      description: "Numbers from accounts.listCurrencyAccounts; else all.",
    }),
    sub_tags: z
      .boolean()
      .default(false)
      .meta({ title: "Sub-tags", description: "Whether to include sub-tags." }),
  })
  .meta({ id: "Mt940Statement" });

export const TradesStatement = z
  .object({
    date_from: dayOrMonth("Date from", "A month or a day, not in the future."),
  })
  .meta({ id: "TradesStatement" });

export const IncomingFundsStatement = z
  .object({ date_from: dateFrom, date_to: dateTo, format: format(["csv", "pdf"], "csv") })
  .meta({ id: "IncomingFundsStatement" });

export const createStatementFile = operation({
  name: "statements.createFile",
  tool: "create_statement_file",
  title: "Create statement file",
  summary:
    "Orders (triggers) the export of a bank statement (extract, document) for an account as a file to download later, such as PDF or Excel.",
  notes: "statements.getFile fetches it.",
  effect: "change",
  method: "POST",
  path: "/accounts/{account_id}/statements/file",
  server: "service",
  credentials,
  parameters: { account_id: AccountId },
  query: { client_id: clientId, format: format(["pdf", "csv", "mt940", "xls"], "pdf") },
  body: NewStatement,
  rules: [
    {
      kind: "ordered",
      fields: ["from_value_datetime", "to_value_datetime"],
      description: "from_value_datetime must not be after to_value_datetime.",
    },
  ],
  responses: { 202: json(StatementFileData, "The file is being made.") },
  errors: { ...accountErrors, 404: meaning[404] },
  contract: "13",
});

export const getStatementFile = operation({
  name: "statements.getFile",
  tool: "get_statement_file",
  title: "Get statement file",
  summary:
    "Downloads (fetches, collects) a bank statement file (document, extract) that you requested, ordered or asked for, or tells whether it is ready.",
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}/statements/{statement_id}/file",
  server: "service",
  credentials,
  parameters: { account_id: AccountId, statement_id: StatementId },
  query: { client_id: clientId },
  responses: {
    200: file("The statement file."),
    202: json(StatementFileStatus, "The file is not ready."),
  },
  errors: accountErrors,
  contract: "14",
});

/** What the four statements by e-mail have in common. */
const emailed = {
  effect: "change",
  method: "POST",
  server: "service",
  credentials,
  query: { client_id: clientId },
  notes: "To the registered address.",
  responses: { 202: text("The statement will be sent by e-mail.") },
  errors: {
    400: meaning[400],
    401: meaning[401],
    403: meaning[403],
    404: meaning[404],
    502: meaning[502],
  },
} as const;

export const emailAccountsStatement = operation({
  ...emailed,
  name: "statements.emailAccounts",
  tool: "email_accounts_statement",
  title: "E-mail accounts statement",
  summary: "Sends the statement (overview) of all accounts by e-mail, to the inbox.",
  path: "/statements/accounts",
  body: AccountsStatement,
  rules: [inOrder],
  contract: "15",
});

export const emailMt940Statement = operation({
  ...emailed,
  name: "statements.emailMt940",
  tool: "email_mt940_statement",
  title: "E-mail MT940 statement",
  summary: "Sends the MT940 (940) bank statement by e-mail, to the inbox.",
  notes: "To the registered address.",
  path: "/statements/mt940",
  body: Mt940Statement,
  rules: [inOrder],
  contract: "16",
});

export const emailTradesStatement = operation({
  ...emailed,
  name: "statements.emailTrades",
  tool: "email_trades_statement",
  title: "E-mail trades statement",
  summary: "Sends a report of the trades (deals, conversions) of a day or month by e-mail, to the inbox.",
  notes: "To the registered address.",
  path: "/statements/trades",
  body: TradesStatement,
  rules: [{ kind: "not-future", fields: ["date_from"], description: "date_from must not be in the future." }],
  contract: "17",
});

export const emailIncomingFundsStatement = operation({
  ...emailed,
  name: "statements.emailIncomingFunds",
  tool: "email_incoming_funds_statement",
  title: "E-mail incoming funds statement",
  summary:
    "Sends a report of incoming funds (money received, receipts, credits) of a period, such as a week, by e-mail.",
  notes: "To the registered address.",
  path: "/statements/incoming-funds",
  body: IncomingFundsStatement,
  rules: [inOrder],
  contract: "18",
});

export const statements = [
  createStatementFile,
  getStatementFile,
  emailAccountsStatement,
  emailMt940Statement,
  emailTradesStatement,
  emailIncomingFundsStatement,
] as const;
