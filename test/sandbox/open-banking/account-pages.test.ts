/** Tests paging of transaction reports, read limits and history limits. */
import { demo } from "@fxdesk/sandbox";
import { openBanking } from "../../../sandbox/src/open-banking/account-information";
import { consentDecision, createConsent } from "../../../sandbox/src/world/open-banking/consents";
import { balanceAccount } from "../../../sandbox/src/world/ledger/ledger";
import { operationNamed } from "../../support/operations";
import { startInProcess } from "../support/in-process";
import { type Bank, consentTerms, day, euroAccount, minute, openBank, refusal, validConsent } from "./bank";

const person = { psu: { "PSU-IP-Address": "192.0.2.7" } };

let bank: Bank;
let account: string;
beforeEach(async () => {
  bank = await openBank({}, 365);
  account = (await euroAccount(bank)).resourceId;
});
afterEach(() => bank.close());

type Listing = Parameters<Bank["client"]["openBanking"]["listTransactions"]>[0];

const listing = (consentId: string) => ({
  "Consent-ID": consentId,
  "account-id": account,
  bookingStatus: "booked" as const,
  dateFrom: "2026-03-01",
});

const reportOf = (consentId: string, more: Partial<Omit<Listing, "Accept">> = {}, options: object = {}) =>
  bank.client.openBanking.listTransactions({ ...listing(consentId), ...more }, options);

const statementOf = (consentId: string, more: Partial<Listing> = {}) =>
  bank.client.openBanking.listTransactions({ ...listing(consentId), ...more, Accept: "text/plain" }, person);

type Report = Awaited<ReturnType<typeof reportOf>>;

const pageIn = (link: { href?: string | undefined } | undefined) =>
  link && Number(new URL(link.href!, bank.sandbox.xs2aUrl).searchParams.get("page"));

/** Links of a page: first, previous, next, last. */
const linksOf = ({ transactions }: Report) => {
  const { first, previous, next, last } = transactions!._links;
  return [first, previous, next, last].map(pageIn);
};

function payIn(times: number): void {
  for (let number = 1; number <= times; number += 1)
    bank.sandbox.control.payIn({ currency: "EUR", amount: "1.00", reference: `NO-${number}` });
  bank.sandbox.advance(day);
}

const noMore = refusal(429, "ACCESS_EXCEEDED");

describe("a long report", () => {
  test("comes in linked pages that add up to all entries", async () => {
    payIn(700);
    const consentId = await validConsent(bank);
    const pages: Report[] = [];
    for (let page: number | undefined = 0; page !== undefined; page = linksOf(pages.at(-1)!)[2])
      pages.push(await reportOf(consentId, { page }, person));
    const whole = await bank.client.openBanking.listTransactions.whole(listing(consentId), person);
    expect(pages.map(linksOf)).toEqual([
      [0, undefined, 1, 2],
      [0, 0, 2, 2],
      [0, 1, undefined, 2],
    ]);
    const entries = pages.flatMap(({ transactions }) => transactions!.booked!);
    expect(whole.transactions!.booked).toEqual(entries);
    expect(pages.map(({ transactions }) => transactions!.booked!.length)).toEqual([
      500,
      500,
      entries.length - 1_000,
    ]);
    expect(new Set(entries.map(({ transactionId }) => transactionId)).size).toBe(entries.length);
    expect(entries.filter(({ endToEndId }) => endToEndId?.startsWith("NO-"))).toHaveLength(700);
    const dates = entries.map(({ bookingDate }) => bookingDate!);
    expect(dates).toEqual(dates.toSorted().toReversed());
  });

  test("preserves the query in its links", async () => {
    payIn(600);
    const { transactions } = await reportOf(await validConsent(bank));
    const next = new URL(transactions!._links.next!.href!, bank.sandbox.xs2aUrl);
    expect(next.pathname).toBe(`/v1/accounts/${account}/transactions`);
    expect(Object.fromEntries(next.searchParams)).toEqual({
      bookingStatus: "booked",
      dateFrom: "2026-03-01",
      page: "1",
    });
  });

  test("continues a delta through its pages", async () => {
    const consentId = await validConsent(bank);
    await reportOf(consentId);
    payIn(300);
    const delta = { dateFrom: undefined, deltaList: true };
    const first = await reportOf(consentId, delta);
    const second = await reportOf(consentId, { ...delta, page: 1 });
    const entries = [first, second].flatMap(({ transactions }) => transactions!.booked!);
    expect(entries.length).toBeGreaterThan(500);
    expect(entries.filter(({ endToEndId }) => endToEndId?.startsWith("NO-"))).toHaveLength(300);
    expect((await reportOf(consentId, delta)).transactions!.booked).toEqual([]);
  });
});

test("starts a delta after the last report, including statements", async () => {
  const consentId = await validConsent(bank);
  const delta = async () =>
    (await reportOf(consentId, { dateFrom: undefined, deltaList: true }, person)).transactions!.booked!;
  await reportOf(consentId, {}, person);
  payIn(1);
  await expect(reportOf(consentId, { entryReferenceFrom: "nothing" }, person)).rejects.toMatchObject(
    refusal(400, "RESOURCE_UNKNOWN"),
  );
  expect((await delta()).map(({ endToEndId }) => endToEndId)).toContain("NO-1");
  payIn(1);
  expect(await statementOf(consentId)).toContain(":86:");
  expect(await delta()).toEqual([]);
});

