/** Statements. Contract: endpoints 13 to 18. */
import type { BehavioursOf, FileAnswer } from "../behaviour";
import { accountStatement } from "../files/account-statement";
import { reportFile, statementFile, stored } from "../files/formats";
import { incomingFunds, tradesStatement } from "../files/reports";
import { Refusal } from "../refusal";
import { bankIn } from "../world/banks";
import { dayOf } from "../world/days";
import type { Client } from "../world/parties";
import { befall, statementMs } from "../world/statements";
import type { World } from "../world/world";
import { accountOf, accountsIn } from "./accounts";

/** What a letter says of its files. */
function wordsOf({ name, country }: Client, subject: string, made: readonly FileAnswer[], missing: number) {
  const lines = [
    `Dear ${name},`,
    "",
    ...(made.length > 0 ? [`Please find attached: ${subject}.`] : []),
    ...(missing > 0 ? ["A statement could not be made in the format asked for."] : []),
    ...(made.length + missing === 0 ? [`There is no account for the ${subject}.`] : []),
    "",
    ...made.map(({ fileName }) => `- ${fileName}`),
    ...(made.length > 0 ? [""] : []),
    "Kind regards",
    bankIn(country).name,
  ];
  return `${lines.join("\n")}\n`;
}

/** Sends what could be made of the files to the client's registered address, and says so. */
async function mail(
  world: World,
  client: Client,
  subject: string,
  making: readonly Promise<FileAnswer | undefined>[],
) {
  const letter = { id: world.ids.uuid(), to: client.email, subject, sentAt: world.now };
  const files = await Promise.all(making);
  const made = files.filter((file) => file !== undefined);
  await world.outbox.send({
    ...letter,
    text: wordsOf(client, subject, made, files.length - made.length),
    attachments: await Promise.all(made.map(stored)),
  });
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
      readyAt: world.after(statementMs),
      content: accountStatement(world, client, account, period),
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
    const file = statement.failed ? undefined : await statementFile(statement.content, statement.format);
    return file ? { status: 200, body: file } : { status: 202, body: { status: "Failed" } };
  },

  "statements.emailAccounts": ({ values, client, world }) => {
    const { date_from: from, date_to: to, format } = values;
    const files = accountsIn(world, client, values.currencies).map((account) =>
      statementFile(accountStatement(world, client, account, { from, to }), format),
    );
    return mail(world, client, `Accounts statement ${from} to ${to}`, files);
  },

  "statements.emailMt940": ({ values, client, world }) => {
    const { date_from: from, date_to: to = dayOf(world.now), account_ids: numbers } = values;
    const all = world.accountsOf(client);
    const unknown = numbers?.find((number) => !all.some(({ listNumber }) => listNumber === number));
    if (unknown !== undefined)
      throw new Refusal(
        400,
        "validation_error",
        "The request does not fit.",
        `account_ids: no account ${unknown}`,
      );
    const accounts = all.filter(({ listNumber }) => numbers?.includes(listNumber) ?? true);
    const options = { subTags: values.sub_tags };
    const files = accounts.map((account) =>
      statementFile(accountStatement(world, client, account, { from, to }), "mt940", options),
    );
    return mail(world, client, `MT940 statement ${from} to ${to}`, files);
  },

  "statements.emailTrades": ({ values, client, world }) => {
    const { date_from: ordered } = values;
    const report = tradesStatement(world, client, ordered);
    return mail(world, client, `Trades statement ${ordered}`, [
      reportFile(report, `trades-${ordered}`, "pdf"),
    ]);
  },

  "statements.emailIncomingFunds": ({ values, client, world }) => {
    const { date_from: from, date_to: to, format } = values;
    const report = incomingFunds(world, client, { from, to });
    const file = reportFile(report, `incoming-funds-${from}-${to}`, format);
    return mail(world, client, `Incoming funds ${from} to ${to}`, [file]);
  },
};
