/** Statements. Contract: endpoints 13 to 18. */
import type { BehavioursOf } from "../behaviour";
import { statementFile } from "../files/statement-file";
import { Refusal } from "../refusal";
import { accountOf } from "./accounts";

export const statements: BehavioursOf<"statements"> = {
  "statements.getFile": async ({ values, client, world }) => {
    const account = accountOf(world, client, values.account_id);
    const statement = world.statements.get(values.statement_id);
    if (statement?.account !== account)
      throw new Refusal(404, "statement_not_found", "There is no such statement.", values.statement_id);
    if (statement.readyAt > world.now) return { status: 202, body: { status: "Pending" } };
    statement.file ??= statementFile(world, statement);
    const file = await statement.file;
    return file ? { status: 200, body: file } : { status: 202, body: { status: "Failed" } };
  },
};
