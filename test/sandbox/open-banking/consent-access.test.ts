/** Tests the access of consents, as requested and as selected on the page. */
import {
  type Bank,
  consentTerms,
  decide,
  euroAccount,
  everything,
  sortTexts,
  openBank,
  refusal,
} from "./bank";

let bank: Bank;
let euros: { readonly resourceId: string; readonly iban: string };
beforeAll(async () => {
  bank = await openBank({ "PSU-IP-Address": "192.0.2.7" });
  euros = await euroAccount(bank);
});
afterAll(() => bank.close());

type Access = Parameters<Bank["client"]["consents"]["create"]>[0]["access"];

const create = (access: Access) => bank.client.consents.create({ ...consentTerms, access });

const requestConsent = async (access: Access) => {
  const { consentId, _links } = await create(access);
  return { consentId, address: _links.scaRedirect!.href! };
};

const accountsUnder = async (consentId: string) =>
  (await bank.client.openBanking.listAccounts({ "Consent-ID": consentId })).accounts;

const accessOf = async (consentId: string) =>
  (await bank.client.consents.get({ "consent-id": consentId })).access;

async function approved(access: Access): Promise<string> {
  const { consentId, _links } = await create(access);
  await decide(_links.scaRedirect, "approve");
  return consentId;
}

const allReferences = async () =>
  (await accountsUnder(await approved({ allPsd2: "allAccounts" }))).map(({ iban, bban, currency }) => ({
    iban,
    bban,
    currency,
  }));

/** Submits the form like a browser, with the ticked boxes only. */
async function submit(address: string, isTicked: (box: string) => boolean): Promise<Response> {
  const html = await (await fetch(address)).text();
  const form = new URLSearchParams({ decision: "approve" });
  for (const [, name, value] of html.matchAll(/<input type="hidden" name="(\w+)" value="(.*?)"/g))
    form.append(name!, value!);
  for (const [, id, label] of html.matchAll(
    /<input type="checkbox" name="account" value="(.+?)" checked ?\/?> (.+?)</g,
  ))
    if (isTicked(label!)) form.append("account", id!);
  return fetch(address, { method: "POST", body: form, redirect: "manual" });
}

describe("a consent without named accounts", () => {
  test("offers all accounts as ticked checkboxes", async () => {
    const { address } = await requestConsent(everything);
    const html = await (await fetch(address)).text();
    const boxes = [...html.matchAll(/<input type="checkbox" name="account"[^>]*>/g)];
    expect(boxes).toHaveLength(4);
    expect(boxes.filter(([box]) => box.includes(" checked"))).toHaveLength(4);
    expect(html.split(euros.iban)).toHaveLength(2);
  });

  test("grants and lists the selected accounts", async () => {
    const { consentId, address } = await requestConsent({
      ...everything,
      additionalInformation: { ownerName: [] },
    });
    expect((await submit(address, (label) => /EUR|GBP/.test(label))).status).toBe(200);
    const accounts = await accountsUnder(consentId);
    expect(sortTexts(accounts.map(({ currency }) => currency))).toEqual(["EUR", "GBP"]);
    expect(accounts.map(({ ownerName }) => ownerName)).toEqual([
      "Meridian Tools GmbH",
      "Meridian Tools GmbH",
    ]);
    const { additionalInformation, ...access } = await accessOf(consentId);
    for (const list of [...Object.values(access), additionalInformation!.ownerName])
      expect(sortTexts((list as { currency: string }[]).map(({ currency }) => currency))).toEqual([
        "EUR",
        "GBP",
      ]);
  });

  test("grants the requested uses only", async () => {
    const { consentId, address } = await requestConsent({ balances: [] });
    await submit(address, (label) => label.includes("EUR"));
    const [account, ...others] = await accountsUnder(consentId);
    expect(others).toEqual([]);
    expect(Object.keys(account!._links!)).toEqual(["balances"]);
    expect(account!.ownerName).toBeUndefined();
  });

  test("requires at least one account", async () => {
    const { consentId, address } = await requestConsent(everything);
    const response = await submit(address, () => false);
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining("Choose at least one account."),
    ]);
    expect((await bank.client.consents.getStatus({ "consent-id": consentId })).consentStatus).toBe(
      "received",
    );
    await submit(address, () => true);
    expect(await accountsUnder(consentId)).toHaveLength(4);
  });
});

test.each([
  ["named", (): Access => ({ accounts: [{ iban: euros.iban }] }), 1],
  ["opened by a keyword", (): Access => ({ allPsd2: "allAccounts" }), 4],
])("offers no choice for accounts that are %s", async (_how, access, count) => {
  const { consentId, address } = await requestConsent(access());
  expect(await (await fetch(address)).text()).not.toContain('type="checkbox"');
  const body = new URLSearchParams({ decision: "approve", account: "another" });
  expect((await fetch(address, { method: "POST", body })).status).toBe(200);
  expect(await accountsUnder(consentId)).toHaveLength(count);
});

