/** Tests account information under a consent: content, access, paging of reports, read limits and history limits. */
import { demo } from "@fxdesk/sandbox";
import { openBanking } from "../../../sandbox/src/open-banking/account-information";
import { consentDecision, createConsent } from "../../../sandbox/src/world/open-banking/consents";
import { balanceAccount } from "../../../sandbox/src/world/ledger/ledger";
import { operationNamed } from "../../support/operations";
import { closeLater } from "../../support/resources";
import { startInProcess } from "../support/in-process";
import {
  type Bank,
  consentTerms,
  day,
  euroAccount,
  minute,
  openBank,
  person,
  refusal,
  sortTexts,
  today,
  validConsent,
} from "./bank";

let bank: Bank;
let account: { readonly resourceId: string; readonly iban: string };

const attended = { psu: person };

const read = (consentId: string, accountId = account.resourceId) => ({
  "Consent-ID": consentId,
  "account-id": accountId,
});

const accountsUnder = (consentId: string, options: object = {}) =>
  bank.client.openBanking.listAccounts({ "Consent-ID": consentId }, options);

type Listing = Parameters<Bank["client"]["openBanking"]["listTransactions"]>[0];

const listing = (consentId: string) => ({
  ...read(consentId),
  bookingStatus: "booked" as const,
  dateFrom: "2026-03-01",
});

const reportOf = (consentId: string, more: Partial<Omit<Listing, "Accept">> = {}, options: object = {}) =>
  bank.client.openBanking.listTransactions({ ...listing(consentId), ...more }, options);

const statementOf = (consentId: string, more: Partial<Listing> = {}) =>
  bank.client.openBanking.listTransactions(
    { ...listing(consentId), ...more, Accept: "text/plain" },
    attended,
  );

const delta = { dateFrom: undefined, deltaList: true };

const noMore = { name: "RateLimited", ...refusal(429, "ACCESS_EXCEEDED") };

