/** Tests world files and their errors with line and field. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv2020 from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { parse } from "yaml";
import { startSandbox, WorldFileError, worldSchema } from "@fxdesk/sandbox";
import { contract } from "@fxdesk/toolkit/operations";
import { assemble } from "../../sandbox/src/assemble";
import { balanceAccount } from "../../sandbox/src/world/ledger/ledger";
import { settingsFromDescription } from "../../sandbox/src/world/seed/seed-from-description";
import { resolveSettings } from "../../sandbox/src/world/model/settings";
import type { World } from "../../sandbox/src/world/model/world";
import { includedWorlds, parseWorld, readWorld } from "../../sandbox/src/world/seed/world-file";
import { closeLater, tempFolder } from "../support/resources";
import { makeQuote } from "../support/samples";
import { openClient, openSandbox } from "../support/sandboxes";
import { checkBooks, checkLines } from "./support/check-books";
import { ask, demoHeaders } from "./support/http";

const now = new Date("2026-03-16T09:00:00Z");

function startWorld(name: string, more: object = {}) {
  const description = readWorld(name);
  const settings = resolveSettings({ ...settingsFromDescription(description), ...more });
  return assemble({
    service: contract,
    start: { seed: description.seed ?? "fxdesk", now, settings, description },
  });
}

test.each(includedWorlds)(
  "the included world %s has balanced books, a dashboard, and matches the schema",
  async (name) => {
    const { app, session } = startWorld(name);
    closeLater(app);
    checkBooks(session.world);
    checkLines(session.world);
    const validate = addFormats.default(new Ajv2020({ strict: false })).compile(worldSchema());
    const file = join(__dirname, `../../sandbox/worlds/${name}.yaml`);
    expect([validate(parse(readFileSync(file, "utf8"))), validate.errors]).toEqual([true, null]);
    const { statusCode, body } = await app.inject({ url: "/", headers: { host: "127.0.0.1" } });
    expect([statusCode, body.includes("no real bank")]).toEqual([200, true]);
  },
);

test("runs twelve companies with a thousand accounts in one treasury", () => {
  const { world } = startWorld("group").session;
  expect([world.clients.size, world.accounts.size, world.ownClientIds.length]).toEqual([12, 1_000, 12]);
  const held = [...world.accounts.values()].filter(({ clientId }) => clientId === "client-ch");
  expect(held).toHaveLength(82);
  const [first] = held;
  expect(world.ledger.balance(balanceAccount(first!, "InterimAvailable")).toFixed(2)).toBe("50000.00");
});

test("accepts the demo credentials for the exporter, which trades", async () => {
  const sandbox = await openSandbox({ world: "exporter", now });
  const { clientId, contactId, email } = sandbox.demo;
  expect([clientId, contactId, email]).toEqual([
    "client-exporter",
    "contact-treasurer",
    "jana.lindenau@lindenau-pumpen.example",
  ]);
  const client = openClient(sandbox, { clientId, contactId });
  const accounts = await client.accounts.list({ currencies: "EUR,USD,GBP" });
  expect(accounts.map(({ currency }) => currency)).toEqual(["EUR", "USD", "GBP"]);
  const { body } = await client.request({
    method: "POST",
    path: "/quotes",
    query: { client_id: clientId },
    body: { amount: 1000, operation: "sell", buy_currency: "EUR", sell_currency: "USD" },
  });
  const { trade_id } = await client.trades.book({
    quote_id: (body as { quote_id: string }).quote_id,
    reason: "payment_for_goods",
  });
  sandbox.control.setClock({ now: "2026-03-18T16:00:00Z" });
  expect(await client.trades.get({ trade_id })).toMatchObject({
    status: "Closed",
    maturity_date: "2026-03-18",
  });
  expect(sandbox.control.payIn({ currency: "EUR", amount: "1.00", reference: "X" })).toMatchObject({
    account_id: accounts[0]!.account_id,
  });
  await expect(makeQuote(client)).rejects.toMatchObject({ status: 404 });
});

describe("errors", () => {
  const good = readFileSync(join(__dirname, "../../sandbox/worlds/exporter.yaml"), "utf8");
  const lineOf = (text: string, part: string) => text.slice(0, text.indexOf(part)).split("\n").length;

  test.each<[string, string, string, string]>([
    [
      "currency: EUR, balance: 240000",
      "currency: EUX, balance: 240000",
      "EUX",
      "companies[0].accounts[0].currency ",
    ],
    ["balance: 85000 ", "balance: 85000.123 ", "85000.123", "companies[0].accounts[1].balance "],
    ["balance: 30000 ", "balance: lots ", "lots", "companies[0].accounts[2].balance "],
    ["country: DE\n", "country: DE\n    colour: blue\n", "colour", "companies[0].colour "],
    ["    country: DE\n", "", "- id: client-exporter", "companies[0].country "],
    ["to: Elbe Guss AG", "to: Nobody", "to: Nobody", "companies[0].business[5].to "],
    [
      "currency: GBP, per_week: 1.5",
      "currency: JPY, per_week: 1.5",
      "currency: JPY",
      "companies[0].business[1].currency ",
    ],
    [
      "id: contact-director",
      "id: contact-treasurer",
      "id: contact-treasurer, name: Ole",
      "companies[0].contacts[1].id ",
    ],
    ["members: [contact-director]", "members: [nobody]", "approvals:", "companies[0].approvals "],
    ["version: 1", "version: 2", "version: 2", "version "],
    ["day: 27", "day: 31", "day: 31", "companies[0].business[4].day "],
    ["version: 1", "version: 1\nrates: { EURXXX: 2 }", "EURXXX", "rates.EURXXX "],
    ["version: 1", "version: 1\nrates: { EURUSD: 0 }", "EURUSD", "rates.EURUSD "],
    ["version: 1", "version: 1\nnow: yesterday", "now: yesterday", "now "],
  ])("name %p instead of %p", (before, after, at, message) => {
    const text = good.replace(before, after);
    expect(text).not.toBe(good);
    const parsing = () => parseWorld(text, "company.yaml");
    expect(parsing).toThrow(WorldFileError);
    expect(parsing).toThrow(`company.yaml, line ${lineOf(text, at)}: ${message}`);
  });

  test("list all violations, invalid YAML and missing files", () => {
    const text = good.replace("country: DE", "country: de").replace("per_week: 3", "per_week: 30");
    expect(() => parseWorld(text, "w.yaml")).toThrow(
      /line 10: companies\[0\].country .*\n.*business\[0\].per_week/,
    );
    expect(() => parseWorld("version: [", "w.yaml")).toThrow(/^w\.yaml, line 1: /);
    expect(() => readWorld("nowhere.yaml")).toThrow("Included worlds: exporter, group, empty.");
  });
});

describe("a custom file", () => {
  test("sets rates, time and limits, which options override", async () => {
    const file = join(await tempFolder(), "company.yaml");
    const text = `
version: 1
now: 2026-05-04T09:00:00Z
days_behind: 2
companies:
  - id: client-mine
    name: Mine AG
    address: Somewhere 1
    country: CH
    email: me@mine.example
    contacts: [{ id: contact-me, name: Me, email: me.too@mine.example }]
    accounts: [{ currency: KWD, balance: 1000.125 }]
rates: { EURUSD: 1.5 }
settings: { requests_per_second: 3, quote_seconds: 5 }
`;
    writeFileSync(file, text);
    const sandbox = await openSandbox({ world: file, quoteSeconds: 60 });
    const rate = sandbox.control.listRates().find(({ symbol }) => symbol === "EURUSD");
    expect(rate).toEqual({ symbol: "EURUSD", rate: 1.5 });
    const path = "/accounts/currency-accounts?client_id=client-mine";
    const responses = [];
    for (let n = 0; n < 12; n += 1) responses.push(await ask(sandbox, path, { headers: demoHeaders }));
    const statuses = responses.map(({ status }) => status);
    // A request advances the clock by 0.1 s, so three of ten are accepted.
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(4);
    expect(statuses[0]).toBe(200);
    expect(responses.find(({ status }) => status === 429)!.headers.get("retry-after")).toBe("1");
    expect(sandbox.control.getClock().now.slice(0, 16)).toBe("2026-05-04T09:00");
    await expect(startSandbox({ world: file, daysBehind: 1_000 })).rejects.toThrow("daysBehind must be");
  });
});

describe("a living world", () => {
  const lived = (name: string, steps: number, days: number): World => {
    const { world } = startWorld(name, { living: true }).session;
    for (let n = 0; n < steps; n += 1) {
      world.clock.advance((days / steps) * 86_400_000);
      world.runDueEvents();
    }
    return world;
  };
  const booked = ({ accounts, ledger }: World) =>
    [...accounts.values()].flatMap((account) =>
      [...ledger.lines(balanceAccount(account, "InterimAvailable"))].map(({ lineId, entry, amount }) =>
        [lineId, entry.bookedAt.toISOString(), entry.reference, entry.information, amount.toFixed()].join(
          " ",
        ),
      ),
    );

  test("continues with the clock, independent of its steps, and only on request", () => {
    const [world, again] = [lived("exporter", 1, 180), lived("exporter", 36, 180)];
    checkBooks(world);
    checkLines(world);
    expect(booked(again)).toEqual(booked(world));
    const texts = booked(world).filter((text) => text.split(" ")[1]! > "2026-03-17");
    for (const part of [
      "Payment of INV-",
      "Payment from ",
      "Salaries",
      "Rent",
      "Account fee",
      "Interest",
      "Payment to ",
    ])
      expect(texts.some((text) => text.includes(part))).toBe(true);
    const invoices = texts.flatMap((text) => /Payment of (INV-\d+)/.exec(text)?.[1] ?? []);
    expect(new Set(invoices).size).toBeLessThan(invoices.length);
    const late = texts.flatMap((text) => {
      const [, bookedAt, due] = / (\S+) .*, due (\S+) /.exec(text) ?? [];
      return bookedAt === undefined ? [] : [[due!, bookedAt.slice(0, 10)]];
    });
    expect(late.length).toBeGreaterThan(0);
    for (const [due, paidOn] of late) expect(paidOn! > due!).toBe(true);
    const { world: still } = startWorld("exporter").session;
    still.clock.advance(180 * 86_400_000);
    still.runDueEvents();
    expect(booked(still).filter((text) => text.split(" ")[1]! > "2026-03-17")).toEqual([]);
  });
});