test.each<[string, Partial<Omit<Listing, "Accept">>]>([
  ["of standing orders", { bookingStatus: "information", dateFrom: undefined }],
  ["of pending entries", { bookingStatus: "pending" }],
  ["of a past period", { dateFrom: "2026-02-01", dateTo: "2026-02-28" }],
  ["of a future period", { dateFrom: "2026-04-01", dateTo: "2026-04-30" }],
])("does not move the next delta for a report %s", async (_what, more) => {
  const consentId = await validConsent(bank);
  await reportOf(consentId, {}, person);
  payIn(1);
  await reportOf(consentId, more, person);
  const delta = await reportOf(consentId, { dateFrom: undefined, deltaList: true }, person);
  expect(delta.transactions!.booked!.map(({ endToEndId }) => endToEndId)).toContain("NO-1");
});

test("includes entries booked during a statement in the next delta", async () => {
  const inProcessSandbox = startInProcess(new Date("2026-03-02T09:00:00Z"));
  const { world } = inProcessSandbox;
  const client = world.clients.get(demo.clientId)!;
  const eur = world.accountsOf(client).find(({ currency }) => currency === "EUR")!;
  const consent = createConsent(world, client, consentTerms);
  consentDecision.decide(world, consent.consentId, true);
  const request = { headers: { accept: "text/plain" }, url: "/", method: "GET", path: {}, query: {} };
  const values = { ...listing(consent.consentId), "account-id": eur.accountId };
  const operation = operationNamed("openBanking.listTransactions");
  const call = { operation, client, world, request, values };
  const writing = openBanking["openBanking.listTransactions"](call as never);
  inProcessSandbox.control.payIn({ currency: "EUR", amount: "1.00", reference: "MEANWHILE" });
  expect((await writing).body).not.toContain("MEANWHILE");
  const { until } = consent.reported.get(eur.accountId)!;
  const [next] = world.ledger.lines(balanceAccount(eur, "InterimAvailable")).slice(until);
  expect(next!.entry.reference).toBe("MEANWHILE");
  await inProcessSandbox.close();
});

test.each([["application/json"], ["application/xml"], ["text/plain"]] as const)(
  "accepts the first and last calendar day, in %s",
  async (Accept) => {
    const response = await bank.client.openBanking.listTransactions({
      "Consent-ID": await validConsent(bank),
      "account-id": account,
      bookingStatus: "booked",
      dateFrom: "0001-01-01",
      dateTo: "9999-12-31",
      Accept,
    });
    expect(JSON.stringify(response)).toContain("Opening balance");
  },
);

test("returns no links and no entries beyond a single page", async () => {
  const consentId = await validConsent(bank);
  const report = await reportOf(consentId);
  expect(Object.keys(report.transactions!._links)).toEqual(["account"]);
  const beyond = await reportOf(consentId, { page: 7 });
  expect(beyond.transactions!.booked).toEqual([]);
});

describe("without a person, another page", () => {
  let consentId: string;
  beforeEach(async () => {
    consentId = await validConsent(bank, { frequencyPerDay: 1 });
    await reportOf(consentId);
  });

  test("within 15 minutes is part of the same read", async () => {
    bank.sandbox.advance(14 * minute);
    await reportOf(consentId, { page: 1 });
    await reportOf(consentId, { page: 2 });
    await expect(reportOf(consentId, { page: 2 })).rejects.toMatchObject(noMore);
    await expect(reportOf(consentId)).rejects.toMatchObject(noMore);
  });

  test("after 15 minutes is another read", async () => {
    bank.sandbox.advance(15 * minute);
    await expect(reportOf(consentId, { page: 1 })).rejects.toMatchObject(noMore);
  });
});

describe("entries of more than 90 days ago", () => {
  const old = { dateFrom: "2025-12-01" };
  const tooOld = refusal(400, "PERIOD_INVALID");

  test("are available for 20 minutes after the authorisation", async () => {
    const consentId = await validConsent(bank);
    bank.sandbox.advance(19 * minute);
    expect((await reportOf(consentId, old, person)).transactions!.booked!.at(-1)!.bookingDate).toMatch(
      /^2025-12/,
    );
    bank.sandbox.advance(minute);
    await expect(reportOf(consentId, old, person)).rejects.toMatchObject(tooOld);
    await expect(statementOf(consentId, old)).rejects.toMatchObject(tooOld);
    await reportOf(consentId, { dateFrom: "2025-12-02" }, person);
    await expect(reportOf(consentId, { dateFrom: "2025-12-01" }, person)).rejects.toMatchObject(tooOld);
  });

  test("are excluded from deltas", async () => {
    const consentId = await validConsent(bank);
    const all = (await reportOf(consentId, { dateFrom: "2025-03-02" }, person)).transactions!.booked!;
    const late = await validConsent(bank);
    bank.sandbox.advance(21 * minute);
    const delta = await reportOf(late, { dateFrom: undefined, deltaList: true }, person);
    expect(delta.transactions!.booked!.at(-1)!.bookingDate! >= "2025-12-02").toBe(true);
    const { entryReference } = all.findLast(({ bookingDate }) => bookingDate! < "2025-12-02")!;
    await expect(
      reportOf(late, { dateFrom: undefined, entryReferenceFrom: entryReference }, person),
    ).rejects.toMatchObject(tooOld);
  });
});