describe("with a person", () => {
  beforeAll(async () => {
    bank = await openBank(person);
    account = await euroAccount(bank);
  });

  test("lists the accounts of the JSON interface with equal balances", async () => {
    const { client } = bank;
    const consentId = await validConsent(bank);
    const { accounts } = await client.openBanking.listAccounts({
      "Consent-ID": consentId,
      withBalance: true,
    });
    const others = await client.accounts.list({ currencies: "EUR,GBP,USD,JPY" });
    expect(sortTexts(accounts.map(({ resourceId }) => resourceId))).toEqual(
      sortTexts(others.map(({ account_id }) => account_id)),
    );
    for (const { resourceId, currency, balances } of accounts) {
      const [balance] = await client.accounts.listBalances({ account_id: resourceId! });
      const available = balances!.find(({ balanceType }) => balanceType === "interimAvailable");
      expect(available!.balanceAmount).toEqual({ currency, amount: balance!.amount.amount });
    }
  });

  test("lists the transactions of the JSON interface with negative debits", async () => {
    const { transactions } = await reportOf(await validConsent(bank), { dateFrom: "2025-03-02" });
    const signed = [];
    for await (const each of bank.client.transactions.list.all({ account_id: account.resourceId }))
      signed.push([
        each.transaction_id,
        `${each.credit_debit_indicator === "Debit" ? "-" : ""}${each.amount.amount}`,
      ]);
    expect(signed.length).toBeGreaterThan(100);
    expect(
      transactions!.booked!.map(({ transactionId, transactionAmount }) => [
        transactionId,
        transactionAmount.amount,
      ]),
    ).toEqual(signed);
  });

  test("lists transaction codes, and rates of exchanges", async () => {
    const { transactions } = await reportOf(await validConsent(bank), { dateFrom: "2026-02-01" });
    const entries = transactions!.booked!;
    const exchange = entries.find(({ currencyExchange }) => currencyExchange)!;
    expect(exchange.bankTransactionCode).toBe("FORX-SPOT-OTHR");
    expect(exchange.currencyExchange).toEqual([
      {
        sourceCurrency: "EUR",
        exchangeRate: expect.stringMatching(/^\d+\.\d{1,6}$/) as string,
        unitCurrency: "EUR",
        targetCurrency: expect.stringMatching(/^(USD|GBP)$/) as string,
        quotationDate: expect.stringMatching(/^2026-0[23]-\d\d$/) as string,
        contractIdentification: expect.stringMatching(/^TR\d{10}$/) as string,
      },
    ]);
    for (const { bankTransactionCode } of entries)
      expect(bankTransactionCode).toMatch(/^[A-Z]{4}-[A-Z]{4}-[A-Z]{4}$/);
  });

  test("includes both days of the period", async () => {
    const consentId = await validConsent(bank);
    const days = async (dateFrom: string, dateTo: string) =>
      (await reportOf(consentId, { dateFrom, dateTo })).transactions!.booked!.map(
        ({ bookingDate }) => bookingDate,
      );
    const month = await days("2026-02-01", "2026-02-28");
    const [last, first] = [month[0]!, month.at(-1)!];
    expect(last > first).toBe(true);
    expect(await days(first, last)).toEqual(month);
    expect(await days(first, first)).toEqual(month.filter((each) => each === first));
  });

  test.each([
    ["booked", "application/json"],
    ["booked", "application/xml"],
    ["booked", "text/plain"],
    ["pending", "application/json"],
    ["both", "application/json"],
  ] as const)(
    "refuses a period of %s entries that starts in the future, in %s",
    async (bookingStatus, Accept) => {
      const input = { ...listing(await validConsent(bank)), bookingStatus, Accept };
      const ask = (dateFrom: string) => bank.client.openBanking.listTransactions({ ...input, dateFrom });
      await expect(ask("2026-03-03")).rejects.toMatchObject(refusal(400, "PERIOD_INVALID"));
      expect(await ask(today)).toBeTruthy();
    },
  );

  test.each([["application/json"], ["application/xml"], ["text/plain"]] as const)(
    "accepts the first and last calendar day, in %s",
    async (Accept) => {
      const period = { dateFrom: "0001-01-01", dateTo: "9999-12-31" };
      const input = { ...listing(await validConsent(bank)), ...period, Accept };
      expect(JSON.stringify(await bank.client.openBanking.listTransactions(input))).toContain(
        "Opening balance",
      );
    },
  );

  test("starts a delta after a given entry", async () => {
    const consentId = await validConsent(bank);
    const entries = async (more: object) => (await reportOf(consentId, more)).transactions!.booked!;
    const all = await entries({ dateFrom: "2025-03-02" });
    const after = { dateFrom: undefined, entryReferenceFrom: all[3]!.entryReference };
    expect(await entries(after)).toEqual(all.slice(0, 3));
  });

  test("requires consent for each use of an account", async () => {
    const { openBanking: interface_ } = bank.client;
    const consentId = await validConsent(bank, { access: { balances: [{ iban: account.iban }] } });
    const { accounts } = await interface_.listAccounts({ "Consent-ID": consentId, withBalance: true });
    expect(accounts).toHaveLength(1);
    expect(Object.keys(accounts[0]!._links!)).toEqual(["balances"]);
    const { balances } = await interface_.listBalances(read(consentId));
    expect(balances).toEqual(accounts[0]!.balances);
    expect((await interface_.getAccount({ ...read(consentId), withBalance: true })).account).toEqual(
      accounts[0],
    );
    await expect(reportOf(consentId)).rejects.toMatchObject(refusal(401, "CONSENT_INVALID"));
  });

  test.each([
    ["availableAccounts", [], false],
    ["availableAccountsWithBalance", ["balances"], false],
    ["allPsd2", ["balances", "transactions"], true],
  ] as const)("grants the access that %s names", async (word, links, named) => {
    const access = { [word]: named ? "allAccountsWithOwnerName" : "allAccounts" };
    const { accounts } = await accountsUnder(await validConsent(bank, { access }));
    expect(accounts).toHaveLength(4);
    expect(Object.keys(accounts[0]!._links!)).toEqual(links);
    expect(accounts[0]!.ownerName !== undefined).toBe(named);
  });

  test("responds to an unknown account with 404 whatever the consent", async () => {
    const consentId = await validConsent(bank);
    await expect(bank.client.openBanking.getAccount(read(consentId, "nothing"))).rejects.toMatchObject(
      refusal(404, "RESOURCE_UNKNOWN"),
    );
  });

  const ended = async () => {
    const consentId = await validConsent(bank);
    await bank.client.consents.delete({ "consent-id": consentId });
    return consentId;
  };
  const replaced = async () => {
    const consentId = await validConsent(bank);
    await validConsent(bank);
    return consentId;
  };

  test.each<[string, () => Promise<string>, number, string]>([
    ["unknown", async () => "nobody", 400, "CONSENT_UNKNOWN"],
    [
      "not authorised",
      async () => (await bank.client.consents.create(consentTerms)).consentId,
      401,
      "CONSENT_INVALID",
    ],
    ["replaced", replaced, 401, "CONSENT_EXPIRED"],
    ["ended", ended, 401, "CONSENT_INVALID"],
  ])("refuses a consent that is %s", async (_state, consent, status, code) => {
    await expect(accountsUnder(await consent())).rejects.toMatchObject(refusal(status, code));
  });
});

