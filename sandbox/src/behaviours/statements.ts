/** Statements. Contract: endpoints 13 to 18. */
import type { BehavioursOf, StoredFile } from "../behaviour";
import { fileOf } from "../files/formats";
import { accountStatement, incomingFunds, tradesStatement } from "../files/statements";
import { Refusal } from "../refusal";
import { dayOf } from "../world/days";
import type { Client } from "../world/parties";
import { befall, statementMs } from "../world/statements";
import type { World } from "../world/world";
import { accountOf } from "./accounts";

/** Sends what could be made of the files to the client's registered address, and says so. */
async function mail(
  world: World,
  client: Client,
  subject: string,
  making: readonly Promise<StoredFile | undefined>[],
) {
  const files = await Promise.all(making);
  const attachments = files.filter((file) => file !== undefined);
  const text =
    attachments.length === files.length
      ? "Please find the statement attached."
      : "The statement could not be made in the format asked for.";
  await world.outbox.send({ to: client.email, subject, text, sentAt: world.now, attachments });
  return { status: 202, body: "The statement will be sent by e-mail." };
}

export const statements: BehavioursOf<"statements"> = {
  "statements.createFile": ({ values, client, world }) => {
    const account = accountOf(world, client, values.account_id);
    const { from_value_datetime: first, to_value_datetime: last, format } = values;
    const period = { from: first.slice(0, 10), to: last?.slice(0, 10) ?? dayOf(world.now) };
    const statement = {
      statementId: world.ids.uuid(),
      account,
      readyAt: new Date(world.now.getTime() + statementMs),
      report: accountStatement(world, client, account, period),
      format,
      failed: false,
    };
    world.statements.set(statement.statementId, statement);
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
      throw new Refusal(404, "statement_not_found", "There is no such statement.", values.statement_id);
    if (statement.readyAt > world.now) return { status: 202, body: { status: "Pending" } };
    const file = statement.failed ? undefined : await fileOf(statement.report, statement.format);
    return file ? { status: 200, body: file } : { status: 202, body: { status: "Failed" } };
  },

  "statements.emailAccounts": ({ values, client, world }) => {
    const { date_from: from, date_to: to, format } = values;
    const currencies = values.currencies?.split(",");
    const accounts = world
      .accountsOf(client)
      .filter(({ currency }) => currencies?.includes(currency) ?? true);
    const files = accounts.map((account) =>
      fileOf(accountStatement(world, client, account, { from, to }), format),
    );
    return mail(world, client, `Accounts statement ${from} to ${to}`, files);
  },

  "statements.emailMt940": ({ values, client, world }) => {
    const { date_from: from, date_to: to = dayOf(world.now), account_ids: numbers } = values;
    const all = world.accountsOf(client);
    const unknown = numbers?.find((number) => !all.some(({ accountNumber }) => accountNumber === number));
    if (unknown !== undefined)
      throw new Refusal(
        400,
        "validation_error",
        "The request does not fit.",
        `account_ids: no account ${unknown}`,
      );
    const accounts = all.filter(({ accountNumber }) => numbers?.includes(accountNumber) ?? true);
    const files = accounts.map((account) =>
      fileOf(accountStatement(world, client, account, { from, to }), "mt940"),
    );
    return mail(world, client, `MT940 statement ${from} to ${to}`, files);
  },

  "statements.emailTrades": ({ values, client, world }) =>
    mail(world, client, `Trades statement ${values.date_from}`, [
      fileOf(tradesStatement(world, client, values.date_from), "pdf"),
    ]),

  "statements.emailIncomingFunds": ({ values, client, world }) => {
    const { date_from: from, date_to: to, format } = values;
    const report = incomingFunds(world, client, { from, to });
    return mail(world, client, `Incoming funds ${from} to ${to}`, [fileOf(report, format)]);
  },
};
