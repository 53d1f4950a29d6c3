/** Tests account information under a consent, over HTTP. */
import {
  type Bank,
  day,
  euroAccount,
  everything,
  sortTexts,
  openBank,
  refusal,
  today,
  validConsent,
} from "./bank";

let bank: Bank;
beforeAll(async () => {
  bank = await openBank({ "PSU-IP-Address": "192.0.2.7" }, 365);
});
afterAll(() => bank.close());

const read = (consentId: string, accountId: string) => ({ "Consent-ID": consentId, "account-id": accountId });

test("lists the accounts of the JSON interface with equal balances", async () => {
  const { client } = bank;
  const consentId = await validConsent(bank);
  const { accounts } = await client.openBanking.listAccounts({ "Consent-ID": consentId, withBalance: true });
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
  const { client } = bank;
  const { resourceId } = await euroAccount(bank);
  const consentId = await validConsent(bank);
  const { transactions } = await client.openBanking.listTransactions({
    ...read(consentId, resourceId),
    bookingStatus: "booked",
    dateFrom: "2025-03-02",
  });
  const all = [];
  for await (const transaction of client.transactions.list.all({ account_id: resourceId }))
    all.push(transaction);
  const signed = all.map(({ transaction_id, amount, credit_debit_indicator }) => [
    transaction_id,
    `${credit_debit_indicator === "Debit" ? "-" : ""}${amount.amount}`,
  ]);
  expect(signed.length).toBeGreaterThan(100);
  expect(
    transactions!.booked!.map(({ transactionId, transactionAmount }) => [
      transactionId,
      transactionAmount.amount,
    ]),
  ).toEqual(signed);
});

test("includes both days of the period", async () => {
  const { resourceId } = await euroAccount(bank);
  const input = { ...read(await validConsent(bank), resourceId), bookingStatus: "booked" as const };
  const days = async (dateFrom: string, dateTo: string) => {
    const { transactions } = await bank.client.openBanking.listTransactions({ ...input, dateFrom, dateTo });
    return transactions!.booked!.map(({ bookingDate }) => bookingDate);
  };
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
    const { resourceId } = await euroAccount(bank);
    const input = { ...read(await validConsent(bank), resourceId), bookingStatus, Accept };
    const ask = (dateFrom: string) => bank.client.openBanking.listTransactions({ ...input, dateFrom });
    await expect(ask("2026-03-03")).rejects.toMatchObject(refusal(400, "PERIOD_INVALID"));
    expect(await ask(today)).toBeTruthy();
  },
);

test("starts a delta after the last call or after a given entry", async () => {
  const { resourceId } = await euroAccount(bank);
  const input = { ...read(await validConsent(bank), resourceId), bookingStatus: "booked" as const };
  const { listTransactions } = bank.client.openBanking;
  const entries = async (more: object) =>
    (await listTransactions({ ...input, ...more })).transactions!.booked!;
  const all = await entries({ dateFrom: "2025-03-02" });
  expect(await entries({ deltaList: true })).toEqual([]);
  expect(await entries({ entryReferenceFrom: all[3]!.entryReference })).toEqual(all.slice(0, 3));
  await expect(entries({ entryReferenceFrom: "nothing" })).rejects.toMatchObject(
    refusal(400, "RESOURCE_UNKNOWN"),
  );
});

test("requires consent for each use of an account", async () => {
  const { openBanking } = bank.client;
  const { resourceId, iban } = await euroAccount(bank);
  const consentId = await validConsent(bank, { access: { balances: [{ iban }] } });
  const { accounts } = await openBanking.listAccounts({ "Consent-ID": consentId, withBalance: true });
  expect(accounts).toHaveLength(1);
  expect(Object.keys(accounts[0]!._links!)).toEqual(["balances"]);
  const { balances } = await openBanking.listBalances(read(consentId, resourceId));
  expect(balances).toEqual(accounts[0]!.balances);
  await expect(
    openBanking.listTransactions({
      ...read(consentId, resourceId),
      bookingStatus: "booked",
      dateFrom: today,
    }),
  ).rejects.toMatchObject(refusal(401, "CONSENT_INVALID"));
});

