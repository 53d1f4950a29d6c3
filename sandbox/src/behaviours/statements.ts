/** Statements. Contract: endpoints 13 to 18. */
import type { Mt940Options } from "@fxdesk/toolkit/formats";
import type { BehavioursOf } from "../behaviour";
import type { FileResponse } from "../result";
import { accountStatement, asOfNow } from "../world/statements/account-statement";
import type { Period } from "../world/statements/statement";
import { prepareFile, reportFile, statementFile, stored } from "../files/formats";

import type { StatementFormat } from "../world/enumerations";
import { incomingFunds, tradesStatement } from "../files/reports";
import { DomainError, unfit } from "../world/domain-error";
import type { Account } from "../world/accounts/account";
import { bankIn } from "../world/accounts/banks";
import { dayOf } from "../world/calendar/days";
import type { Client } from "../world/parties/parties";
import { befall, statementMs } from "../world/statements/statements";
import type { World } from "../world/world";
import { accountOf, accountsIn, currenciesOf } from "./accounts";

/** A file of an e-mail while it is made: what it is of, and undefined where it cannot be made. */
interface Making {
  readonly of: string;
  readonly file: Promise<FileResponse | undefined>;
}

/** What a letter says of its files, and of what those are that could not be made. */
function wordsOf(
  { name, country }: Client,
  subject: string,
  made: readonly FileResponse[],
  missing: readonly string[],
) {
  const lines = [
    `Dear ${name},`,
    "",
    ...(made.length > 0 ? [`Please find attached: ${subject}.`] : []),
    ...missing.map((of) => `The statement of ${of} could not be made in the format asked for.`),
    ...(made.length + missing.length === 0 ? [`There is no account for the ${subject}.`] : []),
    "",
    ...made.map(({ fileName }) => `- ${fileName}`),
    ...(made.length > 0 ? [""] : []),
    "Kind regards",
    bankIn(country).name,
  ];
  return `${lines.join("\n")}\n`;
}

/** Sends what could be made of the files to the client's registered address, and says so. */
async function mail(world: World, client: Client, subject: string, making: readonly Making[]) {
  const letter = { id: world.ids.uuid(), to: client.email, subject, sentAt: world.now };
  const files = await Promise.all(making.map(({ file }) => file));
  const made = files.filter((file) => file !== undefined);
  const missing = making.filter((_, index) => files[index] === undefined).map(({ of }) => of);
  await world.outbox.send({
    ...letter,
    text: wordsOf(client, subject, made, missing),
    attachments: await Promise.all(made.map(stored)),
  });
  return { status: 202, body: "The statement will be sent by e-mail." } as const;
}

/** The statement of each account, as files of an e-mail. */
const statementsOf = (
  world: World,
  client: Client,
  accounts: readonly Account[],
  period: Period,
  ...how: [format: StatementFormat, options?: Mt940Options]
): Making[] =>
  accounts.map((account) => ({
    of: `account ${account.listNumber} in ${account.currency}`,
    file: statementFile(accountStatement(world, client, account, period), ...how),
  }));

/** A period that ends today because it has no end of its own: it may not begin later. */
function untilToday(world: World, field: string, from: string): string {
  const today = dayOf(world.now);
  if (from > today) throw unfit(`${field}: ${from} is after today, ${today}, and there is no later end`);
  return today;
}

export const statements: BehavioursOf<"statements"> = {
  "statements.createFile": ({ values, client, world }) => {
    const account = accountOf(world, client, values.account_id);
    const { from_value_datetime: first, to_value_datetime: last, format } = values;
    const from = first.slice(0, 10);
    const to = last?.slice(0, 10) ?? untilToday(world, "from_value_datetime", from);
    const statement = {
      statementId: world.ids.uuid(),
      account,
      readyAt: world.after(statementMs),
      period: { from, to },
      asOf: asOfNow(world, account),
      format,
      failed: false,
    };
    world.statements.set(statement.statementId, statement);
    const { period, asOf } = statement;
    prepareFile(statement, accountStatement(world, client, account, period, asOf));
    if (world.nextStatement) befall(world, statement, world.nextStatement);
    delete world.nextStatement;
    return {
      status: 202,
      body: { url: `/accounts/${account.accountId}/statements/${statement.statementId}/file` },
    };
  },

  "statements.getFile": async ({ values, client, world }) => {
    const account = accountOf(world, client, values.account_id);
    const statement = world.statements.get(values.statement_id.toLowerCase());
    if (statement?.account !== account)
      throw new DomainError("statement-not-found", "There is no such statement.", values.statement_id);
    if (statement.readyAt > world.now) return { status: 202, body: { status: "Pending" } };
    const { period, asOf, format, failed } = statement;
    const content = accountStatement(world, client, account, period, asOf);
    const file = failed ? undefined : await statementFile(content, format, {}, statement);
    return file ? { status: 200, body: file } : { status: 202, body: { status: "Failed" } };
  },

  "statements.emailAccounts": ({ values, client, world }) => {
    const { date_from: from, date_to: to, format } = values;
    const accounts = accountsIn(world, client, values.currencies);
    const held = new Set(accounts.map(({ currency }) => currency));
    const missing = currenciesOf(values.currencies)?.find((currency) => !held.has(currency));
    if (missing !== undefined) throw unfit(`currencies: there is no account in ${missing}`);
    const files = statementsOf(world, client, accounts, { from, to }, format);
    return mail(world, client, `Accounts statement ${from} to ${to}`, files);
  },

  "statements.emailMt940": ({ values, client, world }) => {
    const { date_from: from, account_ids: numbers } = values;
    const to = values.date_to ?? untilToday(world, "date_from", from);
    if (numbers?.length === 0) throw unfit("account_ids: name an account, or leave it out for all of them");
    const all = world.accountsOf(client);
    const unknown = numbers?.find((number) => !all.some(({ listNumber }) => listNumber === number));
    if (unknown !== undefined) throw unfit(`account_ids: no account ${unknown}`);
    const accounts = all.filter(({ listNumber }) => numbers?.includes(listNumber) ?? true);
    const options = { subTags: values.sub_tags };
    const files = statementsOf(world, client, accounts, { from, to }, "mt940", options);
    return mail(world, client, `MT940 statement ${from} to ${to}`, files);
  },

  "statements.emailTrades": ({ values, client, world }) => {
    const { date_from: ordered } = values;
    const report = tradesStatement(world, client, ordered);
    const file = reportFile(report, `trades-${ordered}`, "pdf");
    return mail(world, client, `Trades statement ${ordered}`, [{ of: "the trades", file }]);
  },

  "statements.emailIncomingFunds": ({ values, client, world }) => {
    const { date_from: from, date_to: to, format } = values;
    const report = incomingFunds(world, client, { from, to });
    const file = reportFile(report, `incoming-funds-${from}-${to}`, format);
    return mail(world, client, `Incoming funds ${from} to ${to}`, [{ of: "incoming funds", file }]);
  },
};
