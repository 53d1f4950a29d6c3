/** Simulates two years of the living world: books balance daily, all statement formats agree, and runs repeat. */
import { createHash } from "node:crypto";
import { readCoda, readCsv, readMt940, signedAmount, type Statement } from "@fxdesk/toolkit/formats";
import { contract } from "@fxdesk/toolkit/operations";
import { Big } from "big.js";
import { XMLParser } from "fast-xml-parser";
import { assemble } from "../../sandbox/src/assemble";
import { statementFile } from "../../sandbox/src/files/statement-file";
import { writeCamt053 } from "../../sandbox/src/open-banking/iso20022";
import type { Account } from "../../sandbox/src/world/model/account";
import { addDays, dayOf } from "@fxdesk/toolkit/calendars";
import { balanceAccount } from "../../sandbox/src/world/ledger/ledger";
import { settingsFromDescription } from "../../sandbox/src/world/seed/seed-from-description";
import { resolveSettings } from "../../sandbox/src/world/model/settings";
import { createAccountStatement } from "../../sandbox/src/world/statements/account-statement";
import type { World } from "../../sandbox/src/world/model/world";
import { includedWorlds, readWorld } from "../../sandbox/src/world/seed/world-file";
import { checkBooks, checkLines, unbalancedCurrencies } from "./support/check-books";

const days = 730;
const dayMs = 86_400_000;
const now = new Date("2026-03-16T22:00:00Z");

function startLivingWorld(name: string, seed: string): World {
  const description = name === "the demo company" ? undefined : readWorld(name);
  const settings = resolveSettings({
    ...(description && settingsFromDescription(description)),
    living: true,
  });
  const start = { seed, now, settings, description, daysBehind: 30 };
  return assemble({ service: contract, start }).session.world;
}

const booksOf = ({ ledger }: World, account: Account) =>
  ledger.lines(balanceAccount(account, "InterimAvailable"));

function fingerprint(world: World): string {
  const hash = createHash("sha256");
  for (const account of world.accounts.values())
    for (const { lineId, entry, balance } of booksOf(world, account))
      hash.update(JSON.stringify([account.accountId, lineId, entry, balance]));
  return hash.digest("hex");
}

async function closingOf(statements: AsyncIterable<Statement>): Promise<string> {
  let closing: Statement["closingBalance"] | undefined;
  for await (const { closingBalance } of statements) closing = closingBalance;
  return new Big(signedAmount(closing!)).toFixed();
}

const readers = { mt940: readMt940, csv: readCsv, coda: readCoda } as const;

/** Returns the balance of last month's statements in every readable format. */
async function closings(world: World, account: Account): Promise<string[]> {
  const to = dayOf(world.now);
  const client = world.clients.get(account.clientId)!;
  const statement = createAccountStatement(world, client, account, { from: addDays(to, -30), to });
  const found: string[] = [];
  for (const [format, read] of Object.entries(readers)) {
    const file = await statementFile(statement, format as keyof typeof readers);
    const { bytes } = file!;
    found.push(await closingOf(read(bytes.toString("utf8"))));
  }
  const { Document } = new XMLParser({ parseTagValue: false }).parse(writeCamt053(statement)) as {
    Document: { BkToCstmrStmt: { Stmt: { Bal: { Amt: string; CdtDbtInd: string }[] } } };
  };
  const { Amt, CdtDbtInd } = Document.BkToCstmrStmt.Stmt.Bal[1]!;
  return [...found, new Big(Amt).times(CdtDbtInd === "DBIT" ? -1 : 1).toFixed()];
}

describe.each(["the demo company", ...includedWorlds])("two years of %s", (name) => {
  test.each(["one", "two", "three"])("from the seed %s", async (seed) => {
    const world = startLivingWorld(name, seed);
    for (let day = 0; day < days; day += 1) {
      world.clock.advance(dayMs);
      world.runDueEvents();
      expect(unbalancedCurrencies(world)).toEqual([]);
    }
    checkBooks(world);
    checkLines(world);
    const busy = [...world.accounts.values()]
      .filter((account) => booksOf(world, account).length > 10)
      .slice(0, 6);
    expect(busy.length > 0 || name === "empty").toBe(true);
    for (const account of busy) {
      const balance = booksOf(world, account).at(-1)!.balance.toFixed();
      expect(await closings(world, account)).toEqual(Array(4).fill(balance));
    }
    const again = startLivingWorld(name, seed);
    again.clock.advance(days * dayMs);
    again.runDueEvents();
    expect(fingerprint(again)).toBe(fingerprint(world));
  });
});
