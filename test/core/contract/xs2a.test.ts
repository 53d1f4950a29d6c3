/**
 * The open-banking declarations against their standard. The published document (OpenAPI, version 1.3.12) is read from the
 * path in PSD2_OPENAPI; without it the comparison is skipped.
 */
import { readFileSync } from "node:fs";
import {
  checkInput,
  type Declaration,
  errorBody,
  type Field,
  fieldsOf,
  operations,
  type Values,
} from "../../../core/operations";
import { responseJsonSchema } from "../../../core/spec/json-schema";
import {
  responseDifferences,
  requestDifferences,
  Standard,
  type StandardOperation,
  standardPaths,
} from "../../support/open-banking-standard";

interface Components {
  readonly requestBodies: Readonly<Record<string, { readonly content: object }>>;
  readonly schemas: Readonly<Record<string, { readonly properties: object }>>;
}

const declared: readonly Declaration[] = operations.filter(({ server }) => server === "xs2a");
const find = (name: string) => declared.find((operation) => operation.name === name)!;

const file = process.env.PSD2_OPENAPI;
const describeStandard = file ? describe : describe.skip;
const standard = file ? new Standard(file) : undefined;

const standardOperation = (method: string, path: string): StandardOperation =>
  standard!.operation(method, path)!;

/** Message signatures are deliberately not declared; see core/contract/xs2a.ts. */
const signatures = new Set(["Digest", "Signature", "TPP-Signature-Certificate"]);

/** OpenAPI describes Accept by the responses, not as a parameter. Pages are reached by links. */
const unlisted = new Set([...signatures, "Accept", "page"]);

const byName = (fields: readonly { name: string; required?: boolean }[]) =>
  fields
    .map(({ name, required }) => `${name}${required ? "*" : ""}`)
    .filter((name) => !unlisted.has(name))
    .toSorted();

const fieldsAt = (operation: Declaration, place: Field["location"]) =>
  fieldsOf(operation).filter((field) => field.location === place);

const cases = declared.flatMap((operation) =>
  standardPaths(operation).map((path) => [operation.name, operation.method, path] as const),
);

describeStandard(`the standard at PSD2_OPENAPI${file ? "" : " (not set: left out)"}`, () => {
  test.each(cases)("%s has the standard's headers and query", (name, method, path) => {
    const { parameters } = standardOperation(method, path);
    for (const place of ["header", "query"] as const) {
      const expected = parameters.filter((each) => each.in === place);
      expect(byName(fieldsAt(find(name), place))).toEqual(byName(expected));
    }
  });

  test.each(cases)("%s limits its parameters as the standard does", (name, method, path) => {
    const fields = fieldsOf(find(name)).filter((field) => field.location !== "body");
    const differences = standardOperation(method, path).parameters.flatMap((parameter) => {
      const field = fields.find((each) => each.name === parameter.name);
      return field
        ? requestDifferences(parameter.schema, responseJsonSchema(field.schema), parameter.name)
        : [];
    });
    expect(differences).toEqual([]);
  });

  test("consents.create accepts the standard's body", () => {
    const { bodies } = standardOperation("POST", "/v1/consents");
    expect(requestDifferences(bodies[0]!, responseJsonSchema(find("consents.create").body!))).toEqual([]);
  });

  test.each([
    ["payments.initiate", "payments", 0],
    ["payments.initiate", "periodic-payments", 1],
    ["payments.initiate", "bulk-payments", 2],
    ["payments.initiateBulk", "bulk-payments", 2],
  ])("%s accepts the standard's body of %s and requires the same fields", (name, service, index) => {
    const body = standardOperation("POST", "/v1/{payment-service}/{payment-product}").bodies[index]!;
    const { properties } = responseJsonSchema(find(name).body!) as { properties: object };
    const ours = { type: "object", properties, required: body.required };
    expect(requestDifferences(body, ours)).toEqual([]);
    const at = name === "payments.initiate" && { "payment-service": service };
    const message = violations(name, { ...anyProduct, ...at });
    for (const field of body.required as readonly string[])
      expect(message.filter((violation) => violation.split(/[ ,]+/).includes(field))).not.toEqual([]);
  });

  test("payments use the standard's media types and form parts", () => {
    const { components } = JSON.parse(readFileSync(file!, "utf8")) as { components: Components };
    const { document } = find("payments.initiate");
    const { mediaTypes, form } = document!;
    const types = Object.keys(components.requestBodies.paymentInitiation!.content);
    expect(["application/json", ...mediaTypes, "multipart/form-data"]).toEqual(expect.arrayContaining(types));
    const parts = Object.keys(components.schemas.periodicPaymentInitiationMultipartBody!.properties);
    expect([form!.documentPart, form!.fieldsPart]).toEqual(parts);
    const fields =
      components.schemas["periodicPaymentInitiation_xml-Part2-standingorderType_json"]!.properties;
    expect(form!.fields.toSorted()).toEqual(Object.keys(fields).toSorted());
  });

  test.each(cases)("%s documents the standard's statuses", (name, method, path) => {
    const { responses, errors } = find(name);
    const statuses = Object.keys({ ...responses, ...errors });
    expect(statuses).toEqual(Object.keys(standardOperation(method, path).responses));
  });

  test.each(cases)("%s documents a body where the standard has one", (name, method, path) => {
    const { errors } = find(name);
    for (const [status, failure] of Object.entries(errors)) {
      const { bodies } = standardOperation(method, path).responses[Number(status)]!;
      expect([status, errorBody(failure) ? 1 : 0]).toEqual([status, bodies.length]);
    }
  });

  test.each(cases)("%s reads the standard's responses", (name, method, path) => {
    const operation = find(name);
    for (const [status, response] of Object.entries(operation.responses)) {
      const { headers, bodies } = standardOperation(method, path).responses[Number(status)]!;
      expect(Object.keys(response.headers ?? {}).toSorted()).toEqual(headers);
      if (response.kind !== "json") continue;
      const body = operation.path.includes("/bulk-payments/") && bodies.length > 1 ? bodies[2]! : bodies[0]!;
      expect(responseDifferences(body, responseJsonSchema(response.schema))).toEqual([]);
    }
  });
});

