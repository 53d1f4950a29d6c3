/** Statements. Contract: endpoints 13 to 18. */
import type { Mt940Options } from "@fxdesk/toolkit/formats";
import type { BehavioursOf } from "../calls/behaviour";
import {
  createAccountStatement,
  asOfNow,
  applyOutcome,
  preparationMs,
} from "../world/statements/account-statement";
import type { Period } from "../world/model/statement";
import { reportFile, statementFile } from "../files/statement-file";
import type { StoredFile } from "../world/model/outbox";
import type { StatementFormat } from "../world/common/enumerations";
import { incomingFundsReport, tradesReport } from "../files/reports";
import { DomainError, toValidationError } from "../world/common/domain-error";
import type { Account } from "../world/model/account";
import { bankIn } from "../world/banks/banks";
import { dayOf } from "@fxdesk/toolkit/calendars";
import type { Client } from "../world/parties/parties";
import type { World } from "../world/model/world";
import { findAccount, accountsInCurrencies, parseCurrencies } from "./accounts";

/** An attachment being written. `file` resolves to undefined if the format cannot carry the content. */
interface PendingFile {
  readonly label: string;
  readonly file: Promise<StoredFile | undefined>;
}

/** Composes the e-mail text: the attached files, and the statements that could not be created. */
function composeLetter(
  { name, country }: Client,
  subject: string,
  created: readonly StoredFile[],
  missing: readonly string[],
) {
  const lines = [
    `Dear ${name},`,
    "",
    ...(created.length > 0 ? [`Please find attached: ${subject}.`] : []),
    ...missing.map((of) => `The statement of ${of} could not be created in the requested format.`),
    ...(created.length + missing.length === 0 ? [`No account matches the ${subject}.`] : []),
    "",
    ...created.map(({ fileName }) => `- ${fileName}`),
    ...(created.length > 0 ? [""] : []),
    "Kind regards",
    bankIn(country).name,
  ];
  return `${lines.join("\n")}\n`;
}

/** E-mails the files that could be created to the client's registered address. */
async function mailFiles(
  world: World,
  client: Client,
  subject: string,
  pendingFiles: readonly PendingFile[],
) {
  const draft = { id: world.ids.uuid(), to: client.email, subject, sentAt: world.now };
  const files = await Promise.all(pendingFiles.map(({ file }) => file));
  const created = files.filter((file) => file !== undefined);
  const missing = pendingFiles.filter((_, index) => files[index] === undefined).map(({ label }) => label);
  await world.outbox.send({
    ...draft,
    text: composeLetter(client, subject, created, missing),
    attachments: created,
  });
  return { status: 202, body: "The statement will be sent by e-mail." } as const;
}

/** Writes one statement file per account. */
const statementFiles = (
  world: World,
  client: Client,
  accounts: readonly Account[],
  period: Period,
  ...formatArguments: [format: StatementFormat, options?: Mt940Options]
): PendingFile[] =>
  accounts.map((account) => ({
    label: `account ${account.listNumber} in ${account.currency}`,
    file: statementFile(createAccountStatement(world, client, account, period), ...formatArguments),
  }));

/** Returns today as the end of a period without one. Throws if the period starts later. */
function defaultEndDate(world: World, field: string, from: string): string {
  const today = dayOf(world.now);
  if (from > today)
    throw toValidationError(`${field}: ${from} is after today (${today}), the default end of the period`);
  return today;
}

export const statements: BehavioursOf<"statements"> = {
  "statements.createFile": ({ values, client, world }) => {
    const account = findAccount(world, client, values.account_id);
    const { from_value_datetime: first, to_value_datetime: last, format } = values;
    const from = first.slice(0, 10);
    const to = last?.slice(0, 10) ?? defaultEndDate(world, "from_value_datetime", from);
    const statement = {
      statementId: world.ids.uuid(),
      account,
      readyAt: world.timeAfter(preparationMs),
      period: { from, to },
      asOf: asOfNow(world, account),
      format,
      failed: false,
    };
    world.statements.set(statement.statementId, statement);
    if (world.nextStatement) applyOutcome(world, statement, world.nextStatement);
    delete world.nextStatement;
    return {
      status: 202,
      body: { url: `/accounts/${account.accountId}/statements/${statement.statementId}/file` },
    };
  },

  "statements.getFile": async ({ values, client, world }) => {
    const account = findAccount(world, client, values.account_id);
    const statement = world.statements.get(values.statement_id.toLowerCase());
    if (statement?.account !== account)
      throw new DomainError("statement-not-found", "The statement is unknown.", values.statement_id);
    if (statement.readyAt > world.now) return { status: 202, body: { status: "Pending" } };
    const { period, asOf, format, failed } = statement;
    const content = createAccountStatement(world, client, account, period, asOf);
    const file = failed ? undefined : await statementFile(content, format);
    return file ? { status: 200, body: file } : { status: 202, body: { status: "Failed" } };
  },

  "statements.emailAccounts": ({ values, client, world }) => {
    const { date_from: from, date_to: to, format } = values;
    const accounts = accountsInCurrencies(world, client, values.currencies);
    const held = new Set(accounts.map(({ currency }) => currency));
    const missing = parseCurrencies(values.currencies)?.find((currency) => !held.has(currency));
    if (missing !== undefined) throw toValidationError(`currencies: the client has no account in ${missing}`);
    const files = statementFiles(world, client, accounts, { from, to }, format);
    return mailFiles(world, client, `Accounts statement ${from} to ${to}`, files);
  },

  "statements.emailMt940": ({ values, client, world }) => {
    const { date_from: from, account_ids: numbers } = values;
    const to = values.date_to ?? defaultEndDate(world, "date_from", from);
    if (numbers?.length === 0)
      throw toValidationError("account_ids: list at least one account, or omit it to select all");
    const all = world.accountsOf(client);
    const unknown = numbers?.find((number) => !all.some(({ listNumber }) => listNumber === number));
    if (unknown !== undefined) throw toValidationError(`account_ids: the client has no account ${unknown}`);
    const accounts = all.filter(({ listNumber }) => numbers?.includes(listNumber) ?? true);
    const options = { subTags: values.sub_tags };
    const files = statementFiles(world, client, accounts, { from, to }, "mt940", options);
    return mailFiles(world, client, `MT940 statement ${from} to ${to}`, files);
  },

  "statements.emailTrades": ({ values, client, world }) => {
    const { date_from: orderPeriod } = values;
    const report = tradesReport(world, client, orderPeriod);
    const file = reportFile(report, `trades-${orderPeriod}`, "pdf");
    return mailFiles(world, client, `Trades statement ${orderPeriod}`, [{ label: "the trades", file }]);
  },

  "statements.emailIncomingFunds": ({ values, client, world }) => {
    const { date_from: from, date_to: to, format } = values;
    const report = incomingFundsReport(world, client, { from, to });
    const file = reportFile(report, `incoming-funds-${from}-${to}`, format);
    return mailFiles(world, client, `Incoming funds ${from} to ${to}`, [{ label: "incoming funds", file }]);
  },
};
