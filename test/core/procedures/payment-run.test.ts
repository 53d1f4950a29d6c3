/** Payment runs: findings before anyone is asked, one payment whatever is repeated, and the state of each payment. */
import { join } from "node:path";
import type { Sandbox } from "@fxdesk/sandbox";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { addDays, dayOf, nextBusinessDay } from "@fxdesk/toolkit/calendars";
import { openJournal } from "../../../core/journal/journal";
import { eraseDetails, resolveEntry } from "../../../core/journal/operator-actions";
import { describeTerms } from "../../../core/releases/describe-terms";
import { withStore } from "../../../core/store/open";
import type { ReleaseReport } from "../../../core/releases/report";
import { hasValidCheckDigits } from "../../../core/values/account-number";
import { engines } from "../store/engines";
import { createReleaseFixture, people } from "../releases/release-fixture";
import { startAlteringProxy } from "./altering-proxy";
import { eventually } from "../../support/eventually";
import { closeLater, tempFolder } from "../../support/resources";
import { openClient, openSandbox } from "../../support/sandboxes";

const day = 86_400_000;
/** The sandbox's clock is behind, so that what it advances is not in the future. */
const daysBehind = 12;

/** Returns a German IBAN with right check digits. */
function ibanOf(number: number): string {
  const account = String(number).padStart(18, "0");
  for (let check = 2; check <= 98; check += 1) {
    const iban = `DE${String(check).padStart(2, "0")}${account}`;
    if (hasValidCheckDigits(iban)) return iban;
  }
  throw new Error("No check digits fit.");
}

const rowOf = (number: number, more: object = {}) => ({
  payee: `Lieferant ${number} GmbH`,
  iban: ibanOf(1_000_000 + number),
  amount: `${1 + (number % 90)}.${String(number % 100).padStart(2, "0")}`,
  reference: `INV-${100_000 + number}`,
  ...more,
});

async function debtorOf(client: FxdeskClient): Promise<string> {
  const [account] = await client.accounts.list({ currencies: "EUR" });
  return account!.account_details!.find(({ account_number_type: type }) => type === "IBAN")!.account_number!;
}

const bulkPosts = (sandbox: Sandbox) =>
  sandbox.requests.filter(({ method, url }) => method === "POST" && url.startsWith("/v1/bulk-payments/"));