test.each([
  ["availableAccounts", {}, false],
  ["availableAccountsWithBalance", { balances: true }, false],
  ["allPsd2", { balances: true, transactions: true }, true],
] as const)("grants the access that %s names", async (word, links, named) => {
  const access = { [word]: named ? "allAccountsWithOwnerName" : "allAccounts" };
  const consentId = await validConsent(bank, { access });
  const { accounts } = await bank.client.openBanking.listAccounts({ "Consent-ID": consentId });
  expect(accounts).toHaveLength(4);
  expect(Object.keys(accounts[0]!._links!)).toEqual(Object.keys(links));
  expect(accounts[0]!.ownerName !== undefined).toBe(named);
});

test("responds to an unknown account with 404 whatever the consent", async () => {
  const consentId = await validConsent(bank);
  await expect(bank.client.openBanking.getAccount(read(consentId, "nothing"))).rejects.toMatchObject(
    refusal(404, "RESOURCE_UNKNOWN"),
  );
});

const list = (consentId: string) => bank.client.openBanking.listAccounts({ "Consent-ID": consentId });

describe("the consent", () => {
  test("must be known", async () => {
    await expect(list("nobody")).rejects.toMatchObject(refusal(400, "CONSENT_UNKNOWN"));
  });

  test("must be authorised", async () => {
    const { consentId } = await bank.client.consents.create({
      access: everything,
      recurringIndicator: true,
      validUntil: "2026-06-30",
      frequencyPerDay: 4,
      combinedServiceIndicator: false,
    });
    await expect(list(consentId)).rejects.toMatchObject(refusal(401, "CONSENT_INVALID"));
  });

  test("must not have been replaced", async () => {
    const first = await validConsent(bank);
    await validConsent(bank);
    await expect(list(first)).rejects.toMatchObject(refusal(401, "CONSENT_EXPIRED"));
  });

  test("must not have been ended", async () => {
    const consentId = await validConsent(bank);
    await bank.client.consents.delete({ "consent-id": consentId });
    await expect(list(consentId)).rejects.toMatchObject(refusal(401, "CONSENT_INVALID"));
  });
});

describe("calls without a person", () => {
  let unattended: Bank;
  beforeAll(async () => {
    unattended = await openBank();
  });
  afterAll(() => unattended.close());

  test("are counted by day, call and account, unlike those with a person", async () => {
    const { openBanking } = unattended.client;
    const consentId = await validConsent(unattended, { frequencyPerDay: 2 });
    const input = { "Consent-ID": consentId };
    await openBanking.listAccounts(input);
    const { accounts } = await openBanking.listAccounts(input);
    await expect(openBanking.listAccounts(input)).rejects.toMatchObject({
      name: "RateLimited",
      ...refusal(429, "ACCESS_EXCEEDED"),
    });
    for (const { resourceId } of accounts) await openBanking.listBalances(read(consentId, resourceId!));
    await openBanking.listAccounts(input, { psu: { "PSU-IP-Address": "192.0.2.7" } });
    unattended.sandbox.advance(day);
    expect((await openBanking.listAccounts(input)).accounts).toHaveLength(4);
  });

  test("neither count nor update the last action if they are refused", async () => {
    const { client, sandbox } = unattended;
    const { resourceId, iban } = await euroAccount(unattended);
    const consentId = await validConsent(unattended, {
      access: { transactions: [{ iban }] },
      frequencyPerDay: 1,
    });
    const lastAction = async () => (await client.consents.get({ "consent-id": consentId })).lastActionDate;
    const authorisedOn = await lastAction();
    sandbox.advance(day);
    const account = read(consentId, resourceId);
    const listed = { ...account, bookingStatus: "booked" } as const;
    const report = (more: object) => client.openBanking.listTransactions({ ...listed, ...more });
    const dateFrom = "2026-03-01";
    for (const [refused, status, code] of [
      [() => report({ dateFrom: "2025-03-01" }), 400, "PERIOD_INVALID"],
      [() => report({ dateFrom: "2025-03-01", Accept: "text/plain" }), 400, "PERIOD_INVALID"],
      [() => report({ entryReferenceFrom: "nothing" }), 400, "RESOURCE_UNKNOWN"],
      [() => client.openBanking.listBalances(account), 401, "CONSENT_INVALID"],
    ] as const)
      await expect(refused()).rejects.toMatchObject(refusal(status, code));
    expect(await lastAction()).toBe(authorisedOn);
    await report({ dateFrom });
    expect(await lastAction()).toBe(authorisedOn);
    await expect(report({ dateFrom })).rejects.toMatchObject(refusal(429, "ACCESS_EXCEEDED"));
    await client.consents.delete({ "consent-id": consentId });
    expect(await lastAction()).not.toBe(authorisedOn);
  });
});
