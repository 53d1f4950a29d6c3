/** Tests the life cycle of consents, over HTTP. */
import {
  type Bank,
  consentTerms,
  day,
  decide,
  sortTexts,
  minute,
  openBank,
  refusal,
  validConsent,
} from "./bank";

let bank: Bank;
beforeEach(async () => {
  bank = await openBank();
});
afterEach(() => bank.close());

const statusOf = async (consentId: string) =>
  (await bank.client.consents.getStatus({ "consent-id": consentId })).consentStatus;

const authorisationOf = async (consentId: string) => {
  const path = { "consent-id": consentId };
  const { authorisationIds } = await bank.client.consents.listAuthorisations(path);
  return bank.client.consents.getAuthorisation({ ...path, "authorisation-id": authorisationIds[0]! });
};

test("is received, then valid after approval", async () => {
  const { body, headers } = await bank.client.consents.create.response(consentTerms);
  const { consentId, consentStatus, _links } = body;
  expect(consentStatus).toBe("received");
  expect(headers).toMatchObject({ location: `/v1/consents/${consentId}`, "aspsp-sca-approach": "REDIRECT" });
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
  const { consentId, _links } = await bank.client.consents.create(consentTerms);
  await decide(_links.scaRedirect, "refuse");
  expect(await statusOf(consentId)).toBe("rejected");
  expect(await authorisationOf(consentId)).toEqual({ scaStatus: "failed" });
});

test("is rejected after three days without a decision", async () => {
  const { consentId } = await bank.client.consents.create(consentTerms);
  bank.sandbox.advance(3 * day - minute);
  expect(await statusOf(consentId)).toBe("received");
  bank.sandbox.advance(minute);
  expect(await statusOf(consentId)).toBe("rejected");
  expect(await authorisationOf(consentId)).toEqual({ scaStatus: "failed" });
});

test.each([
  ["today", "2026-03-02", 15 * 60 * minute],
  ["on the day before the three days are over", "2026-03-04", 2 * day + 15 * 60 * minute],
  ["on the third day", "2026-03-05", 3 * day],
])("is rejected when it ends %s without a decision", async (_when, validUntil, wait) => {
  const { consentId, _links } = await bank.client.consents.create({ ...consentTerms, validUntil });
  bank.sandbox.advance(wait - minute);
  expect(await statusOf(consentId)).toBe("received");
  bank.sandbox.advance(minute);
  expect(await statusOf(consentId)).toBe("rejected");
  expect((await decide(_links.scaRedirect, "approve")).status).toBe(409);
  expect(await statusOf(consentId)).toBe("rejected");
});

test("starts an authorisation explicitly, and only once", async () => {
  const { consentId, _links } = await bank.client.consents.create({
    ...consentTerms,
    "TPP-Explicit-Authorisation-Preferred": true,
  });
  expect(sortTexts(Object.keys(_links))).toEqual(["self", "startAuthorisation", "status"]);
  const path = { "consent-id": consentId };
  expect(await bank.client.consents.listAuthorisations(path)).toEqual({ authorisationIds: [] });
  const started = await bank.client.consents.startAuthorisation(path);
  expect(started.scaStatus).toBe("received");
  await expect(bank.client.consents.startAuthorisation(path)).rejects.toMatchObject(
    refusal(409, "STATUS_INVALID"),
  );
  await decide(started._links.scaRedirect, "approve");
  expect(await statusOf(consentId)).toBe("valid");
  await expect(bank.client.consents.startAuthorisation(path)).rejects.toMatchObject(
    refusal(409, "STATUS_INVALID"),
  );
});

test("stays ended", async () => {
  const consentId = await validConsent(bank);
  await bank.client.consents.delete({ "consent-id": consentId });
  expect(await statusOf(consentId)).toBe("terminatedByTpp");
  await bank.client.consents.delete({ "consent-id": consentId });
  expect(await statusOf(consentId)).toBe("terminatedByTpp");
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
])("limits a duration of %s to the maximum", async (_what, asked, given) => {
  const consentId = await validConsent(bank, { validUntil: asked });
  const consent = await bank.client.consents.get({ "consent-id": consentId });
  expect(consent).toMatchObject({ validUntil: given, lastActionDate: "2026-03-02", consentStatus: "valid" });
});

test("expires after its last day", async () => {
  const consentId = await validConsent(bank, { validUntil: "2026-03-03" });
  bank.sandbox.advance(day + 14 * 60 * minute);
  expect(await statusOf(consentId)).toBe("valid");
  bank.sandbox.advance(60 * minute);
  expect(await statusOf(consentId)).toBe("expired");
});

test("expires after 20 minutes if it is one-time", async () => {
  const consentId = await validConsent(bank, { recurringIndicator: false, frequencyPerDay: 1 });
  bank.sandbox.advance(19 * minute);
  expect(await statusOf(consentId)).toBe("valid");
  bank.sandbox.advance(minute);
  expect(await statusOf(consentId)).toBe("expired");
});

test("replaces empty lists by the person's selection", async () => {
  const consentId = await validConsent(bank, { access: { balances: [] } });
  const { access } = await bank.client.consents.get({ "consent-id": consentId });
  expect(sortTexts(access.balances!.map(({ currency }) => currency))).toEqual(["EUR", "GBP", "JPY", "USD"]);
  expect(access.transactions).toBeUndefined();
});

test.each([
  ["a day in the past", { validUntil: "2026-03-01" }, "PERIOD_INVALID"],
  ["five reads a day", { frequencyPerDay: 5 }, "PARAMETER_NOT_CONSISTENT"],
  ["two reads of a one-off", { recurringIndicator: false, frequencyPerDay: 2 }, "PARAMETER_NOT_CONSISTENT"],
  ["no access", { access: {} }, "FORMAT_ERROR"],
  [
    "all accounts and some",
    { access: { allPsd2: "allAccounts" as const, balances: [] } },
    "PARAMETER_NOT_CONSISTENT",
  ],
  ["another's account", { access: { balances: [{ iban: "NL13TEST0123456789" }] } }, "RESOURCE_UNKNOWN"],
])("refuses %s", async (_what, terms, code) => {
  await expect(bank.client.consents.create({ ...consentTerms, ...terms })).rejects.toMatchObject(
    refusal(400, code),
  );
});

test("responds to unknown consents and authorisations with 403", async () => {
  await expect(bank.client.consents.get({ "consent-id": "nobody" })).rejects.toMatchObject(
    refusal(403, "CONSENT_UNKNOWN"),
  );
  const { consentId } = await bank.client.consents.create(consentTerms);
  const other = await bank.client.consents.create(consentTerms);
  const { authorisationIds } = await bank.client.consents.listAuthorisations({
    "consent-id": other.consentId,
  });
  await expect(
    bank.client.consents.getAuthorisation({
      "consent-id": consentId,
      "authorisation-id": authorisationIds[0]!,
    }),
  ).rejects.toMatchObject(refusal(403, "RESOURCE_UNKNOWN"));
});
