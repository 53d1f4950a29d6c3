/**
 * Runs random sequences of calls, decisions, events and time. Responses must be documented and books must balance.
 * FXDESK_RUNS sets the number of runs.
 */
import * as fc from "fast-check";
import { type CreditDebit, readMt940 } from "@fxdesk/toolkit/formats";
import { demo } from "@fxdesk/sandbox";
import { closeLater } from "../support/resources";
import { Big } from "big.js";
import type { Account } from "../../sandbox/src/world/model/account";
import { balanceAccount } from "../../sandbox/src/world/ledger/ledger";
import { operationNamed } from "../support/operations";
import { activities, seedActivities, call, now, step } from "./support/activities";
import { checkBooks, checkLines } from "./support/check-books";
import { startInProcess, type InProcessSandbox } from "./support/in-process";

const numRuns = Number(process.env.FXDESK_RUNS ?? 100);

let sandbox: InProcessSandbox;
beforeAll(() => {
  sandbox = closeLater(startInProcess(now));
});

const signedAmount = ({ creditDebit, amount }: { creditDebit: CreditDebit; amount: string }) =>
  creditDebit === "Credit" ? new Big(amount) : new Big(amount).neg();

/** Asserts that a full statement equals the books at the time of its request. */
async function checkStatement({ accountId: account_id, currency: of }: Account): Promise<void> {
  const books = sandbox.world.ledger.lines(
    balanceAccount({ accountId: account_id, currency: of }, "InterimAvailable"),
  );
  const booked = books.slice().map(({ amount }) => amount.toFixed());
  const period = { from_value_datetime: "2020-01-01T00:00" };
  const created = await call(sandbox, operationNamed("statements.createFile"), {
    account_id,
    format: "mt940",
    ...period,
  });
  const { url } = JSON.parse(created.text) as { url: string };
  sandbox.control.advanceClock({ days: 1 });
  const statement_id = url.split("/").at(-2);
  const fetched = await call(sandbox, operationNamed("statements.getFile"), { account_id, statement_id });
  expect(fetched.status).toBe(200);
  const statementAmounts: string[] = [];
  let balance = new Big(0);
  for await (const { openingBalance, entries, closingBalance } of readMt940(fetched.text)) {
    expect(signedAmount(openingBalance!).toFixed()).toBe(balance.toFixed());
    for (const entry of entries) {
      statementAmounts.push(signedAmount(entry).toFixed());
      balance = balance.plus(signedAmount(entry));
    }
    expect(signedAmount(closingBalance!).toFixed()).toBe(balance.toFixed());
  }
  expect(statementAmounts).toEqual(booked);
}

async function checkStatements(): Promise<void> {
  sandbox.control.clearFaults();
  delete sandbox.world.nextStatement;
  for (const account of sandbox.world.accounts.values())
    if (account.clientId === demo.clientId) await checkStatement(account);
}

test(
  "keeps books balanced and responses documented",
  async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      await seedActivities(sandbox);
      for (const [name, values] of steps) {
        await activities[name]!.act(sandbox, values);
        checkBooks(sandbox.world);
      }
      checkLines(sandbox.world);
      await checkStatements();
    });
    await fc.assert(property, { numRuns });
  },
  20_000 + numRuns * 2_000,
);
