/** Lists of form fields, derived from declarations. */
import { z } from "zod";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { json } from "../../core/spec/declare";
import { callerFieldDocs, describeOperation } from "../../core/spec/describe-operation";
import { declarationsOf, type Service } from "../../core/spec/service";
import { declare } from "../core/support/declare";
import { createListFinder, toPickerOptions, toCreatedPickerOptions } from "../../nodes/editor/field-lists";

function findList(name: string, field: string, service: Service = fxdeskService) {
  const callable = declarationsOf(service).find((each) => each.name === name)!;
  const described = callerFieldDocs(describeOperation(callable)).find((each) => each.name === field)!;
  return createListFinder(service)(callable, described);
}

test.each([
  ["accounts.listBalances", "account_id", "cash.getPosition"],
  ["statements.fetch", "accounts", "cash.getPosition"],
  ["transactions.find", "currencies", "cash.getPosition"],
  ["exposure.get", "base_currency", "cash.getPosition"],
  ["accountDetails.updateAlias", "account_details_id", "accountDetails.list"],
  ["trades.get", "trade_id", "trades.list"],
  ["openBanking.listAccounts", "Consent-ID", "consents.create"],
  ["consents.connect", "consent_id", "consents.create"],
  ["consents.watch", "consents", "consents.create"],
  ["payments.initiate", "Consent-ID", "consents.create"],
  ["payments.get", "paymentId", "payments.initiate"],
  ["payments.getBulk", "paymentId", "payments.initiateBulk"],
  ["payments.follow", "paymentId", "payments.initiate"],
  ["payments.initiateRun", "debtor_iban", "accountDetails.listAll"],
  ["payments.initiate", "debtorAccount", "accountDetails.listAll"],
  ["consents.connect", "accounts", "accountDetails.listAll"],
])("%s takes its %s from %s", (name, field, from) => {
  expect(findList(name, field)).toMatchObject({ from });
});

test.each([
  ["payments.initiate", "creditorAccount", "which is another's"],
  ["openBanking.listBalances", "account-id", "which is another service's"],
  ["accountDetails.updateAlias", "alias", "which is to be new"],
  ["transactions.find", "direction", "which has listed values"],
  ["payments.getAuthorisation", "authorisation-id", "which is known where its payment is"],
  ["consents.getAuthorisation", "authorisation-id", "which is known where its consent is"],
  ["payments.initiateBulk", "payments", "which are to be new"],
])("%s has no list for its %s, %s", (name, field) => {
  expect(findList(name, field)).toBeUndefined();
});

test("an added operation offers values for fields of others", () => {
  const list = declare({
    name: "widgets.list",
    tool: "list_widgets",
    responses: { 200: json(z.array(z.looseObject({ widget_id: z.string(), name: z.string() })), "Widgets.") },
  });
  const get = declare({
    name: "widgets.get",
    tool: "get_widget",
    path: "/widgets/{widget_id}",
    parameters: { widget_id: z.string().min(1).meta({ title: "Widget", description: "The widget." }) },
  });
  const service = { ...fxdeskService, operations: [...fxdeskService.operations, list, get] };

  expect(findList("widgets.get", "widget_id", service)).toEqual({
    from: "widgets.list",
    property: "widget_id",
  });
});

test("offers entries with recognisable titles, each value once", () => {
  const entries = [
    {
      account_id: "A1",
      account_name: "Main",
      type: "InterimAvailable",
      currency: "EUR",
      amount: "1234567.8901",
      see: "https://example.com/1",
    },
    { account_id: "A1", account_name: "Main", currency: "EUR", amount: "2.00" },
    { account_id: null },
    "nothing",
  ];

  expect(toPickerOptions(entries, "account_id")).toEqual([
    { value: "A1", title: "Main · EUR · 1\u202f234\u202f567.8901", label: "EUR" },
  ]);
  expect(toPickerOptions(entries, "currency")).toEqual([{ value: "EUR", title: "", label: "EUR" }]);
});

test("offers the IBANs of own accounts, and none that is shared with other clients", () => {
  const details = { bank_account_number: "9820100822", alias: "Main", currency: "EUR" };
  const entries = [
    { ...details, account_id: "A1", iban: "DE64000000009820100822" },
    { ...details, account_id: null, iban: "DE86000000007526069244" },
    { ...details, account_id: "A2", iban: null },
  ];

  expect(toPickerOptions(entries, "iban")).toEqual([
    { value: "DE64000000009820100822", title: "Main · EUR", label: "EUR" },
  ]);
});

test("offers created resources by time and recognisable values", () => {
  const at = Date.UTC(2026, 10, 23, 2, 3, 59);
  expect(
    toCreatedPickerOptions([
      { id: "p-1", at, labelParts: ["125.50 EUR", "Ferme Duval SARL"] },
      { id: "p-2", at, labelParts: [] },
    ]),
  ).toEqual([
    { value: "p-1", title: "2026-11-23T02:03Z · 125.50 EUR · Ferme Duval SARL", label: "125.50 EUR" },
    { value: "p-2", title: "2026-11-23T02:03Z", label: "2026-11-23T02:03Z" },
  ]);
});
