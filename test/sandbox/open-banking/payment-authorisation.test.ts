/** Tests payments that several people must authorise, and cancellations. */
import { newRequestId } from "../../support/request-id";
import {
  type Bank,
  day,
  decide,
  euroAccount,
  minute,
  openBank,
  person,
  refusal,
  second,
  single,
  transfer,
} from "./bank";

let bank: Bank;
let iban: string;
beforeEach(async () => {
  bank = await openBank(person);
  ({ iban } = await euroAccount(bank));
});

const initiate = (more: object = {}) =>
  bank.client.payments.initiate({ ...single, debtorAccount: { iban }, ...transfer("125.50"), ...more });

const statusOf = async (paymentId: string) =>
  (await bank.client.payments.getStatus({ ...single, paymentId })).transactionStatus;

const at = (paymentId: string) =>
  ({ ...single, paymentId, "payment-authorisation": "authorisations" }) as const;

const start = (paymentId: string) => bank.client.payments.startAuthorisation(at(paymentId));

async function sign(paymentId: string, decision = "approve") {
  const { authorisationId, _links } = await start(paymentId);
  await decide(_links.scaRedirect, decision);
  const path = { ...at(paymentId), "authorisation-id": authorisationId };
  return (await bank.client.payments.getAuthorisation(path)).scaStatus;
}

const cancellationOf = (paymentId: string) =>
  ({ ...single, paymentId, "payment-authorisation": "cancellation-authorisations" }) as const;

async function authorised(): Promise<string> {
  const { paymentId, _links } = await initiate();
  await decide(_links.scaRedirect, "approve");
  return paymentId;
}

describe("a payment of two people", () => {
  beforeEach(() => bank.sandbox.control.setSignatories({ signatories: 2 }));

  test("links to explicit authorisations and starts none", async () => {
    const { paymentId, _links } = await initiate({ "TPP-Explicit-Authorisation-Preferred": false });
    const path = `/v1/payments/sepa-credit-transfers/${paymentId}`;
    expect(_links).toEqual({
      startAuthorisation: { href: `${path}/authorisations` },
      self: { href: path },
      status: { href: `${path}/status` },
    });
    expect((await bank.client.payments.listAuthorisations(at(paymentId))).authorisationIds).toEqual([]);
    await start(paymentId);
    const [authorisation] = bank.sandbox.control.listAuthorisations();
    expect(authorisation).toMatchObject({ title: "Payment" });
    expect(authorisation!.terms).toContainEqual({ name: "Total", value: "125.50 EUR" });
    expect(authorisation!.terms).toContainEqual({ name: "Approvals required", value: "2 people" });
  });

  test("is partly authorised, then authorised, then paid", async () => {
    const { paymentId } = await initiate();
    expect(await sign(paymentId)).toBe("finalised");
    expect(await statusOf(paymentId)).toBe("PATC");
    bank.sandbox.advance(day);
    expect(await statusOf(paymentId)).toBe("PATC");
    expect(await sign(paymentId)).toBe("finalised");
    expect(await statusOf(paymentId)).toBe("ACTC");
    await expect(start(paymentId)).rejects.toMatchObject(refusal(409, "STATUS_INVALID"));
    bank.sandbox.advance(minute);
    expect(await statusOf(paymentId)).toBe("ACSC");
  });

  test("allows as many open authorisations as are missing", async () => {
    const { paymentId } = await initiate();
    const [first, other] = [await start(paymentId), await start(paymentId)];
    await expect(start(paymentId)).rejects.toMatchObject(refusal(409, "STATUS_INVALID"));
    await decide(other._links.scaRedirect, "approve");
    await expect(start(paymentId)).rejects.toMatchObject(refusal(409, "STATUS_INVALID"));
    expect(await statusOf(paymentId)).toBe("PATC");
    await decide(first._links.scaRedirect, "approve");
    expect(await statusOf(paymentId)).toBe("ACTC");
    expect((await bank.client.payments.listAuthorisations(at(paymentId))).authorisationIds).toEqual([
      first.authorisationId,
      other.authorisationId,
    ]);
  });

  test.each([0, 1])("is rejected by one refusal after %i approvals", async (before) => {
    const { paymentId } = await initiate();
    for (let count = 0; count < before; count += 1) await sign(paymentId);
    expect(await sign(paymentId, "refuse")).toBe("failed");
    expect(await statusOf(paymentId)).toBe("RJCT");
  });

  test("fails open authorisations after a refusal", async () => {
    const { paymentId } = await initiate();
    const [first, other] = [await start(paymentId), await start(paymentId)];
    await decide(first._links.scaRedirect, "refuse");
    expect((await decide(other._links.scaRedirect, "approve")).status).toBe(409);
    expect(await statusOf(paymentId)).toBe("RJCT");
  });

  test("too few in three days are none", async () => {
    const { paymentId } = await initiate();
    await sign(paymentId);
    bank.sandbox.advance(3 * day + minute);
    expect(await statusOf(paymentId)).toBe("RJCT");
  });

  test("it is cancelled at once before all have approved, and by one person afterwards", async () => {
    const inPart = await initiate();
    await sign(inPart.paymentId);
    expect(await bank.client.payments.cancel({ ...single, paymentId: inPart.paymentId })).toMatchObject({
      status: 204,
    });
    expect(await statusOf(inPart.paymentId)).toBe("CANC");
    const { paymentId } = await initiate();
    await sign(paymentId);
    await sign(paymentId);
    expect(await bank.client.payments.cancel({ ...single, paymentId })).toMatchObject({ status: 202 });
    const { _links } = await bank.client.payments.startAuthorisation(cancellationOf(paymentId));
    await decide(_links.scaRedirect, "approve");
    expect(await statusOf(paymentId)).toBe("CANC");
  });

  test("a change holds for the payments that come after it", async () => {
    const before = await initiate();
    bank.sandbox.control.setSignatories({ signatories: 1 });
    await sign(before.paymentId);
    expect(await statusOf(before.paymentId)).toBe("PATC");
    const after = await initiate();
    await decide(after._links.scaRedirect, "approve");
    expect(await statusOf(after.paymentId)).toBe("ACTC");
  });
});