test("shows owner names of the requested accounts", async () => {
  const references = await allReferences();
  const consentId = await approved({
    accounts: references,
    additionalInformation: { ownerName: references.slice(0, 1), trustedBeneficiaries: references },
  });
  const named = (await accountsUnder(consentId)).filter(({ ownerName }) => ownerName !== undefined);
  expect(named.map(({ currency }) => currency)).toEqual([references[0]!.currency]);
  expect((await accessOf(consentId)).additionalInformation).toEqual({ ownerName: references.slice(0, 1) });
});

test.each([
  ["all accounts", { allPsd2: "allAccounts" as const }],
  ["a choice", everything],
])("includes all current accounts for %s", async (_what, access) => {
  const consentId = await approved({ ...access, restrictedTo: ["CACC", "SVGS"] });
  expect(await accountsUnder(consentId)).toHaveLength(4);
  expect((await accessOf(consentId)).restrictedTo).toEqual(["CACC", "SVGS"]);
  await expect(create({ ...access, restrictedTo: ["SVGS"] })).rejects.toMatchObject(
    refusal(400, "RESOURCE_UNKNOWN"),
  );
});

const named = [{ iban: "DE64000000009820100822" }];

test.each<[string, Access]>([
  ["some accounts and a choice", { accounts: named, balances: [] }],
  [
    "owner names to select with named accounts",
    { accounts: named, additionalInformation: { ownerName: [] } },
  ],
  ["owners only", { additionalInformation: { ownerName: [] } }],
  ["two keywords for all accounts", { allPsd2: "allAccounts", availableAccounts: "allAccounts" }],
  ["named accounts of a type", { accounts: named, restrictedTo: ["CACC"] }],
])("refuses inconsistent access: %s", async (_what, access) => {
  await expect(create(access)).rejects.toMatchObject(refusal(400, "PARAMETER_NOT_CONSISTENT"));
});

describe.each(["ownerName", "trustedBeneficiaries"])("additional information: %s", (name) => {
  test("is refused for accounts that are not requested", async () => {
    const [one, other] = await allReferences();
    await expect(
      create({ accounts: [one!], additionalInformation: { [name]: [other!] } }),
    ).rejects.toMatchObject(refusal(400, "PARAMETER_NOT_CONSISTENT"));
  });

  test("is refused for unknown accounts", async () => {
    const [one] = await allReferences();
    const unknown = [{ iban: "NL13TEST0123456789" }];
    await expect(
      create({ accounts: [one!], additionalInformation: { [name]: unknown } }),
    ).rejects.toMatchObject(refusal(400, "RESOURCE_UNKNOWN"));
  });
});

test("refuses an empty list of types", async () => {
  await expect(create({ allPsd2: "allAccounts", restrictedTo: [] })).rejects.toMatchObject({
    ...refusal(400, "FORMAT_ERROR"),
    message: expect.stringContaining("restrictedTo names no type.") as string,
  });
});

describe("the page shows the terms", () => {
  async function termsOf(terms: { readonly access: Access } & Omit<Partial<typeof consentTerms>, "access">) {
    await bank.client.consents.create({ ...consentTerms, ...terms });
    const waiting = bank.sandbox.control.listAuthorisations();
    const all = waiting.map((each) => Object.fromEntries(each.terms.map(({ name, value }) => [name, value])));
    return all.at(-1)!;
  }

  test.each<[string, Access, object]>([
    ["no owner", { allPsd2: "allAccounts" }, { "Account owner": "none" }],
    [
      "owners of all",
      { allPsd2: "allAccountsWithOwnerName" },
      { "Account owner": expect.stringMatching(/^DE.*, .*, .*, /) },
    ],
    [
      "owner names to select",
      { ...everything, additionalInformation: { ownerName: [] } },
      { "Account owner": "accounts you choose" },
    ],
  ])("%s", async (_what, access, shown) => {
    expect(await termsOf({ access })).toMatchObject(shown);
  });

  test("of a one-time consent with its duration", async () => {
    const once = { recurringIndicator: false, frequencyPerDay: 1 };
    expect(await termsOf({ access: everything, ...once })).toMatchObject({
      Frequency: "once",
      "Valid until": "20 minutes after your approval, but not after 2026-06-30",
    });
    expect(await termsOf({ access: everything })).toMatchObject({ "Valid until": "2026-06-30" });
  });
});