describe("against one sandbox", () => {
  let sandbox: Sandbox;
  let client: FxdeskClient;
  let debtor_iban: string;
  let store: string;
  beforeAll(async () => {
    sandbox = await openSandbox({ now: new Date(Date.now() - daysBehind * day) });
    store = join(await tempFolder(), "store.db");
    client = openClient(sandbox, { store });
    debtor_iban = await debtorOf(client);
  });

  const authorise = () => {
    for (const { authorisation_id } of sandbox.control.listAuthorisations())
      sandbox.control.decideAuthorisation({ authorisation_id, decision: "approve" });
  };

  test("40 seeded faults are found, and none in 1,000 clean rows", async () => {
    const known = Array.from({ length: 10 }, (_, index) =>
      rowOf(5_000 + index, { payee: `Müller ${index} & Söhne GmbH` }),
    );
    await client.payments.initiateRun({ rows: known, debtor_iban });
    const clean = Array.from({ length: 1_000 }, (_, index) => rowOf(index));
    const cleanRun = await client.payments.prepareRun({ rows: clean, debtor_iban });
    expect(cleanRun.findings.filter(({ row }) => row !== undefined)).toEqual([]);
    expect(cleanRun).toMatchObject({ ready: true, totals: [{ currency: "EUR", count: 1_000 }] });

    const mistyped = (iban: string) => iban.slice(0, -1) + String((Number(iban.at(-1)) + 1) % 10);
    type Fault = readonly [code: string, row: object];
    const faults: readonly Fault[] = Array.from({ length: 5 }, (_, index): Fault[] => [
      ["iban_check_digits", { iban: mistyped(ibanOf(index)) }],
      ["iban_length", { iban: ibanOf(index).slice(0, 21) }],
      ["bic_invalid", { bic: "DEUTDEF" }],
      ["currency_not_in_scheme", { currency: "USD" }],
      ["address_unstructured", { address: "Hauptstr. 1, 10115 Berlin" }],
      ["duplicate_in_run", { ...clean[index] }],
      ["duplicate_of_earlier", { ...known[index], payee: "Another" }],
      ["account_changed", { payee: `MUELLER ${index} &amp; SOEHNE` }],
    ]).flat();
    expect(faults).toHaveLength(40);
    const rows = [...clean, ...faults.map(([, more], index) => rowOf(2_000 + index, more))];
    const { findings, ready } = await client.payments.prepareRun({ rows, debtor_iban });
    expect(ready).toBe(false);
    const found = findings.filter(({ row }) => row !== undefined).map(({ row, code }) => [row, code]);
    expect(found).toEqual(faults.map(([code], index) => [1_001 + index, code]));
  });

  test("cut-off times of the service come from a setting, with a time zone", async () => {
    const date = nextBusinessDay(addDays(dayOf(Date.now()), 1), ["EUR"]);
    const run = { rows: [rowOf(6_900)], debtor_iban, date };
    const reported = async (cutOffs?: string) => {
      const { findings, not_checked } = await openClient(sandbox, {
        ...(cutOffs !== undefined && { cutOffs }),
      }).payments.prepareRun(run);
      return [
        ...findings.filter(({ row }) => row === undefined).map(({ code }) => code),
        ...not_checked.filter((each) => each.startsWith("not checked: cut-off")).map(() => "not checked"),
      ];
    };
    expect(await reported()).toEqual(["not checked"]);
    expect(await reported("TARGET2 23:59 UTC")).toEqual(["not checked"]);
    expect(await reported("EUR 23:59 UTC, SEPA 00:00 UTC the day before")).toEqual(["cut_off_passed"]);
    expect(await reported("EUR 23:59 UTC")).toEqual([]);
    for (const cutOffs of [
      "SEPA 14:00",
      "SEPA 25:00 UTC",
      "SEPA 14:00 Berlin",
      "EUR 1:00 UTC",
      "EUR 10:00 UTC, EUR 11:00 UTC",
    ])
      expect(() => openClient(sandbox, { cutOffs })).toThrow(/^cutOffs must/);
  });

  test("CSV text keeps formulas as text, and names lines", async () => {
    const rows_csv = `name;iban;amount;reference\n"=HYPERLINK(1)";${ibanOf(7)};1.234,50;INV-77001\nX;DE00;2,00;Y-1234`;
    const prepared = await client.payments.prepareRun({ rows_csv, debtor_iban });
    expect(prepared.rows[0]).toMatchObject({ row: 2, payee: "=HYPERLINK(1)", amount: "1234.50" });
    expect(prepared.findings.filter(({ row }) => row !== undefined)).toMatchObject([
      { row: 3, code: "iban_invalid" },
    ]);
  });

  test("the same run twice is one payment, the same payment in another run is refused unless allowed", async () => {
    const rows = [rowOf(6_001), rowOf(6_002)];
    const before = bulkPosts(sandbox).length;
    const first = await client.payments.initiateRun({ rows, debtor_iban });
    const again = await client.payments.initiateRun({ rows, debtor_iban });
    expect([again.paymentId, again.run]).toEqual([first.paymentId, first.run]);
    expect(bulkPosts(sandbox)).toHaveLength(before + 1);
    const other = { rows: [rowOf(6_003), rows[1]!], debtor_iban };
    await expect(client.payments.initiateRun(other)).rejects.toMatchObject({
      code: "invalid_input",
      outcome: "not-sent",
      violations: [{ field: "rows, row 2" }],
    });
    const allowed = await client.payments.initiateRun({ ...other, allow_duplicates: [2] });
    expect(allowed.findings).toContainEqual(
      expect.objectContaining({ row: 2, severity: "warning", code: "duplicate_of_earlier" }),
    );
  });

  test("another spelling of a run is the same run, another order is not sent", async () => {
    const rows = [1, 2].map((number) => ({
      payee: `Person  ${number}`,
      iban: ibanOf(number),
      amount: "310",
    }));
    const respelt = rows.map(({ payee, iban }, index) => ({
      payee: `Person ${index + 1} `,
      iban: iban.replace(/(.{4})/g, "$1 "),
      amount: ["310.00", "0310.0"][index]!,
      currency: payee && "EUR",
    }));
    const before = bulkPosts(sandbox).length;
    const first = await client.payments.initiateRun({ rows, debtor_iban });
    const again = await client.payments.initiateRun({ rows: respelt, debtor_iban });
    expect([first.repeated, again.repeated, again.paymentId]).toEqual([false, true, first.paymentId]);
    const reversed = { rows: rows.toReversed(), debtor_iban };
    await expect(client.payments.initiateRun(reversed)).rejects.toMatchObject({ code: "conflict" });
    expect(bulkPosts(sandbox)).toHaveLength(before + 1);
  });

  test("passes on no link that is not https", async () => {
    const proxy = await startAlteringProxy(sandbox.xs2aUrl);
    proxy.alter = ({ body }) => (body._links = { scaRedirect: { href: "javascript:alert(1)" } });
    const altering = openClient(sandbox, { store, xs2aUrl: proxy.url });
    const result = await altering.payments.initiateRun({ rows: [rowOf(6_101)], debtor_iban });
    expect(result.messages).toContainEqual(expect.stringContaining("not https"));
    expect(JSON.stringify(result)).not.toContain("javascript");
  });

  test("repeated payments are found in any spelling of amount and references", async () => {
    const paid = rowOf(7_001, { amount: "77.10" });
    const salary = { ...rowOf(7_002, { amount: "78.00" }), reference: "Salary", end_to_end: "E2E-7002-1" };
    await client.payments.initiateRun({ rows: [paid, salary], debtor_iban });
    const repeated = [
      { ...paid, amount: "077.10" },
      { ...salary, end_to_end: "E2E-7002-2" },
    ];
    const { findings } = await client.payments.prepareRun({ rows: repeated, debtor_iban });
    expect(findings.map(({ row, code }) => [row, code])).toEqual([
      [1, "duplicate_of_earlier"],
      [2, "duplicate_of_earlier"],
    ]);
  });

  test.each(["AG", "", "\u200b", "GmbH & Co. KG"])(
    "another account is found if the name ends with %j",
    async (form) => {
      const paid = rowOf(7_101, { payee: "Brücken Bau Nord GmbH" });
      await client.payments.initiateRun({ rows: [paid], debtor_iban });
      const payees = [`Brücken Bau Nord ${form}`, `BRUECKENBAU NORD${form && ` ${form}`}`];
      const rows = payees.map((payee, index) => rowOf(7_110 + index, { payee }));
      const { findings } = await client.payments.prepareRun({ rows, debtor_iban });
      expect(findings.map(({ row, code }) => [row, code])).toEqual([
        [1, "account_changed"],
        [2, "account_changed"],
      ]);
    },
  );

  test("a run whose response is lost is not paid again, and listed as unknown", async () => {
    const rows = Array.from({ length: 500 }, (_, index) => rowOf(10_000 + index, { amount: "0.10" }));
    const before = bulkPosts(sandbox).length;
    sandbox.control.addFault({ operation: "payments.initiateBulk", kind: "reset-after" });
    const failed = client.payments.initiateRun({ rows, debtor_iban });
    await expect(failed).rejects.toMatchObject({ outcome: "unknown" });
    await expect(client.payments.initiateRun({ rows, debtor_iban })).rejects.toMatchObject({
      outcome: "unknown",
    });
    expect(bulkPosts(sandbox)).toHaveLength(before + 1);
    const { run } = await client.payments.prepareRun({ rows, debtor_iban });
    const followed = await client.payments.followRun({ run });
    expect([followed.status, followed.final, followed.payments.length]).toEqual(["unknown", false, 500]);
    expect(new Set(followed.payments.map(({ state }) => state))).toEqual(new Set(["unknown"]));
    const rest = openClient(sandbox, { store });
    const other = await rest.payments.prepareRun({ rows: [rows[3]!], debtor_iban });
    expect(other.findings).toMatchObject([{ row: 1, code: "duplicate_of_earlier", severity: "error" }]);
    const { reference: _, ...unreferenced } = rows[3]!;
    const unnamed = await rest.payments.prepareRun({ rows: [unreferenced], debtor_iban });
    expect(unnamed.findings).toMatchObject([{ row: 1, code: "duplicate_of_earlier", severity: "error" }]);
  });

  /** A client for which some reads return other bodies. */
  const altered = (bodies: Readonly<Record<string, (body: unknown) => unknown>>) =>
    openClient(sandbox, {
      store,
      interceptors: [
        async (call, next) => {
          const response = await next();
          const change = bodies[call.operation.name];
          return change ? { ...response, body: change(response.body) } : response;
        },
      ],
    });

  const executed = new Date(Date.now() - daysBehind * day).toISOString().slice(0, 10);
  const transferOf = (endToEnd: string, text: string, more = "") =>
    `<CdtTrfTxInf><PmtId><EndToEndId>${endToEnd}</EndToEndId></PmtId><Amt><InstdAmt Ccy="EUR">3.10</InstdAmt></Amt>
    <Cdtr><Nm>Brouwer BV</Nm>${more}</Cdtr><CdtrAcct><Id><IBAN>${ibanOf(90)}</IBAN></Id></CdtrAcct>
    <RmtInf><Ustrd>${text}</Ustrd></RmtInf></CdtTrfTxInf>`;
  const documentOf = (transfers: readonly string[]) =>
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>
    <GrpHdr><MsgId>M-1</MsgId><CreDtTm>${executed}T08:00:00Z</CreDtTm><NbOfTxs>${transfers.length}</NbOfTxs></GrpHdr>
    <PmtInf><PmtInfId>P-1</PmtInfId><PmtMtd>TRF</PmtMtd><ReqdExctnDt><Dt>${executed}</Dt></ReqdExctnDt>
    <DbtrAcct><Id><IBAN>${debtor_iban}</IBAN></Id></DbtrAcct>${transfers.join("")}</PmtInf></CstmrCdtTrfInitn></Document>`;
  const product = { "payment-product": "pain.001-sepa-credit-transfers" } as const;

  test("a refused payment is not taken for another one of the report", async () => {
    const document = documentOf([transferOf("E2E-7201", "INV-7201"), transferOf("NOTPROVIDED", "INV-7202")]);
    const { paymentId } = await client.payments.initiateBulk({ ...product, pain001: document });
    const report = `<Document><CstmrPmtStsRpt><OrgnlPmtInfAndSts>
      <TxInfAndSts><OrgnlEndToEndId>NOTPROVIDED</OrgnlEndToEndId><TxSts>RJCT</TxSts></TxInfAndSts>
      <TxInfAndSts><OrgnlEndToEndId>E2E-7201</OrgnlEndToEndId><TxSts>ACSC</TxSts></TxInfAndSts>
      </OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`;
    const reporting = altered({
      "payments.getStatus": (own) => (typeof own === "string" ? report : { transactionStatus: "ACSC" }),
    });
    const { payments } = await reporting.payments.followRun({ paymentId, ...product });
    expect(payments.map(({ state }) => state)).toEqual(["paid", "unknown"]);
    const unnamed = altered({
      "payments.getStatus": (own) =>
        typeof own === "string" ? report.replace("E2E-7201", "NOTPROVIDED") : { transactionStatus: "PART" },
    });
    const uncertain = await unnamed.payments.followRun({ paymentId, ...product });
    expect(uncertain.payments.map(({ state }) => state)).toEqual(["unknown", "unknown"]);
  });

  test("a payment that was paid again after its return is not taken for returned", async () => {
    const row = rowOf(7_301);
    const { paymentId } = await client.payments.initiateRun({ rows: [row], debtor_iban });
    const today = new Date().toISOString().slice(0, 10);
    const dayBefore = (days: number) => new Date(Date.parse(today) - days * day).toISOString();
    const followWith = async (entries: readonly (readonly [direction: string, daysAgo: number])[]) => {
      const withEntries = (own: readonly object[]) =>
        own.map((each, index) => {
          const [direction, daysAgo = 0] = entries[index] ?? [];
          return direction === undefined
            ? each
            : {
                ...each,
                amount: { amount: row.amount, currency: "EUR" },
                credit_debit_indicator: direction,
                value_datetime: dayBefore(daysAgo),
                transaction_reference: row.reference,
              };
        });
      let reads = 0;
      const following = altered({
        "payments.getStatus": () => ({ transactionStatus: "ACSC" }),
        "transactions.list": (own) => (reads++ === 0 ? withEntries(own as object[]) : own),
      });
      const followed = await following.payments.followRun({
        paymentId,
        "payment-product": "sepa-credit-transfers",
      });
      return followed.payments[0]!.state;
    };
    expect(
      await followWith([
        ["debit", 5],
        ["credit", 3],
        ["debit", 0],
      ]),
    ).toBe("paid");
    expect(
      await followWith([
        ["debit", 5],
        ["credit", 3],
      ]),
    ).toBe("paid");
    expect(
      await followWith([
        ["debit", 5],
        ["credit", 0],
        ["debit", 0],
      ]),
    ).toBe("unknown");
    expect(
      await followWith([
        ["debit", 0],
        ["credit", 0],
      ]),
    ).toBe("returned");
  });

  test("each payment is followed: paid, refused with the reason, returned", async () => {
    const address = "<PstlAdr><AdrLine>Kade 1</AdrLine><AdrLine>Rotterdam</AdrLine></PstlAdr>";
    const document = documentOf([
      transferOf("RUN-90001", "INV-90001"),
      transferOf("RUN-90002", "INV-90002 RETURN"),
      transferOf("RUN-90003", "INV-90003", address),
    ]);
    const { findings } = await client.payments.prepareRun({ pain001: document });
    expect(findings.filter(({ row }) => row !== undefined)).toMatchObject([
      { row: 3, code: "address_unstructured", severity: "error" },
    ]);
    const { paymentId } = await client.payments.initiateBulk({ ...product, pain001: document });
    authorise();
    sandbox.advance(10 * day);
    const { payments, final, not_checked } = await client.payments.followRun({ paymentId, ...product });
    expect(payments.map(({ state, code }) => [state, code])).toEqual([
      ["paid", undefined],
      ["returned", undefined],
      ["refused", "BE04"],
    ]);
    expect([final, not_checked]).toEqual([true, []]);
  });
});

test.each(engines())(
  "of runs that share a payment and are initiated at the same moment, one is sent: $name",
  async ({ create }) => {
    const sandbox = await openSandbox();
    const { location, key } = await create();
    const settings = { store: location, storeKey: key!.toString("base64") };
    const clients = [1, 2, 3, 4].map(() => openClient(sandbox, settings));
    const debtor_iban = await debtorOf(clients[0]!);
    const results = await Promise.allSettled(
      clients.map((each, index) =>
        each.payments.initiateRun({ rows: [rowOf(1), rowOf(10 + index)], debtor_iban }),
      ),
    );
    const refused = results.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
    expect(bulkPosts(sandbox)).toHaveLength(1);
    expect(refused).toMatchObject(
      Array.from({ length: 3 }, () => ({ code: "invalid_input", violations: [{ field: "rows, row 1" }] })),
    );
  },
);

test("a released run is sent once as released; another row is another run, and the waiting one is its duplicate", async () => {
  const place = await createReleaseFixture({
    policy: { people: [...people], rules: [{ effects: ["money"], from: ["anna", "bert"] }] },
  });
  const desk = place.client();
  const debtor_iban = await debtorOf(desk);
  const rows = [rowOf(1), rowOf(2)];
  const request = await desk.payments.initiateRun({ rows, debtor_iban }).catch((error: unknown) => error);
  expect(request).toMatchObject({ code: "release_needed", outcome: "not-sent" });
  const { release } = request as { release: string };
  const changed = { rows: [rows[0]!, { ...rows[1]!, amount: "99.00" }], debtor_iban };
  await expect(desk.payments.initiateRun(changed)).rejects.toMatchObject({
    code: "invalid_input",
    violations: [{ field: "rows, row 1" }],
  });
  const other = await place.client({ as: "carl" }).payments.prepareRun({ rows, debtor_iban });
  const finding = other.findings.find(({ row }) => row === 1);
  expect(finding).toMatchObject({ code: "duplicate_of_earlier", severity: "error" });
  expect(finding!.message).not.toContain(release);
  const moved = { rows: [{ ...rows[0]!, iban: ibanOf(77), amount: "5.00" }], debtor_iban };
  const { findings } = await desk.payments.prepareRun(moved);
  expect(findings).toEqual([]);
  await place.decide(release, "anna");
  const sent = await desk.payments.initiateRun({ rows, debtor_iban });
  const again = await desk.payments.initiateRun({ rows, debtor_iban });
  expect([bulkPosts(place.sandbox).length, again.paymentId]).toEqual([1, sent.paymentId]);
  const bulk = { "payment-product": "sepa-credit-transfers", paymentId: sent.paymentId } as const;
  expect((await desk.payments.getBulk(bulk)) as object).toMatchObject({
    payments: rows.map(({ amount }) => ({ instructedAmount: { amount } })),
  });

  // A repetition on purpose, and another account, are shown to the people who release, and do not change what is sent.
  const repeated = { ...moved, rows: [...moved.rows, rows[1]!], allow_duplicates: [2] };
  const waiting = (await desk.payments.initiateRun(repeated).catch((error: unknown) => error)) as {
    release: string;
  };
  const { sealed } = (await place.service.get(waiting.release)).release;
  const [warnings] = describeTerms(sealed, []).tables;
  expect(warnings).toMatchObject({ title: "Warnings" });
  expect(
    warnings!.rows
      .flat()
      .map((text) => /^Row \d/.exec(text)?.[0])
      .filter(Boolean),
  ).toEqual(["Row 1", "Row 2"]);
  await place.decide(waiting.release, "anna");
  expect(await desk.payments.initiateRun(repeated)).toMatchObject({ repeated: false });
});

test("a run that was recorded and never sent is checked again", async () => {
  const place = await createReleaseFixture({
    policy: { people: [...people], rules: [{ operations: ["trades.book"], from: ["anna"] }] },
  });
  const desk = place.client();
  const rows = [rowOf(1)];
  const run = { debtor_iban: await debtorOf(desk), rows };
  await desk.payments.initiateRun(run);
  const again = { ...run, date: nextBusinessDay(addDays(dayOf(new Date()), 5), ["EUR"]) };
  const { run: key } = await desk.payments.prepareRun(again);
  const journal = closeLater(await openJournal(place.store));
  const [made] = await journal.list();
  await journal.claim({ ...made!, ...made!.intent!, key, details: made!.intent! } as never, 1);
  await expect(desk.payments.initiateRun(again)).rejects.toMatchObject({ code: "invalid_input" });
  expect(bulkPosts(place.sandbox)).toHaveLength(1);
});

const createPlaceForRuns = () =>
  createReleaseFixture({
    policy: {
      people: [...people],
      rules: [{ operations: ["payments.initiateBulk"], from: ["anna", "bert"] }],
      quoteEverySeconds: 0.05,
    },
  });

test("a released run that repeats a payment made meanwhile ends unsent and names it; one that was shown is sent", async () => {
  const place = await createPlaceForRuns();
  const desk = place.client();
  const debtor_iban = await debtorOf(desk);
  const requestOf = async (run: Parameters<typeof desk.payments.initiateRun>[0]) =>
    (await desk.payments.initiateRun(run).catch((error: unknown) => error)) as { release: string };
  const paid = async (number: number, how: object = {}) => {
    const { payee, iban, amount, reference } = rowOf(number);
    const made = await place.client({ as: "carl" }).payments.initiate.response(
      {
        "payment-service": "payments",
        "payment-product": "sepa-credit-transfers",
        "TPP-Redirect-URI": "https://client.example/back",
        debtorAccount: { iban: debtor_iban },
        instructedAmount: { amount, currency: "EUR" },
        creditorAccount: { iban },
        creditorName: payee,
        remittanceInformationUnstructured: reference,
        ...how,
      } as never,
      { key: `carl-${number}` },
    );
    return made.journal!.entry;
  };
  const ended = (id: string, reached: (report: ReleaseReport) => boolean) =>
    eventually(
      async () => {
        const report = await desk.orders.get(id);
        return reached(report) && report;
      },
      { withinMs: 10_000, what: `the state of ${id}` },
    );

  const run = { debtor_iban, rows: [rowOf(1), rowOf(2)] };
  const { release } = await requestOf(run);
  const entry = await paid(2);
  await place.decide(release, "anna");
  const { remark } = await ended(release, ({ state }) => state === "cancelled");
  expect(remark).toContain(entry);
  expect(remark).toContain(`Payment 2 of 2 (${rowOf(2).amount} EUR to ${rowOf(2).payee}, ${rowOf(2).iban})`);
  const { releases } = await desk.orders.list({ states: ["cancelled"] });
  expect(releases).toMatchObject([{ release, remark }]);
  await expect(desk.payments.initiateRun(run)).rejects.toMatchObject({ code: "invalid_input" });
  expect(bulkPosts(place.sandbox)).toHaveLength(0);

  const own = { debtor_iban, rows: [rowOf(3)] };
  const shown = await requestOf({ ...run, allow_duplicates: [2] });
  const second = await requestOf(own);
  place.sandbox.control.addFault({ operation: "payments.initiate", kind: "reset-after" });
  const { journal } = (await paid(3).catch((error: unknown) => error)) as { journal: { entry: string } };
  await place.decide(shown.release, "anna");
  await ended(shown.release, ({ outcome }) => outcome === "done");
  expect(bulkPosts(place.sandbox)).toHaveLength(1);

  // As long as the outcome of the other payment is not known, the run waits.
  await place.decide(second.release, "anna");
  const held = await ended(second.release, ({ remark: words }) => words !== undefined);
  expect(held).toMatchObject({ state: "released", remark: expect.stringContaining(journal.entry) });
  await withStore(place.store, (store) =>
    resolveEntry(store, journal.entry, {
      state: "rejected",
      identity: undefined,
      note: "Not found.",
      actor: "dora",
    }),
  );
  await ended(second.release, ({ outcome }) => outcome === "done");
  expect(bulkPosts(place.sandbox)).toHaveLength(2);

  // Neither a payment without the IBAN nor one whose details were erased tells that it is another one.
  const named = await requestOf({ debtor_iban, rows: [rowOf(4)] });
  const unnamedEntry = await paid(4, {
    "payment-product": "cross-border-credit-transfers",
    creditorAccount: { bban: "539007547034" },
  });
  await place.decide(named.release, "anna");
  const ofUnnamed = await ended(named.release, ({ state }) => state === "cancelled");
  expect(ofUnnamed).toMatchObject({ remark: expect.stringContaining(unnamedEntry) });

  const unread = await requestOf({ debtor_iban, rows: [rowOf(5)] });
  const erasedEntry = await paid(6);
  await withStore(place.store, (store) => eraseDetails(store, erasedEntry));
  await place.decide(unread.release, "anna");
  const ofErased = await ended(unread.release, ({ state }) => state === "cancelled");
  expect(ofErased).toMatchObject({ remark: expect.stringContaining(erasedEntry) });
  expect(bulkPosts(place.sandbox)).toHaveLength(2);

  const known = await requestOf({ debtor_iban, rows: [rowOf(5)] });
  await place.decide(known.release, "anna");
  await ended(known.release, ({ outcome }) => outcome === "done");
  expect(bulkPosts(place.sandbox)).toHaveLength(3);
});

test("of released runs that share a payment and are sent at the same moment, none waits for the other for good", async () => {
  const place = await createPlaceForRuns();
  const desk = place.client();
  const debtor_iban = await debtorOf(desk);
  const requestOf = async (run: object) => {
    const error: unknown = await desk.payments
      .initiateRun({ debtor_iban, ...run })
      .catch((reason: unknown) => reason);
    return (error as { release: string }).release;
  };
  const earlier = await requestOf({ rows: [rowOf(1), rowOf(2)] });
  const later = await requestOf({ rows: [rowOf(2), rowOf(3)], allow_duplicates: [1] });
  // Its executor would send the first one before the second is released.
  await desk.close();
  for (const id of [earlier, later]) await place.decide(id, "anna");
  for (const as of ["carl", "dora"]) await place.client({ as }).orders.start();
  const ended = (id: string) =>
    eventually(
      async () => {
        const { state, progress } = (await place.service.get(id)).release;
        return progress.outcome ?? (state === "cancelled" && state);
      },
      { withinMs: 10_000, what: `the end of ${id}` },
    );
  expect(await ended(later)).toBe("done");
  // The later run was shown beside the earlier one, not the other way round.
  const isSent = (await ended(earlier)) === "done";
  expect(bulkPosts(place.sandbox)).toHaveLength(isSent ? 2 : 1);
});

test("a requester whose clock is ahead hides no payment that was made meanwhile", async () => {
  const place = await createPlaceForRuns();
  const desk = place.client();
  const { payee, iban, amount, reference } = rowOf(1);
  const request = {
    "payment-product": "sepa-credit-transfers",
    "TPP-Redirect-URI": "https://client.example/back",
    debtorAccount: { iban: await debtorOf(desk) },
  };
  const transfer = {
    instructedAmount: { amount, currency: "EUR" },
    creditorAccount: { iban },
    creditorName: payee,
    remittanceInformationUnstructured: reference,
  };
  const compared = { by: "payments.initiateRun", at: Date.now() + 2 * 3_600_000, known: [] };
  const asked: unknown = await desk.payments
    .initiateBulk({ ...request, payments: [transfer] } as never, { key: "run", compared })
    .catch((error: unknown) => error);
  const { release } = asked as { release: string };
  const single = { ...request, ...transfer, "payment-service": "payments" };
  await place.client({ as: "carl" }).payments.initiate(single as never, { key: "single" });
  await place.decide(release, "anna");
  const { state } = await eventually(
    async () => {
      const report = await desk.orders.get(release);
      return report.state !== "released" && report;
    },
    { withinMs: 10_000, what: `the end of ${release}` },
  );
  expect(state).toBe("cancelled");
});