describe("cancelling", () => {
  test("ends an unauthorised payment at once", async () => {
    const { paymentId, _links } = await initiate();
    expect(await bank.client.payments.cancel({ ...single, paymentId })).toMatchObject({ status: 204 });
    expect(await statusOf(paymentId)).toBe("CANC");
    expect((await decide(_links.scaRedirect, "approve")).status).toBe(409);
    expect(await statusOf(paymentId)).toBe("CANC");
  });

  test("requires an authorisation for an authorised payment", async () => {
    const paymentId = await authorised();
    const cancelling = cancellationOf(paymentId);
    await expect(bank.client.payments.startAuthorisation(cancelling)).rejects.toMatchObject(
      refusal(409, "STATUS_INVALID"),
    );
    const cancellation = await bank.client.payments.cancel({ ...single, paymentId });
    expect(cancellation).toEqual({
      status: 202,
      body: {
        transactionStatus: "ACTC",
        _links: {
          startAuthorisation: {
            href: `/v1/payments/sepa-credit-transfers/${paymentId}/cancellation-authorisations`,
          },
        },
      },
    });
    const refused = await bank.client.payments.startAuthorisation(cancelling);
    await decide(refused._links.scaRedirect, "refuse");
    expect(await statusOf(paymentId)).toBe("ACTC");
    await bank.client.payments.cancel({ ...single, paymentId });
    const approved = await bank.client.payments.startAuthorisation(cancelling);
    await decide(approved._links.scaRedirect, "approve");
    expect(await statusOf(paymentId)).toBe("CANC");
    const path = { ...cancelling, "authorisation-id": approved.authorisationId };
    expect(await bank.client.payments.getAuthorisation(path)).toEqual({ scaStatus: "finalised" });
    bank.sandbox.advance(day);
    expect(await statusOf(paymentId)).toBe("CANC");
    expect((await bank.client.payments.listAuthorisations(cancelling)).authorisationIds).toEqual([
      refused.authorisationId,
      approved.authorisationId,
    ]);
    const alias = `/v1/payments/sepa-credit-transfers/${paymentId}/cancellation_authorisations`;
    const headers = { "x-request-id": newRequestId() };
    const alsoSpelled = await fetch(bank.sandbox.xs2aUrl + alias, { headers });
    expect(await alsoSpelled.json()).toEqual(await bank.client.payments.listAuthorisations(cancelling));
  });

  test("is refused for a settling payment", async () => {
    const paymentId = await authorised();
    bank.sandbox.advance(3 * second);
    await expect(bank.client.payments.cancel({ ...single, paymentId })).rejects.toMatchObject({
      code: "not_allowed",
      ...refusal(405, "CANCELLATION_INVALID"),
    });
  });
});
