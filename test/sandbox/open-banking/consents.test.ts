/** Tests the life cycle of consents, and their access as requested and as selected on the page. */
import {
  type Bank,
  consentTerms,
  day,
  decide,
  euroAccount,
  everything,
  minute,
  openBank,
  person,
  refusal,
  sortTexts,
  validConsent,
} from "./bank";

let bank: Bank;

const statusOf = async (consentId: string) =>
  (await bank.client.consents.getStatus({ "consent-id": consentId })).consentStatus;

const consentOf = (consentId: string) => bank.client.consents.get({ "consent-id": consentId });

type Access = Parameters<Bank["client"]["consents"]["create"]>[0]["access"];
type Terms = Partial<Parameters<Bank["client"]["consents"]["create"]>[0]>;

const create = (terms: Terms = {}) => bank.client.consents.create({ ...consentTerms, ...terms });

describe("a consent", () => {
  beforeEach(async () => {
    bank = await openBank();
  });

  const authorisationOf = async (consentId: string) => {
    const path = { "consent-id": consentId };
    const { authorisationIds } = await bank.client.consents.listAuthorisations(path);
    return bank.client.consents.getAuthorisation({ ...path, "authorisation-id": authorisationIds[0]! });
  };

  test("is received, then valid after approval", async () => {
    const { body, headers } = await bank.client.consents.create.response(consentTerms);
    const { consentId, consentStatus, _links } = body;
    expect(consentStatus).toBe("received");
    expect(headers).toMatchObject({
      location: `/v1/consents/${consentId}`,
      "aspsp-sca-approach": "REDIRECT",
    });
    expect(_links).toMatchObject({
      self: { href: `/v1/consents/${consentId}` },
      status: { href: `/v1/consents/${consentId}/status` },
      scaStatus: { href: expect.stringContaining(`/v1/consents/${consentId}/authorisations/`) },
    });
    expect(await authorisationOf(consentId)).toEqual({ scaStatus: "received" });
    await decide(_links.scaRedirect, "approve");
    expect(await statusOf(consentId)).toBe("valid");
    expect(await authorisationOf(consentId)).toEqual({ scaStatus: "finalised" });
  });

  test("is rejected after a refusal", async () => {
    const { consentId, _links } = await create();
    await decide(_links.scaRedirect, "refuse");
    expect(await statusOf(consentId)).toBe("rejected");
    expect(await authorisationOf(consentId)).toEqual({ scaStatus: "failed" });
  });

  test.each([
    ["after three days", "2026-06-30", 3 * day],
    ["today", "2026-03-02", 15 * 60 * minute],
    ["on the day before the three days are over", "2026-03-04", 2 * day + 15 * 60 * minute],
    ["on the third day", "2026-03-05", 3 * day],
  ])("is rejected when it ends %s without a decision", async (_when, validUntil, wait) => {
    const { consentId, _links } = await create({ validUntil });
    bank.sandbox.advance(wait - minute);
    expect(await statusOf(consentId)).toBe("received");
    bank.sandbox.advance(minute);
    expect(await statusOf(consentId)).toBe("rejected");
    expect(await authorisationOf(consentId)).toEqual({ scaStatus: "failed" });
    expect((await decide(_links.scaRedirect, "approve")).status).toBe(409);
    expect(await statusOf(consentId)).toBe("rejected");
  });

  test("starts an authorisation explicitly, and only once", async () => {
    const { consentId, _links } = await create({ "TPP-Explicit-Authorisation-Preferred": true });
    expect(sortTexts(Object.keys(_links))).toEqual(["self", "startAuthorisation", "status"]);
    const path = { "consent-id": consentId };
    expect(await bank.client.consents.listAuthorisations(path)).toEqual({ authorisationIds: [] });
    const started = await bank.client.consents.startAuthorisation(path);
    expect(started.scaStatus).toBe("received");
    const again = () =>
      expect(bank.client.consents.startAuthorisation(path)).rejects.toMatchObject(
        refusal(409, "STATUS_INVALID"),
      );
    await again();
    await decide(started._links.scaRedirect, "approve");
    expect(await statusOf(consentId)).toBe("valid");
    await again();
  });

  test("stays ended", async () => {
    const consentId = await validConsent(bank);
    for (let times = 0; times < 2; times += 1) {
      await bank.client.consents.delete({ "consent-id": consentId });
      expect(await statusOf(consentId)).toBe("terminatedByTpp");
    }
  });

  test("replaces an earlier recurring consent, unless it is one-off", async () => {
    const first = await validConsent(bank);
    await validConsent(bank, { recurringIndicator: false, frequencyPerDay: 1 });
    expect(await statusOf(first)).toBe("valid");
    const second = await validConsent(bank);
    expect([await statusOf(first), await statusOf(second)]).toEqual(["expired", "valid"]);
  });

  test.each([
    ["the longest possible", "9999-12-31", "2026-08-29"],
    ["more than 180 days", "2026-08-30", "2026-08-29"],
    ["exactly 180 days", "2026-08-29", "2026-08-29"],
    ["one day", "2026-03-02", "2026-03-02"],
  ])("limits a duration of %s to the maximum", async (_what, validUntil, given) => {
    const consentId = await validConsent(bank, { validUntil });
    expect(await consentOf(consentId)).toMatchObject({
      validUntil: given,
      lastActionDate: "2026-03-02",
      consentStatus: "valid",
    });
  });

  test.each<[string, Terms, number]>([
    ["its last day", { validUntil: "2026-03-03" }, day + 15 * 60 * minute],
    ["20 minutes if it is one-time", { recurringIndicator: false, frequencyPerDay: 1 }, 20 * minute],
  ])("expires after %s", async (_when, terms, wait) => {
    const consentId = await validConsent(bank, terms);
    bank.sandbox.advance(wait - minute);
    expect(await statusOf(consentId)).toBe("valid");
    bank.sandbox.advance(minute);
    expect(await statusOf(consentId)).toBe("expired");
  });

  test("is unknown under another ID, as is an authorisation of another consent", async () => {
    await expect(consentOf("nobody")).rejects.toMatchObject(refusal(403, "CONSENT_UNKNOWN"));
    const [one, other] = [await create(), await create()];
    const { authorisationIds } = await bank.client.consents.listAuthorisations({
      "consent-id": other.consentId,
    });
    await expect(
      bank.client.consents.getAuthorisation({
        "consent-id": one.consentId,
        "authorisation-id": authorisationIds[0]!,
      }),
    ).rejects.toMatchObject(refusal(403, "RESOURCE_UNKNOWN"));
  });
});