const now = new Date("2026-01-30T09:00:00Z");

function violations(name: string, input: Values): string[] {
  return checkInput(find(name), input, now).map(({ field, message }) => `${field} ${message}`);
}

const anyProduct = { "payment-product": "sepa-credit-transfers" };
const account = { iban: "DE52000000000012345678" };
const transfer = {
  instructedAmount: { currency: "EUR", amount: "12.50" },
  creditorAccount: { iban: "NL13TEST0123456789" },
  creditorName: "Example Supplier",
};
const single = { ...anyProduct, "payment-service": "payments", debtorAccount: account, ...transfer };
const periodic = {
  ...single,
  "payment-service": "periodic-payments",
  startDate: "2026-02-01",
  frequency: "Monthly",
};
const bulk = {
  ...anyProduct,
  "payment-service": "bulk-payments",
  debtorAccount: account,
  payments: [transfer],
};
const variable = { ...periodic, frequency: "MonthlyVariable" };
const pain001 = "<Document/>";
const xmlProduct = { "payment-product": "pain.001-sepa-credit-transfers" };
const xml = (service: string, document = pain001) => ({
  ...xmlProduct,
  "payment-service": service,
  pain001: document,
});
const order = { startDate: "2026-02-01", frequency: "Monthly" };
const list = { "account-id": "a1", "Consent-ID": "c1", bookingStatus: "booked" };

const redirects = [
  "https://example.com/done?x=1",
  "http://localhost:1880/back",
  "http://[::1]:1/",
  "https://desk.example/done?state=a%20b#c",
];

const paying = (amount: string, currency: string) => ({
  ...transfer,
  instructedAmount: { currency, amount },
});

test.each<[string, Values]>([
  ...[single, periodic, bulk, { ...variable, monthsOfExecution: ["1", "4", "10"] }].map(
    (input): [string, Values] => ["payments.initiate", input],
  ),
  ...redirects.map((uri): [string, Values] => ["payments.initiate", { ...single, "TPP-Redirect-URI": uri }]),
  ["payments.initiate", xml("payments")],
  ["payments.initiate", xml("bulk-payments")],
  ["payments.initiate", xml("payments", `<?xml version='1.0' encoding='utf-8' ?>${pain001}`)],
  ["payments.initiate", { ...xml("periodic-payments"), ...order }],
  ["payments.initiateBulk", { ...xmlProduct, pain001 }],
  ["openBanking.listTransactions", { ...list, dateFrom: "2026-01-01" }],
  ["openBanking.listTransactions", { ...list, entryReferenceFrom: "e1" }],
  ["openBanking.listTransactions", { ...list, deltaList: true }],
  ["openBanking.listTransactions", { ...list, bookingStatus: "information" }],
])("%#: %s accepts %j", (name, input) => {
  expect(violations(name, input)).toEqual([]);
});

const periodicFields = [{ startDate: "2026-02-01" }, { endDate: "2026-02-01" }, { dayOfExecution: "1" }];

const addresses = [
  "http://example.com/done",
  "javascript:alert(1)",
  "https://user:pass@example.com",
  "https://desk.example/é",
  "https://desk.example/\n",
  " https://desk.example/",
];

