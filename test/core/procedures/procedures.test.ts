/** Input, conversion and formats of procedures, against one sandbox. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sandbox } from "@fxdesk/sandbox";
import { intoPath } from "../../../core/call/file-delivery";
import type { FxdeskClient } from "../../../core";
import { camt053 } from "../files/camt-documents";
import { openClient, openSandbox, openSandboxAndClient } from "../../support/sandboxes";
import { withAssistant } from "../../support/surfaces";

let sandbox: Sandbox;
let client: FxdeskClient;
beforeAll(async () => ({ sandbox, client } = await openSandboxAndClient()));

const callProcedure = (name: string, input: Record<string, unknown>) =>
  client.call(
    client.service.procedures!.find((each) => each.name === name)!,
    input,
  );

test("cash.getPosition returns signed balances, and one converted total if every currency has a rate", async () => {
  const input = { balance_types: ["InterimAvailable" as const], into: "EUR", rates: { USD: "0.5" } };
  const { balances, totals, unread, ...position } = await client.cash.getPosition(input);
  const [account] = await client.accounts.list({ currencies: "EUR" });
  const [own] = await client.accounts.listBalances({ account_id: account!.account_id });
  const sign = own!.credit_debit_indicator === "Debit" ? -1 : 1;
  const same = balances.find(({ account_id: id }) => id === account!.account_id);
  expect(Number(same!.amount)).toBe(Number(own!.amount.amount) * sign);
  const codes = totals.map(({ currency }) => currency);
  const without_rate = codes.filter((each) => !["EUR", "USD"].includes(each));
  expect([unread, without_rate.length > 0]).toEqual([[], true]);
  expect(position).toEqual({ at: expect.any(String), complete: false, without_rate });
  const rates = Object.fromEntries(codes.map((code) => [code, "0.5"]));
  const { converted, complete } = await client.cash.getPosition({ ...input, rates });
  const inEuros = totals.map(({ currency, amount }) => Number(amount) * (currency === "EUR" ? 1 : 0.5));
  expect(Number(converted![0]!.amount)).toBeCloseTo(
    inEuros.reduce((sum, each) => sum + each),
    1,
  );
  expect(complete).toBe(true);
});

test("cash.getPosition names an account that cannot be read and returns the others", async () => {
  const unknown = "00000000-0000-4000-8000-000000000000";
  const [account] = await client.accounts.list({ currencies: "EUR" });
  const accounts = [account!.account_id, unknown];
  const { balances, unread, complete } = await client.cash.getPosition({ accounts });
  expect(new Set(balances.map(({ account_id: id }) => id))).toEqual(new Set([account!.account_id]));
  expect([unread.map(({ account_id: id }) => id), complete]).toEqual([[unknown], false]);
});

test("transactions.summarize names the accounts beside their IDs", async () => {
  const { groups } = await client.transactions.summarize({ by: ["account"] });
  const { balances } = await client.cash.getPosition({ balance_types: ["InterimAvailable"] });
  const names = new Map(balances.map(({ account_id: id, account_name: name }) => [id, name]));
  expect(groups.map(({ account_name: name }) => name)).toEqual(
    groups.map(({ account_id: id }) => names.get(id!)),
  );
  expect(groups.some(({ account_name: name }) => name !== undefined)).toBe(true);
});

const item = (more: object) => ({ items: [{ amount: "10", currency: "EUR", ...more }] });
const flow = (more: object) => ({ flows: [{ date: "2026-12-01", currency: "USD", amount: "10", ...more }] });

type Refusal = readonly [procedure: string, input: object, field: string, message?: string];
const refusals: readonly Refusal[] = [
  ["cash.getPosition", { into: "euro" }, "into"],
  ...["0", "0.000", "-1", "1,08", ""].flatMap((rate) => [
    ["cash.getPosition", { into: "EUR", rates: { USD: rate } }, "rates.USD"] as Refusal,
    ["exposure.get", { base_currency: "EUR", rates: { USD: rate } }, "rates.USD"] as Refusal,
  ]),
  ["transactions.find", { period: "soon" }, "period"],
  ["transactions.find", { period: "last -5 days" }, "period"],
  ["transactions.find", { min_amount: "500", max_amount: "100" }, "max_amount"],
  ["transactions.summarize", { by: ["month"], min_amount: "9.5", max_amount: "9.40" }, "max_amount"],
  ["transactions.reconcile", item({ colour: "red" }), "items.0.colour", "the fields are amount, currency,"],
  ["transactions.reconcile", item({ referense: "A" }), "items.0.referense", "did you mean reference?"],
  ["transactions.reconcile", item({ custmer: "A" }), "items.0.custmer", "did you mean customer?"],
  [
    "transactions.reconcile",
    item({ reference: "A", invoice: "B" }),
    "items.0.invoice",
    "another name of reference",
  ],
  ["transactions.reconcile", item({ invoice: 7 }), "items.0.invoice"],
  ["transactions.reconcile", item({ due: "2026-02-30" }), "items.0.due"],
  ["exposure.get", flow({ curency: "EUR" }), "flows.0.curency", "did you mean currency?"],
  ["exposure.get", flow({ "value date": "2026-12-02" }), "flows.0.value date", "another name of date"],
  ["statements.convert", {}, "content, content_base64, path"],
  ["transactions.reconcile", {}, "items, items_csv"],
  ["transactions.reconcile", { ...item({}), items_csv: "amount,currency" }, "items, items_csv"],
  ["transactions.reconcile", item({ amount: "0.00" }), "items.0.amount"],
  [
    "transactions.reconcile",
    { items_csv: "amount,currency\n0.00,EUR" },
    "items_csv",
    "line 2, column amount",
  ],
  ["payments.follow", {}, "paymentId, trade_id"],
  ["payments.follow", { paymentId: "x" }, "payment-product"],
];

test.each(refusals.map((each) => [each]))(
  "%j is refused before any call",
  async ([name, input, field, message = ""]) => {
    const before = sandbox.requests.length;
    await expect(callProcedure(name, { ...input })).rejects.toMatchObject({
      code: "invalid_input",
      outcome: "not-sent",
      message: expect.stringContaining(message),
      violations: expect.arrayContaining([expect.objectContaining({ field })]),
    });
    expect(sandbox.requests).toHaveLength(before);
  },
);

test("equal bounds are accepted, crossed thresholds refused", async () => {
  const equal = { min_amount: "9", max_amount: "9", period: "last 5 days" };
  expect(await client.transactions.find(equal)).toMatchObject({ complete: true });
  const watched = { currencies: "EUR", below: "1000", above: "10" };
  await expect(client.accounts.watchBalances.since(watched)).rejects.toMatchObject({
    violations: [{ field: "above" }],
  });
  await client.accounts.watchBalances.since({ ...watched, above: "1000" });
});

test("transactions.find and reconcile ignore separators in references and names", async () => {
  sandbox.control.payIn({
    currency: "EUR",
    amount: "91.35",
    reference: "INV-1193569",
    debtor_name: "Lakeside Ltd",
  });
  for (const filter of [
    { text: "INV 1193569" },
    { text: "inv1193569" },
    { text: "INV-1193569", counterparty: "lake side" },
  ])
    expect((await client.transactions.find(filter)).transactions).toMatchObject([
      { reference: "INV-1193569" },
    ]);
  expect((await client.transactions.find({ text: "INV 119356-8" })).transactions).toEqual([]);
  const items = [{ amount: "91.35", currency: "EUR", party: "Lake Side Limited", reference: "inv 1193569" }];
  expect((await client.transactions.reconcile({ items })).matched).toMatchObject([
    { confidence: "certain", evidence: { party: "same" } },
  ]);
});

test("expected items accept the column names of CSV, also as tool arguments", async () => {
  sandbox.control.payIn({ currency: "EUR", amount: "77.10", reference: "INV-9001" });
  sandbox.control.payIn({ currency: "EUR", amount: "78.20", reference: "INV-9002" });
  const paid = {
    matched: [{ items: [{ reference: "INV-9001" }] }, { items: [{ reference: "INV-9002" }] }],
    open_items: [],
  };
  const csv = "amount,currency,invoice,customer\n77.10,EUR,INV-9001,Severn\n78.20,EUR,INV-9002,Severn";
  expect(await client.transactions.reconcile({ items_csv: csv })).toMatchObject(paid);
  const items = [
    { amount: "77.10", currency: "EUR", invoice: "INV-9001", customer: "Severn" },
    { amount: "78.20", currency: "EUR", "Invoice No": "INV-9002", due_date: null },
  ];
  expect((await callProcedure("transactions.reconcile", { items })).body).toMatchObject(paid);
  await withAssistant({ client }, async (assistant) => {
    const call = (given: object[]) =>
      assistant.callTool({ name: "reconcile_transactions", arguments: { items: given } });
    expect((await call(items)).structuredContent).toMatchObject(paid);
    const { isError, content } = await call([{ ...items[0], colour: "red" }]);
    expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining("items.0.colour")]);
  });
});

describe("statements.convert", () => {
  let mt940: string;
  beforeAll(async () => {
    const period = "2000-01-01..2060-01-01";
    const { files } = await client.statements.fetch({ currencies: "EUR", format: "mt940", period });
    mt940 = files[0]!.content!.toString("latin1");
  });

  test("keeps amounts, days and directions in a round trip through every format", async () => {
    const { statements, from, entry_count: entries } = await client.statements.convert({ content: mt940 });
    expect([from, entries > 5]).toEqual(["mt940", true]);
    const factsOf = (all: typeof statements) =>
      all!.map(({ account: { number, currency }, openingBalance, closingBalance, entries: own }) => [
        [number, currency, openingBalance, closingBalance],
        own.map(({ amount, creditDebit, valueDate, bookingDate }) => [
          amount,
          creditDebit,
          valueDate,
          bookingDate,
        ]),
      ]);
    for (const to of ["csv", "coda", "mt940", "camt.053.001.08", "camt.053.001.02"] as const) {
      const { file, statements: none } = await client.statements.convert({ content: mt940, to });
      const back = await client.statements.convert({ content_base64: file!.content!.toString("base64") });
      expect([none, back.from]).toEqual([undefined, to.split(".")[0]]);
      // What a format holds, it holds again.
      const again = await client.statements.convert({
        content_base64: file!.content!.toString("base64"),
        to,
      });
      expect(again.losses).toEqual([]);
      expect(factsOf(back.statements)).toEqual(factsOf(statements));
    }
  });

  test.each<[string, () => string, RegExp]>([
    ["a broken line", () => mt940.replace(/^:61:.{10}/m, ":61:99139999CC"), /MT940 line \d+, :61::/],
    ["a wrong balance", () => mt940.replace(/^(:62F:.*\d),(\d)/m, "$19,$2"), /MT940 line \d+/],
    ["nothing", () => "  \n", /must contain a statement/],
    ["a PDF", () => "%PDF-1.7 …", /it looks like PDF/],
  ])("refuses %s and names the position", async (_, content, message) => {
    await expect(client.statements.convert({ content: content() })).rejects.toMatchObject({
      code: "invalid_input",
      violations: [{ field: "content", message: expect.stringMatching(message) }],
    });
  });

  test("reads camt.053, and reports what its file does not prove", async () => {
    const content = camt053({ opening: "" });
    const read = await client.statements.convert({ content });
    expect(read).toMatchObject({ from: "camt", entry_count: 2 });
    expect(read.statements![0]!.violations).toMatchObject([{ rule: "missing", severity: "warning" }]);
    const { file, losses } = await client.statements.convert({ content: camt053(), to: "mt940" });
    expect(String(file!.content)).toContain(":62F:C261116EUR105,50");
    expect(losses).toContainEqual({ field: "entries.bankTransactionCode", kind: "missing", count: 2 });
    const damaged = { content: camt053().replace("105.50", "105.51") };
    await expect(client.statements.convert(damaged)).rejects.toMatchObject({ code: "invalid_input" });
    const { statements } = await client.statements.convert({ ...damaged, tolerate: true });
    expect(statements![0]).toMatchObject({ entries: [{}, {}], violations: [{ rule: "balance" }] });
  });

  test("reads a file by its path, writes it to one, and says the faults of what it wrote", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fxdesk-"));
    const [path, written] = [join(folder, "in.sta"), join(folder, "out.csv")];
    await writeFile(path, Buffer.from(mt940.replace(/^:61:.*$/m, "$&\r\n:65:wrong"), "latin1"));
    await expect(client.statements.convert({ path, to: "csv" })).rejects.toMatchObject({
      violations: [{ field: "path" }],
    });
    const found = await client.statements.convert(
      { path, to: "csv", tolerate: true },
      { deliver: intoPath(written) },
    );
    expect(found).toMatchObject({
      file: { path: written },
      violations: [{ field: ":65:" }],
      violation_count: 1,
    });
    const { statements } = await client.statements.convert({ content: mt940 });
    const { statements: back } = await client.statements.convert({ path: written });
    const amountsOf = (all: typeof statements) =>
      all!.map((each) => each.entries.map(({ amount, valueDate }) => [amount, valueDate]));
    expect(amountsOf(back)).toEqual(amountsOf(statements));
    await withAssistant({ client, toolsets: ["all"] }, async (assistant) => {
      const refused = await assistant.callTool({ name: "convert_statement", arguments: { path: written } });
      expect([refused.isError, JSON.stringify(refused.content)]).toEqual([
        true,
        expect.stringContaining("path"),
      ]);
      expect(JSON.stringify(refused)).not.toContain("entries");
    });
    await rm(folder, { recursive: true });
    await expect(client.statements.convert({ path })).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("reads a bank's CSV by its headings, a layout or a column map, and converts it", async () => {
    const rows = ["01.11.2026;01.11.2026;1,50;EUR;101,50", "15.11.2026;15.11.2026;-2,00;EUR;99,50"];
    const headings = "Buchungstag;Valuta;Betrag;Währung;Saldo";
    const content = [headings, ...rows].join("\n");
    const { map, ...guessed } = await client.statements.convert({ content });
    expect(guessed).toMatchObject({ from: "csv", statements: [{ openingBalance: { amount: "100.00" } }] });
    const named = JSON.stringify({ ...map, account: "DE89370400440532013000", encoding: "windows-1252" });
    const input = { content_base64: Buffer.from(content, "latin1").toString("base64"), map: named };
    const { file } = await client.statements.convert({ ...input, to: "mt940" });
    expect(String(file!.content)).toContain(":62F:C261115EUR99,50");
    const refused = (given: object) =>
      expect(client.statements.convert({ content, ...given })).rejects.toMatchObject({
        code: "invalid_input",
        violations: [{ field: Object.keys(given)[0] }],
      });
    await refused({ map: "{" });
    await refused({ map: "dutch" });
    await refused({ from: "mt940" as const, map: named });
  });

  test("writes a line of JSON for each statement and entry, also of statements without balances", async () => {
    const content = camt053({ opening: "" });
    const { file, losses } = await client.statements.convert({ content, to: "jsonl" });
    const lines = String(file!.content).trimEnd().split("\n");
    const { statements } = await client.statements.convert({ content });
    const [{ entries, violations: _, ...statement }] = statements as [NonNullable<typeof statements>[0]];
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { statement },
      ...entries.map((entry) => ({ entry })),
    ]);
    expect(losses).toEqual([]);
  });

  test("decodes Windows-1252", async () => {
    const bytes = Buffer.from(mt940.replace(/^:86:.*$/m, ":86:Müller"), "latin1");
    const { statements } = await client.statements.convert({ content_base64: bytes.toString("base64") });
    expect(JSON.stringify(statements)).toContain("Müller");
  });
});

describe("contract.check", () => {
  const reasonsIn = ({ unread }: Awaited<ReturnType<typeof client.contract.check>>) =>
    Object.fromEntries(unread.map(({ operation, reason }) => [operation, reason]));

  test("does not conform if the service is unreachable", async () => {
    const nowhere = openClient({ baseUrl: "http://127.0.0.1:9", xs2aUrl: "http://127.0.0.1:9" });
    const report = await nowhere.contract.check();
    expect(report).toMatchObject({ conforms: false, checked: [], differences: [] });
    expect(reasonsIn(report)["trades.list"]).toMatch(/^It could not be sent \(/);
  });

  test("requires the lists that every client may read, but not the restricted ones", async () => {
    const restricted = await openSandbox();
    const checker = openClient(restricted);
    const refuse = (operation: string) =>
      restricted.control.addFault({ operation, kind: "status", status: 403, times: 100 });
    refuse("approvalsWorkflow.getConfig");
    expect((await checker.contract.check()).conforms).toBe(true);
    refuse("trades.list");
    const report = await checker.contract.check();
    expect(report).toMatchObject({ conforms: false, differences: [] });
    expect(reasonsIn(report)["trades.list"]).toBe("Status 403.");
  });
});

test("transactions.reconcile numbers items alike, and returns matches to review first", async () => {
  const payIn = (amount: string, reference: string) =>
    sandbox.control.payIn({ currency: "EUR", amount, reference });
  payIn("62.20", "INV-8102");
  sandbox.control.advanceClock({ days: 2 });
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const period = `${inDays(-1)}..${inDays(3)}`;
  payIn("61.10", "INV-8101");
  payIn("62.20", "INV-8102");
  payIn("63.30", "INV-8103");
  const items = [
    { amount: "61.10", currency: "EUR", reference: "INV-8101" },
    { amount: "62.20", currency: "EUR", reference: "INV-8102" },
    { amount: "66.00", currency: "EUR", reference: "INV-8103" },
    { amount: "64.40", currency: "EUR", reference: "INV-8104" },
  ];
  const csv = ["amount,currency,reference", ...items.map((each) => Object.values(each).join())].join("\n");
  const report = await client.transactions.reconcile({ items, period });
  const { matched, open_items: open, open_transactions: others, sums } = report;
  expect(matched).toMatchObject([
    { kind: "duplicate", items: [{ item: 2 }], transactions: [{}, {}], evidence: { difference: "62.20" } },
    { kind: "one to one", confidence: "likely", items: [{ item: 3 }] },
    { kind: "one to one", confidence: "certain", items: [{ item: 1 }] },
  ]);
  expect(open.map(({ item: number }) => number)).toEqual([4]);
  const used = new Set(
    matched.flatMap(({ transactions }) => transactions.map((each) => each.transaction_id)),
  );
  expect(others.filter(({ transaction_id: id }) => used.has(id))).toEqual([]);
  expect(sums.find(({ currency }) => currency === "EUR")).toMatchObject({ paid: "248.80", open: "64.40" });
  const { matched: ofCsv, open_items: openOfCsv } = await client.transactions.reconcile({
    items_csv: csv,
    period,
  });
  expect([ofCsv, openOfCsv]).toEqual([matched, open]);
});