describe("access", () => {
  let euros: { readonly resourceId: string; readonly iban: string };
  beforeAll(async () => {
    bank = await openBank(person);
    euros = await euroAccount(bank);
  });

  const requestConsent = async (access: Access) => {
    const { consentId, _links } = await create({ access });
    return { consentId, address: _links.scaRedirect!.href! };
  };

  const accountsUnder = async (consentId: string) =>
    (await bank.client.openBanking.listAccounts({ "Consent-ID": consentId })).accounts;

  const approved = (access: Access) => validConsent(bank, { access });

  const allReferences = async () =>
    (await accountsUnder(await approved({ allPsd2: "allAccounts" }))).map(({ iban, bban, currency }) => ({
      iban,
      bban,
      currency,
    }));

  const pageAt = async (address: string) => (await fetch(address)).text();

  /** Submits the form like a browser, with the ticked boxes only. */
  async function submit(address: string, isTicked: (box: string) => boolean): Promise<Response> {
    const html = await pageAt(address);
    const form = new URLSearchParams({ decision: "approve" });
    for (const [, name, value] of html.matchAll(/<input type="hidden" name="(\w+)" value="(.*?)"/g))
      form.append(name!, value!);
    for (const [, id, label] of html.matchAll(
      /<input type="checkbox" name="account" value="(.+?)" checked ?\/?> (.+?)</g,
    ))
      if (isTicked(label!)) form.append("account", id!);
    return fetch(address, { method: "POST", body: form, redirect: "manual" });
  }

  const currenciesOf = (accounts: readonly { readonly currency?: string | undefined }[]) =>
    sortTexts(accounts.map(({ currency }) => currency));

  describe("without named accounts", () => {
    test("offers all accounts as ticked checkboxes", async () => {
      const { address } = await requestConsent(everything);
      const html = await pageAt(address);
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
      expect(currenciesOf(accounts)).toEqual(["EUR", "GBP"]);
      expect(new Set(accounts.map(({ ownerName }) => ownerName))).toEqual(new Set(["Meridian Tools GmbH"]));
      const { additionalInformation, ...access } = (await consentOf(consentId)).access;
      for (const list of [...Object.values(access), additionalInformation!.ownerName])
        expect(currenciesOf(list as { currency: string }[])).toEqual(["EUR", "GBP"]);
    });

    test("grants the requested uses only", async () => {
      const { consentId, address } = await requestConsent({ balances: [] });
      await submit(address, (label) => label.includes("EUR"));
      const [account, ...others] = await accountsUnder(consentId);
      expect(others).toEqual([]);
      expect(Object.keys(account!._links!)).toEqual(["balances"]);
      expect(account!.ownerName).toBeUndefined();
      expect((await consentOf(consentId)).access).toMatchObject({ balances: [{ currency: "EUR" }] });
    });

    test("requires at least one account", async () => {
      const { consentId, address } = await requestConsent(everything);
      const response = await submit(address, () => false);
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringContaining("Choose at least one account."),
      ]);
      expect(await statusOf(consentId)).toBe("received");
      await submit(address, () => true);
      expect(await accountsUnder(consentId)).toHaveLength(4);
    });
  });

  test.each([
    ["named", (): Access => ({ accounts: [{ iban: euros.iban }] }), 1],
    ["opened by a keyword", (): Access => ({ allPsd2: "allAccounts" }), 4],
  ])("offers no choice for accounts that are %s", async (_how, access, count) => {
    const { consentId, address } = await requestConsent(access());
    expect(await pageAt(address)).not.toContain('type="checkbox"');
    const body = new URLSearchParams({ decision: "approve", account: "another" });
    expect((await fetch(address, { method: "POST", body })).status).toBe(200);
    expect(await accountsUnder(consentId)).toHaveLength(count);
  });

  test("shows owner names of the requested accounts", async () => {
    const references = await allReferences();
    const ownerName = references.slice(0, 1);
    const consentId = await approved({
      accounts: references,
      additionalInformation: { ownerName, trustedBeneficiaries: references },
    });
    const named = (await accountsUnder(consentId)).filter((account) => account.ownerName !== undefined);
    expect(currenciesOf(named)).toEqual(currenciesOf(ownerName));
    expect((await consentOf(consentId)).access.additionalInformation).toEqual({ ownerName });
  });

  test.each([
    ["all accounts", { allPsd2: "allAccounts" as const }],
    ["a choice", everything],
  ])("includes all current accounts for %s", async (_what, access) => {
    const consentId = await approved({ ...access, restrictedTo: ["CACC", "SVGS"] });
    expect(await accountsUnder(consentId)).toHaveLength(4);
    expect((await consentOf(consentId)).access.restrictedTo).toEqual(["CACC", "SVGS"]);
    await expect(create({ access: { ...access, restrictedTo: ["SVGS"] } })).rejects.toMatchObject(
      refusal(400, "RESOURCE_UNKNOWN"),
    );
  });

  const named = [{ iban: "DE64000000009820100822" }];
  const unknown = [{ iban: "NL13TEST0123456789" }];

  test.each<[string, Terms, string]>([
    ["a day in the past", { validUntil: "2026-03-01" }, "PERIOD_INVALID"],
    ["five reads a day", { frequencyPerDay: 5 }, "PARAMETER_NOT_CONSISTENT"],
    ["two reads of a one-off", { recurringIndicator: false, frequencyPerDay: 2 }, "PARAMETER_NOT_CONSISTENT"],
    ["no access", { access: {} }, "FORMAT_ERROR"],
    ["an empty list of types", { access: { allPsd2: "allAccounts", restrictedTo: [] } }, "FORMAT_ERROR"],
    [
      "all accounts and some",
      { access: { allPsd2: "allAccounts", balances: [] } },
      "PARAMETER_NOT_CONSISTENT",
    ],
    ["another's account", { access: { balances: unknown } }, "RESOURCE_UNKNOWN"],
    ["some accounts and a choice", { access: { accounts: named, balances: [] } }, "PARAMETER_NOT_CONSISTENT"],
    [
      "owner names to select with named accounts",
      { access: { accounts: named, additionalInformation: { ownerName: [] } } },
      "PARAMETER_NOT_CONSISTENT",
    ],
    ["owners only", { access: { additionalInformation: { ownerName: [] } } }, "PARAMETER_NOT_CONSISTENT"],
    [
      "two keywords for all accounts",
      { access: { allPsd2: "allAccounts", availableAccounts: "allAccounts" } },
      "PARAMETER_NOT_CONSISTENT",
    ],
    [
      "named accounts of a type",
      { access: { accounts: named, restrictedTo: ["CACC"] } },
      "PARAMETER_NOT_CONSISTENT",
    ],
  ])("refuses %s", async (_what, terms, code) => {
    await expect(create(terms)).rejects.toMatchObject(refusal(400, code));
  });

  test.each(["ownerName", "trustedBeneficiaries"])("refuses %s of other accounts", async (name) => {
    const [one, other] = await allReferences();
    for (const [accounts, code] of [
      [[other!], "PARAMETER_NOT_CONSISTENT"],
      [unknown, "RESOURCE_UNKNOWN"],
    ] as const)
      await expect(
        create({ access: { accounts: [one!], additionalInformation: { [name]: accounts } } }),
      ).rejects.toMatchObject(refusal(400, code));
  });

  test.each<[string, Terms, object]>([
    ["no owner", { access: { allPsd2: "allAccounts" } }, { "Account owner": "none" }],
    [
      "owners of all",
      { access: { allPsd2: "allAccountsWithOwnerName" } },
      { "Account owner": expect.stringMatching(/^DE.*, .*, .*, /) },
    ],
    [
      "owner names to select",
      { access: { ...everything, additionalInformation: { ownerName: [] } } },
      { "Account owner": "accounts you choose" },
    ],
    [
      "a one-time consent with its duration",
      { recurringIndicator: false, frequencyPerDay: 1 },
      { Frequency: "once", "Valid until": "20 minutes after your approval, but not after 2026-06-30" },
    ],
    ["a recurring consent", {}, { "Valid until": "2026-06-30" }],
  ])("is shown on the page: %s", async (_what, terms, shown) => {
    await create(terms);
    const [latest] = bank.sandbox.control.listAuthorisations().slice(-1);
    expect(Object.fromEntries(latest!.terms.map(({ name, value }) => [name, value]))).toMatchObject(shown);
  });
});