/** Input of payments.initiate with one fault, and the beginning of its violations: the fields. */
test.each<[Values, string]>([
  [{ ...single, creditorName: undefined }, "debtorAccount, instructedAmount, creditorAccount, creditorName"],
  [{ ...periodic, instructedAmount: undefined }, "debtorAccount, instructedAmount"],
  [{ ...periodic, frequency: undefined }, "startDate, frequency"],
  [{ ...single, payments: [transfer] }, "payments"],
  ...[single, bulk].flatMap((input) =>
    periodicFields.map((more): [Values, string] => [{ ...input, ...more }, "startDate, frequency"]),
  ),
  [{ ...periodic, endDate: "2026-01-31" }, "startDate, endDate"],
  [variable, "monthsOfExecution"],
  [{ ...variable, monthsOfExecution: ["4", "4"] }, "monthsOfExecution"],
  [{ ...periodic, monthsOfExecution: ["4"] }, "monthsOfExecution"],
  [{ ...single, creditorAccount: { IBAN: "NL13TEST0123456789" } }, "creditorAccount.IBAN"],
  [{ ...single, creditorAgent: "TESTNL2" }, "creditorAgent"],
  [{ ...single, creditorAccount: { iban: "NL14TEST0123456789" } }, "creditorAccount.iban"],
  [{ ...single, instructedAmount: { currency: "USD", amount: "1" } }, "instructedAmount"],
  [{ ...bulk, payments: [transfer, paying("1", "USD")] }, "payments"],
  [{ ...bulk, payments: [{ ...transfer, debtorAccount: account }] }, "payments.0.debtorAccount"],
  [{ ...single, "TPP-Redirect-URI": "example.com/done" }, "TPP-Redirect-URI"],
  ...addresses.map((address): [Values, string] => [
    { ...single, "TPP-Notification-URI": address },
    "TPP-Notification-URI",
  ]),
  [xml("payments", "payment.xml"), "pain001"],
  [xml("payments", '<?xml version="1.0" encoding="ISO-8859-1"?><Document/>'), "pain001"],
  [{ ...xml("payments"), pain001: undefined }, "pain001"],
  [{ ...xml("payments"), creditorName: "A" }, "creditorName"],
  [xml("periodic-payments"), "startDate, frequency"],
  [{ ...xml("payments"), ...order }, "startDate, frequency"],
])("%#: payments.initiate refuses %j", (input, field) => {
  const found = violations("payments.initiate", input);
  expect(found.filter((violation) => !violation.startsWith(field))).toEqual([]);
  expect(found).not.toEqual([]);
});

test.each<[string, Values, string]>([
  ["payments.initiate", { ...single, pain001 }, "pain001"],
  ["payments.initiateBulk", xmlProduct, "pain001"],
  ["payments.initiateBulk", { ...xmlProduct, pain001, debtorAccount: account }, "debtorAccount"],
  ["openBanking.listTransactions", list, "dateFrom"],
  ["openBanking.listTransactions", { ...list, dateTo: "2026-01-01" }, "dateFrom"],
  [
    "openBanking.listTransactions",
    { ...list, dateFrom: "2026-01-02", dateTo: "2026-01-01" },
    "dateFrom, dateTo",
  ],
])("%#: %s refuses %j", (name, input, field) => {
  expect(violations(name, input)).toContainEqual(expect.stringMatching(new RegExp(`^${field} `)));
});

/** The locations of amounts: operation, path and input. */
const amounts: [name: string, field: string, input: (amount: string, currency: string) => Values][] = [
  ["payments.initiate", "instructedAmount.amount", (...given) => ({ ...single, ...paying(...given) })],
  ["payments.initiate", "instructedAmount.amount", (...given) => ({ ...periodic, ...paying(...given) })],
  [
    "payments.initiate",
    "payments.1.instructedAmount.amount",
    (...given) => ({ ...bulk, payments: [transfer, paying(...given)] }),
  ],
  [
    "payments.initiateBulk",
    "payments.0.instructedAmount.amount",
    (...given) => ({ ...anyProduct, debtorAccount: account, payments: [paying(...given)] }),
  ],
];
const valid = ["0.01 EUR", "99999999999999.99 EUR", "007.5 EUR", "1 JPY", "0.001 KWD", "0.001 CLF"];
const refused = ["-5", "0", "0.00", "-0", "0.001", "1.500", "1,5", "1.", "1e3", ""].map(
  (each) => `${each} EUR`,
);

test.each(amounts)("%s, %s (%#): amounts are positive and fit their currency", (name, field, input) => {
  const found = (text: string) => {
    const values = input(...(text.split(" ") as [string, string]));
    return checkInput(find(name), { ...values, "payment-product": "cross-border-credit-transfers" }, now);
  };
  expect(valid.filter((text) => found(text).length > 0)).toEqual([]);
  for (const text of [...refused, "1.0 JPY"]) expect([text, found(text)]).toMatchObject([text, [{ field }]]);
});
