/** Statements as files and by e-mail. Contract: endpoints 13 to 18. */
import { z } from "zod";
import { textField } from "../values/response-fields";
import { AccountId, Currencies, day, dayOrMonth, minute, openEnum, uuid } from "../values/values";
import { file, json, section, text } from "../spec/declare";
import { accountErrors, clientId, credentials, usualErrors } from "./json-interface";

const StatementId = uuid("Statement ID", "`statement_id` in the `url` that statements.createFile returns.");

const dateFrom = day("Date from", "First day.");
const dateTo = day("Date to", "Last day, inclusive.");

/** Also accepts formats in upper case, because the contract mixes both spellings. */
const format = <const F extends readonly [string, ...string[]]>(formats: F, defaultFormat: F[number]) =>
  z
    .enum(formats)
    .default(defaultFormat)
    .meta({
      title: "Format",
      description: "File format.",
      alsoSpelled: new Map(formats.map((each) => [each.toUpperCase(), each])),
    });

const sortFields = {
  kind: "ordered",
  fields: ["date_from", "date_to"],
  description: "date_from must not be after date_to.",
} as const;

/** Only the days of both times are used: from the start of the first to the end of the second. */
export const NewStatement = z
  .object({
    from_value_datetime: minute("From", "First day, UTC; the time of day is ignored.", "its first"),
    to_value_datetime: minute("To", "Last day, UTC; the time of day is ignored.", "its last").optional(),
  })
  .meta({ id: "NewStatement" });

export const StatementFileData = z
  .object({
    url: textField("Path of the file: /accounts/{account_id}/statements/{statement_id}/file."),
  })
  .meta({ id: "StatementFileData", description: "Path under which a statement file can be fetched." });

export const StatementFileStatus = z
  .object({
    status: openEnum(["Pending", "Failed"]).meta({
      description: "`Pending` while the file is being generated; `Failed` is final.",
    }),
  })
  .meta({
    id: "StatementFileStatus",
    description: "Status of a statement file that is not ready.",
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
      description: "Account numbers from accounts.listCurrencyAccounts; default all accounts.",
    }),
    sub_tags: z
      .boolean()
      .default(false)
      .meta({ title: "Sub-tags", description: "True to include sub-tags." }),
  })
  .meta({ id: "Mt940Statement" });

export const TradesStatement = z
  .object({
    date_from: dayOrMonth("Date from", "Month (YYYY-MM) or day (YYYY-MM-DD), not in the future."),
  })
  .meta({ id: "TradesStatement" });

export const IncomingFundsStatement = z
  .object({ date_from: dateFrom, date_to: dateTo, format: format(["csv", "pdf"], "csv") })
  .meta({ id: "IncomingFundsStatement" });

const operation = section({
  section: {
    title: "Statements",
    icon: "statements.svg",
    category: "fxdesk statements",
    daily: ["fetch", "watch"],
    advanced: "fxdesk statement files",
    order: 5,
  },
  server: "service",
  credentials,
});

export const createStatementFile = operation({
  name: "statements.createFile",
  tool: "create_statement_file",
  title: "Create statement file",
  summary:
    "Requests a statement file of one account and returns its path. To download finished files of all accounts, use statements.fetch.",
  notes: "The file is generated asynchronously: fetch it with statements.getFile.",
  keywords: ["export", "bank statement", "PDF", "Excel", "Kontoauszug"],
  effect: "change",
  method: "POST",
  path: "/accounts/{account_id}/statements/file",
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
  responses: { 202: json(StatementFileData, "File generation has started.") },
  errors: { ...accountErrors, ...usualErrors([404]) },
  contract: "13",
});

export const getStatementFile = operation({
  name: "statements.getFile",
  tool: "get_statement_file",
  title: "Get statement file",
  summary: "Returns a requested statement file, or its status while it is being generated.",
  keywords: ["download", "bank statement", "PDF", "Excel", "Kontoauszug"],
  effect: "read",
  method: "GET",
  path: "/accounts/{account_id}/statements/{statement_id}/file",
  parameters: { account_id: AccountId, statement_id: StatementId },
  query: { client_id: clientId },
  responses: {
    200: file("The statement file."),
    202: json(StatementFileStatus, "The file is not ready."),
  },
  errors: accountErrors,
  contract: "14",
});

/** Returns the shared part of the four statements by e-mail. */
const emailShared = {
  effect: "change",
  method: "POST",
  query: { client_id: clientId },
  responses: { 202: text("The statement will be sent by e-mail.") },
  errors: usualErrors([400, 401, 403, 404, 502]),
} as const;

export const emailAccountsStatement = operation({
  ...emailShared,
  name: "statements.emailAccounts",
  tool: "email_accounts_statement",
  title: "E-mail accounts statement",
  summary:
    "Requests a statement of the accounts for a period, sent by e-mail to the client's registered address. To download files, use statements.fetch.",
  keywords: ["mail", "bank statement", "Kontoauszug", "mailen"],
  path: "/statements/accounts",
  body: AccountsStatement,
  rules: [sortFields],
  contract: "15",
});

export const emailMt940Statement = operation({
  ...emailShared,
  name: "statements.emailMt940",
  tool: "email_mt940_statement",
  title: "E-mail MT940 statement",
  summary:
    "Requests an MT940 statement for a period, sent by e-mail to the client's registered address. To download files, use statements.fetch.",
  keywords: ["mail", "bank statement", "Kontoauszug", "mailen"],
  path: "/statements/mt940",
  body: Mt940Statement,
  rules: [sortFields],
  contract: "16",
});

export const emailTradesStatement = operation({
  ...emailShared,
  name: "statements.emailTrades",
  tool: "email_trades_statement",
  title: "E-mail trades statement",
  summary:
    "Requests a statement of the trades of a day or month, sent by e-mail to the client's registered address.",
  keywords: ["mail", "deals", "report", "Geschäfte", "mailen"],
  path: "/statements/trades",
  body: TradesStatement,
  rules: [{ kind: "not-future", fields: ["date_from"], description: "date_from must not be in the future." }],
  contract: "17",
});

export const emailIncomingFundsStatement = operation({
  ...emailShared,
  name: "statements.emailIncomingFunds",
  tool: "email_incoming_funds_statement",
  title: "E-mail incoming funds statement",
  summary:
    "Requests a statement of incoming funds for a period, sent by e-mail to the client's registered address.",
  keywords: ["mail", "receipts", "credits", "Zahlungseingänge", "mailen"],
  path: "/statements/incoming-funds",
  body: IncomingFundsStatement,
  rules: [sortFields],
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