describe("in the course of time", () => {
  beforeEach(async () => {
    bank = await openBank();
    account = await euroAccount(bank);
  });

  test("calls without a person are counted by day, call and account", async () => {
    const consentId = await validConsent(bank, { frequencyPerDay: 2 });
    await accountsUnder(consentId);
    const { accounts } = await accountsUnder(consentId);
    await expect(accountsUnder(consentId)).rejects.toMatchObject(noMore);
    for (const { resourceId } of accounts)
      await bank.client.openBanking.listBalances(read(consentId, resourceId));
    await accountsUnder(consentId, attended);
    bank.sandbox.advance(day);
    expect((await accountsUnder(consentId)).accounts).toHaveLength(4);
  });

  test("refused calls neither count nor update the last action", async () => {
    const { client, sandbox } = bank;
    const access = { transactions: [{ iban: account.iban }] };
    const consentId = await validConsent(bank, { access, frequencyPerDay: 1 });
    const lastAction = async () => (await client.consents.get({ "consent-id": consentId })).lastActionDate;
    const authorisedOn = await lastAction();
    sandbox.advance(day);
    for (const [refused, status, code] of [
      [() => reportOf(consentId, { dateFrom: "2025-03-01" }), 400, "PERIOD_INVALID"],
      [() => statementOf(consentId, { dateFrom: "2025-03-01" }), 400, "PERIOD_INVALID"],
      [
        () => reportOf(consentId, { dateFrom: undefined, entryReferenceFrom: "nothing" }),
        400,
        "RESOURCE_UNKNOWN",
      ],
      [() => client.openBanking.listBalances(read(consentId)), 401, "CONSENT_INVALID"],
    ] as const)
      await expect(refused()).rejects.toMatchObject(refusal(status, code));
    expect(await lastAction()).toBe(authorisedOn);
    await reportOf(consentId);
    expect(await lastAction()).toBe(authorisedOn);
    await expect(reportOf(consentId)).rejects.toMatchObject(noMore);
    await client.consents.delete({ "consent-id": consentId });
    expect(await lastAction()).not.toBe(authorisedOn);
  });

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

  const paidIn = (reports: readonly Report[]) =>
    reports
      .flatMap(({ transactions }) => transactions!.booked!)
      .filter(({ endToEndId }) => endToEndId?.startsWith("NO-"));

  describe("a long report", () => {
    test("comes in linked pages that add up to all entries", async () => {
      payIn(700);
      const consentId = await validConsent(bank);
      const pages: Report[] = [];
      for (let page: number | undefined = 0; page !== undefined; page = linksOf(pages.at(-1)!)[2])
        pages.push(await reportOf(consentId, { page }, attended));
      const whole = await bank.client.openBanking.listTransactions.whole(listing(consentId), attended);
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
      expect(paidIn(pages)).toHaveLength(700);
      const dates = entries.map(({ bookingDate }) => bookingDate!);
      expect(dates).toEqual(dates.toSorted().toReversed());
      const next = new URL(pages[0]!.transactions!._links.next!.href!, bank.sandbox.xs2aUrl);
      expect(next.pathname).toBe(`/v1/accounts/${account.resourceId}/transactions`);
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
      const pages = [await reportOf(consentId, delta), await reportOf(consentId, { ...delta, page: 1 })];
      expect(pages[0]!.transactions!.booked).toHaveLength(500);
      expect(paidIn(pages)).toHaveLength(300);
      expect((await reportOf(consentId, delta)).transactions!.booked).toEqual([]);
    });
  });

  test("returns no links and no entries beyond a single page", async () => {
    const consentId = await validConsent(bank);
    const report = await reportOf(consentId);
    expect(Object.keys(report.transactions!._links)).toEqual(["account"]);
    expect((await reportOf(consentId, { page: 7 })).transactions!.booked).toEqual([]);
  });

  test("starts a delta after the last report, including statements", async () => {
    const consentId = await validConsent(bank);
    const next = async () => paidIn([await reportOf(consentId, delta, attended)]);
    await reportOf(consentId, {}, attended);
    payIn(1);
    await expect(
      reportOf(consentId, { dateFrom: undefined, entryReferenceFrom: "nothing" }, attended),
    ).rejects.toMatchObject(refusal(400, "RESOURCE_UNKNOWN"));
    expect(await next()).toHaveLength(1);
    payIn(1);
    expect(await statementOf(consentId)).toContain(":86:");
    expect(await next()).toEqual([]);
  });

  test.each<[string, Partial<Omit<Listing, "Accept">>]>([
    ["of standing orders", { bookingStatus: "information", dateFrom: undefined }],
    ["of pending entries", { bookingStatus: "pending" }],
    ["of a past period", { dateFrom: "2026-02-01", dateTo: "2026-02-28" }],
    ["of a future period", { dateFrom: "2026-04-01", dateTo: "2026-04-30" }],
  ])("does not move the next delta for a report %s", async (_what, more) => {
    const consentId = await validConsent(bank);
    await reportOf(consentId, {}, attended);
    payIn(1);
    await reportOf(consentId, more, attended);
    expect(paidIn([await reportOf(consentId, delta, attended)])).toHaveLength(1);
  });

  test("includes entries booked during a statement in the next delta", async () => {
    const { world, control } = closeLater(startInProcess(new Date("2026-03-02T09:00:00Z")));
    const client = world.clients.get(demo.clientId)!;
    const eur = world.accountsOf(client).find(({ currency }) => currency === "EUR")!;
    const consent = createConsent(world, client, consentTerms);
    consentDecision.decide(world, consent.consentId, true);
    const request = { headers: { accept: "text/plain" }, url: "/", method: "GET", path: {}, query: {} };
    const values = { ...listing(consent.consentId), "account-id": eur.accountId };
    const operation = operationNamed("openBanking.listTransactions");
    const call = { operation, client, world, request, values };
    const writing = openBanking["openBanking.listTransactions"](call as never);
    control.payIn({ currency: "EUR", amount: "1.00", reference: "MEANWHILE" });
    expect((await writing).body).not.toContain("MEANWHILE");
    const { until } = consent.reported.get(eur.accountId)!;
    const [next] = world.ledger.lines(balanceAccount(eur, "InterimAvailable")).slice(until);
    expect(next!.entry.reference).toBe("MEANWHILE");
  });

  test("without a person, pages within 15 minutes are part of the same read", async () => {
    const consentId = await validConsent(bank, { frequencyPerDay: 1 });
    await reportOf(consentId);
    bank.sandbox.advance(14 * minute);
    await reportOf(consentId, { page: 1 });
    await reportOf(consentId, { page: 2 });
    await expect(reportOf(consentId, { page: 2 })).rejects.toMatchObject(noMore);
    await expect(reportOf(consentId)).rejects.toMatchObject(noMore);
    bank.sandbox.advance(minute);
    await expect(reportOf(consentId, { page: 3 })).rejects.toMatchObject(noMore);
  });

  describe("entries of more than 90 days ago", () => {
    const old = { dateFrom: "2025-12-01" };
    const tooOld = refusal(400, "PERIOD_INVALID");

    test("are available for 20 minutes after the authorisation", async () => {
      const consentId = await validConsent(bank);
      bank.sandbox.advance(19 * minute);
      const { transactions } = await reportOf(consentId, old, attended);
      expect(transactions!.booked!.at(-1)!.bookingDate).toMatch(/^2025-12/);
      bank.sandbox.advance(minute);
      await expect(reportOf(consentId, old, attended)).rejects.toMatchObject(tooOld);
      await expect(statementOf(consentId, old)).rejects.toMatchObject(tooOld);
      await reportOf(consentId, { dateFrom: "2025-12-02" }, attended);
    });

    test("are excluded from deltas", async () => {
      const consentId = await validConsent(bank);
      const all = (await reportOf(consentId, { dateFrom: "2025-03-02" }, attended)).transactions!.booked!;
      const late = await validConsent(bank);
      bank.sandbox.advance(21 * minute);
      const { transactions } = await reportOf(late, delta, attended);
      expect(transactions!.booked!.at(-1)!.bookingDate! >= "2025-12-02").toBe(true);
      const { entryReference } = all.findLast(({ bookingDate }) => bookingDate! < "2025-12-02")!;
      await expect(
        reportOf(late, { dateFrom: undefined, entryReferenceFrom: entryReference }, attended),
      ).rejects.toMatchObject(tooOld);
    });
  });
});
