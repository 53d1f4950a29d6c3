/**
 * Validates XML payments and multi-person payments against the contract's document, and against the published standard
 * if PSD2_OPENAPI names its path.
 */
import type { Values } from "@fxdesk/toolkit/operations";
import { assertConforms } from "../../support/conformance";
import { standardResponses, standardPaths } from "../../support/open-banking-standard";
import { operationNamed } from "../../support/operations";
import { ask, callOperation, type PlainResponse } from "../support/http";
import { type Bank, euroAccount, openBank } from "./bank";
import { pain001, post } from "./documents";
import { newRequestId } from "../../support/request-id";

const file = process.env.PSD2_OPENAPI;
const standard = file ? standardResponses(file) : undefined;

let bank: Bank;
let document: string;
beforeEach(async () => {
  bank = await openBank({ "PSU-IP-Address": "192.0.2.7" });
  document = pain001({ debtor: (await euroAccount(bank)).iban });
});
afterEach(() => bank.close());

const product = { "payment-product": "pain.001-sepa-credit-transfers" };
const single = { ...product, "payment-service": "payments" };

const typeOf = ({ headers }: PlainResponse) => headers.get("content-type")?.split(";")[0];

/** Asserts that a response matches the documents. */
function check(name: string, response: PlainResponse): PlainResponse {
  const operation = operationNamed(name);
  // The contract documents one of the standard's two error bodies.
  if (typeOf(response) !== "application/problem+json") assertConforms(operation, response);
  const [path] = standardPaths(operation);
  expect(standard?.violations({ method: operation.method, path: path! }, response) ?? []).toEqual([]);
  return response;
}

async function call(name: string, values: Values, accept = "*/*") {
  const asking = (path: string, request?: object) => ask(bank.sandbox, path, request);
  const response = check(name, await callOperation(asking, operationNamed(name), values, { accept }));
  return { ...response, outcome: [response.status, typeOf(response)].filter(Boolean).join(" ") };
}

interface Body {
  readonly paymentId: string;
  readonly transactionStatus: string;
  readonly _links: Readonly<Record<string, { readonly href: string }>>;
}
const bodyOf = ({ text }: PlainResponse) => JSON.parse(text) as Body;

const sampleJsonResponse = "200 application/json";
const sampleXmlResponse = "200 application/xml";

test(`a payment in XML${file ? "" : " (PSD2_OPENAPI is not set)"}`, async () => {
  const initiated = await call("payments.initiate", { ...single, pain001: document });
  expect(initiated.outcome).toBe("201 application/json");
  const { paymentId, _links } = bodyOf(initiated);
  expect(initiated.headers.get("location")).toBe(_links.self!.href);
  expect(initiated.headers.get("aspsp-sca-approach")).toBe("REDIRECT");
  expect(initiated.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  const of = { ...single, paymentId };
  const status = (accept: string) => call("payments.getStatus", of, accept);
  expect((await status("application/json")).outcome).toBe(sampleJsonResponse);
  expect((await status("application/xml")).outcome).toBe(sampleXmlResponse);
  expect((await status("image/png")).outcome).toBe("406");
  expect((await call("payments.get", { ...product, paymentId })).outcome).toBe(sampleXmlResponse);
  expect((await call("payments.get", { ...product, paymentId }, "application/json")).outcome).toBe("406");
});

test("accepts a bulk and a standing order in XML", async () => {
  const bulk = await call("payments.initiateBulk", { ...product, pain001: document });
  expect(bulk.outcome).toBe("201 application/json");
  const { paymentId } = bodyOf(bulk);
  expect((await call("payments.getBulk", { ...product, paymentId })).outcome).toBe(sampleXmlResponse);
  const order = await call("payments.initiate", {
    ...product,
    "payment-service": "periodic-payments",
    pain001: document,
    startDate: "2026-03-07",
    frequency: "Monthly",
  });
  expect(order.outcome).toBe("201 application/json");
});

test("refuses an invalid document and another media type", async () => {
  const broken = await call("payments.initiate", { ...single, pain001: "<Document/>" });
  expect(broken.outcome).toBe("400 application/json");
  const violation = await call(
    "payments.initiate",
    { ...single, pain001: "<Document/>" },
    "application/problem+json",
  );
  expect(violation.outcome).toBe("400 application/problem+json");
  const path = "/v1/payments/pain.001-sepa-credit-transfers";
  const response = await post(bank, path, "text/plain", document);
  const { status, headers } = response;
  check("payments.initiate", { status, headers, text: await response.text() });
  expect(status).toBe(415);
});

test("accepts a payment of two people and a repeated initiation", async () => {
  bank.sandbox.control.setSignatories({ signatories: 2 });
  const values = { ...single, pain001: document, "X-Request-ID": newRequestId() };
  const { paymentId } = bodyOf(await call("payments.initiate", values));
  expect(bodyOf(await call("payments.initiate", values)).paymentId).toBe(paymentId);
  const other = { ...values, pain001: document.replace("4711", "4712") };
  expect((await call("payments.initiate", other)).outcome).toBe("400 application/json");
  const of = { ...single, paymentId, "payment-authorisation": "authorisations" };
  for (const state of ["PATC", "ACTC"]) {
    const started = bodyOf(await call("payments.startAuthorisation", of));
    const [authorisation] = started._links.scaRedirect!.href.split("/").slice(-1);
    bank.sandbox.control.decideAuthorisation({ authorisation_id: authorisation!, decision: "approve" });
    expect(bodyOf(await call("payments.getStatus", { ...single, paymentId })).transactionStatus).toBe(state);
  }
  const report = await call("payments.getStatus", { ...single, paymentId }, "application/xml");
  expect(report.text).toContain("<GrpSts>ACTC</GrpSts>");
  expect((await call("payments.startAuthorisation", of)).outcome).toBe("409 application/json");
});
