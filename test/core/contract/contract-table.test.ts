/**
 * The contract, transcribed by hand, in its order: the declarations must match it. The line of an operation is followed by
 * its statuses, where `+` marks an error body, and for the JSON interface by the fields of the caller. `?` marks optional
 * ones; `=` precedes a default. Fields of the open-banking interfaces are compared with their standard in xs2a.test.
 */
import {
  callerFields,
  type Declaration,
  errorBody,
  errorDescription,
  fieldsOf,
} from "../../../core/operations";
import { ErrorMessage, TppMessages } from "../../../core/values";
import { contractOperations, inputViolations } from "../../support/operations";

const table = `
1    accountDetails.list                  list_account_details            GET     service  read    /account-details
     200json 400+ 401 403+ 429
     query: account_details_type? dedicated|pooled, account_id? account, country? country, currency? currency, alias? alias, page? count, page_size? count
2    accountDetails.listAll               list_all_account_details        GET     service  read    /account-details/all
     200json 400+ 401 404 429 502+
3    accountDetails.request               request_account                 POST    service  change  /account-details/request
     200empty 400+ 401 403+ 404+ 409+ 429
     body: country country, currency currency, alias? alias
4    accountDetails.updateAlias           update_account_alias            PATCH   service  change  /account-details/{account_details_id}
     200json 401 404+ 405+ 422+ 429
     path: account_details_id id
     body: alias alias
5    accountDetails.makeDefault           make_account_default            POST    service  change  /account-details/{account_details_id}/make-default
     204empty 400+ 401 403+ 404+ 405+ 409+ 429
     path: account_details_id uuid
6    accountDetails.assignVirtual         assign_virtual_account          POST    service  change  /account-details/virtual/{currency}
     200json 400+ 401 403+ 404+ 409+ 429
     path: currency currency
8    accounts.list                        list_accounts                   GET     service  read    /accounts
     200json 400+ 401 403+ 404 409 502+
     query: currencies currencies
9    accounts.get                         get_account                     GET     service  read    /accounts/{account_id}
     200json 400 401 403 404 409 502
     path: account_id uuid
10   accounts.getFunding                  get_funding_account             GET     service  read    /funding-account
     200json 400+ 401 404+ 502+
     query: currency? currency, account_id? account
11   accounts.listCurrencyAccounts        list_currency_accounts          GET     service  read    /accounts/currency-accounts
     200json 400 401 403 404 502
12   accounts.listBalances                list_balances                   GET     service  read    /accounts/{account_id}/balances
     200json 400 401 403 404 409 502
     path: account_id uuid
     query: balance_types? [InterimAvailable|RequiredFunds|RequiredFundsImmediate|Outgoing|Incoming|InitialMargin|MarginCall|Processing] = ["InterimAvailable"]
13   statements.createFile                create_statement_file           POST    service  change  /accounts/{account_id}/statements/file
     202json 400 401 403 404 409 502
     path: account_id uuid
     query: format? pdf|csv|mt940|xls = "pdf"
     body: from_value_datetime minute, to_value_datetime? minute
14   statements.getFile                   get_statement_file              GET     service  read    /accounts/{account_id}/statements/{statement_id}/file
     200file 202json 400 401 403 404 409 502
     path: account_id uuid, statement_id uuid
15   statements.emailAccounts             email_accounts_statement        POST    service  change  /statements/accounts
     202text 400 401 403 404 502
     body: date_from day, date_to day, format? pdf|csv|xls|coda = "pdf", currencies? currencies
16   statements.emailMt940                email_mt940_statement           POST    service  change  /statements/mt940
     202text 400 401 403 404 502
     body: date_from day, date_to? day, account_ids? integers, sub_tags? boolean = false
17   statements.emailTrades               email_trades_statement          POST    service  change  /statements/trades
     202text 400 401 403 404 502
     body: date_from dayOrMonth
18   statements.emailIncomingFunds        email_incoming_funds_statement  POST    service  change  /statements/incoming-funds
     202text 400 401 403 404 502
     body: date_from day, date_to day, format? csv|pdf = "csv"
19   transactions.list                    list_transactions               GET     service  read    /accounts/{account_id}/transactions
     200json 400 401 403 404 409 502 504+
     path: account_id uuid
     query: credit_debit_indicator? credit|debit, from_value_datetime? minute, to_value_datetime? minute, transaction_type? text, page? count = 1, page_size? count = 50
20   transactions.get                     get_transaction                 GET     service  read    /accounts/{account_id}/transactions/{transaction_id}
     200json 400 401 403 404 409 502 504
     path: account_id uuid, transaction_id uuid
21   approvalsWorkflow.getConfig          get_approvals_config            GET     service  read    /approvals-workflow/config
     200json 400 401 403 404 502
22   approvalsWorkflow.replaceConfig      replace_approvals_config        POST    service  money   /approvals-workflow/config
     200json 400 401 403 404+ 409+ 500+
     body: groups groups, rules bands
23   approvalsWorkflow.getSettings        get_approvals_settings          GET     service  read    /approvals-workflow/settings
     200json 400 401 403 404 500
24   approvalsWorkflow.updateSettings     update_approvals_settings       POST    service  money   /approvals-workflow/settings
     200json 400 401 403 404+ 500
     body: enabled boolean, dual_admin boolean, currency? currency
25   login.getPage                        get_login_page                  GET     service  read    /authenticate
     200html
     query: scope scope, response_type code, client_id word, redirect_uri address, state word
26   trades.book                          book_trade                      POST    service  money   /trades
     201json 400+ 401 403+ 404 409+ 502+
     query: quote_id word
     body: trade_type? text, reason charitable_aid|payment_for_goods|capital_investment|payment_for_services|repatriation_of_goods|repatriation_of_services|property_purchase|mortage_repayment|property_rental_or_maintenance|salary_payroll|travel_costs|living_costs|repayment_of_loan|balance_hedging|repatriation_from_investment|portfolio_netting|not_related_to_goods_or_services|other, reference? text
27   trades.list                          list_trades                     GET     service  read    /trades
     200json 400 401 403 404 502
     query: trade_type? [spot|forward|window_forward|drawdown|ndf], parent_trade_id? word, page? count = 1, page_size? count = 50
28   trades.get                           get_trade                       GET     service  read    /trades/{trade_id}
     200json 400 401 403 404 502
     path: trade_id id
     query: response_model? BookedTrade|ExtendedBookedTrade
P1   payments.getStatus                   get_payment_status              GET     xs2a     read    /v1/{payment-service}/{payment-product}/{paymentId}/status
     200json 400+ 401+ 403+ 404+ 405+ 406 408 409+ 415 429 500 503
P2   payments.initiateBulk                initiate_bulk_payment           POST    xs2a     money   /v1/bulk-payments/{payment-product}
     201json 400+ 401+ 403+ 404+ 405+ 406 408 409+ 415 429 500 503
P3   payments.startAuthorisation          start_payment_authorisation     POST    xs2a     money   /v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}
     201json 400+ 401+ 403+ 404+ 405+ 406 408 409+ 415 429 500 503
P4   payments.listAuthorisations          list_payment_authorisations     GET     xs2a     read    /v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}
     200json 400+ 401+ 403+ 404+ 405+ 406 408 409+ 415 429 500 503
P5   payments.initiate                    initiate_payment                POST    xs2a     money   /v1/{payment-service}/{payment-product}
     201json 400+ 401+ 403+ 404+ 405+ 406 408 409+ 415 429 500 503
P6   payments.cancel                      cancel_payment                  DELETE  xs2a     money   /v1/{payment-service}/{payment-product}/{paymentId}
     202json 204empty 400+ 401+ 403+ 404+ 405+ 406 408 409+ 415 429 500 503
P7   payments.getAuthorisation            get_payment_authorisation       GET     xs2a     read    /v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}/{authorisation-id}
     200json 400+ 401+ 403+ 404+ 405+ 406 408 409+ 415 429 500 503
P8   payments.get                         get_payment                     GET     xs2a     read    /v1/payments/{payment-product}/{paymentId}
     200json 400+ 401+ 403+ 404+ 405+ 406 408 409+ 415 429 500 503
P9   payments.getBulk                     get_bulk_payment                GET     xs2a     read    /v1/bulk-payments/{payment-product}/{paymentId}
     200json 400+ 401+ 403+ 404+ 405+ 406 408 409+ 415 429 500 503
A1   consents.create                      create_consent                  POST    xs2a     change  /v1/consents
     201json 400+ 401+ 403+ 404+ 405+ 406+ 408 409+ 415 429+ 500 503
A2   consents.get                         get_consent                     GET     xs2a     read    /v1/consents/{consent-id}
     200json 400+ 401+ 403+ 404+ 405+ 406+ 408 409+ 415 429+ 500 503
A3   consents.delete                      delete_consent                  DELETE  xs2a     change  /v1/consents/{consent-id}
     204empty 400+ 401+ 403+ 404+ 405+ 406+ 408 409+ 415 429+ 500 503
A4   consents.getStatus                   get_consent_status              GET     xs2a     read    /v1/consents/{consent-id}/status
     200json 400+ 401+ 403+ 404+ 405+ 406+ 408 409+ 415 429+ 500 503
A5   consents.startAuthorisation          start_consent_authorisation     POST    xs2a     change  /v1/consents/{consent-id}/authorisations
     201json 400+ 401+ 403+ 404+ 405+ 406+ 408 409+ 415 429+ 500 503
A6   consents.listAuthorisations          list_consent_authorisations     GET     xs2a     read    /v1/consents/{consent-id}/authorisations
     200json 400+ 401+ 403+ 404+ 405+ 406+ 408 409+ 415 429+ 500 503
A7   consents.getAuthorisation            get_consent_authorisation       GET     xs2a     read    /v1/consents/{consent-id}/authorisations/{authorisation-id}
     200json 400+ 401+ 403+ 404+ 405+ 406+ 408 409+ 415 429+ 500 503
A8   openBanking.listAccounts             list_open_banking_accounts      GET     xs2a     read    /v1/accounts
     200json 400+ 401+ 403+ 404+ 405+ 406+ 408 409+ 415 429+ 500 503
A9   openBanking.getAccount               get_open_banking_account        GET     xs2a     read    /v1/accounts/{account-id}
     200json 400+ 401+ 403+ 404+ 405+ 406+ 408 409+ 415 429+ 500 503
A10  openBanking.listBalances             list_open_banking_balances      GET     xs2a     read    /v1/accounts/{account-id}/balances
     200json 400+ 401+ 403+ 404+ 405+ 406+ 408 409+ 415 429+ 500 503
A11  openBanking.listTransactions         list_open_banking_transactions  GET     xs2a     read    /v1/accounts/{account-id}/transactions
     200json 400+ 401+ 403+ 404+ 405+ 406+ 408 409+ 415 429+ 500 503
`;

const columns = ["contract", "name", "tool", "method", "server", "effect", "path"] as const;

interface ContractField {
  readonly name: string;
  readonly location: string;
  readonly required: boolean;
  /** Name of a type below, or the values of an enumeration. */
  readonly type: string;
  readonly default?: unknown;
}

function parseField(location: string, text: string): ContractField {
  const [, name, optional, type, value] = /^(\w+)(\??) (\S+)(?: = (.*))?$/.exec(text)!;
  const defaultValue = value === undefined ? {} : { default: JSON.parse(value) as unknown };
  return { name: name!, location, required: optional === "", type: type!, ...defaultValue };
}

const contractRows = table
  .trim()
  .split(/\n(?=\S)/)
  .map((block) => {
    const [head, statuses, ...lines] = block.split("\n").map((line) => line.trim());
    const fields = lines.flatMap((line) => {
      const [location, list] = line.split(": ");
      return list!.split(", ").map((text) => parseField(location!, text));
    });
    return { cells: head!.split(/ +/), name: head!.split(/ +/)[1]!, statuses, fields };
  });

test("every operation of the contract is declared, in the contract's order", () => {
  expect(contractOperations.map((operation) => columns.map((column) => operation[column]))).toEqual(
    contractRows.map(({ cells }) => cells),
  );
});

const uuid = "8f3b1c52-6d0e-4a57-9c11-2b7e90d4a6f1";
const text = (length: number) => "x".repeat(length);
const band = {
  min_amount: 0,
  max_amount: null,
  currency: "EUR",
  combinations: [[{ group: "A", approvals: 1 }]],
};

interface Limits {
  readonly fits: readonly unknown[];
  readonly fitsNot: readonly unknown[];
}

/** Types of fields by examples. */
const types: Readonly<Record<string, Limits>> = {
  currency: { fits: ["EUR", "XAU"], fitsNot: ["eur", "EU", "EURO", "E1R", ""] },
  currencies: {
    fits: ["EUR", "EUR,GBP", "EUR,GBP,"],
    fitsNot: ["", "eur", "EUR;GBP", "EUR, GBP", ["EUR"]],
  },
  country: { fits: ["DE", "GB"], fitsNot: ["de", "DEU", "D", "D1", ""] },
  account: { fits: [uuid, text(36)], fitsNot: [text(35), text(37), ""] },
  uuid: { fits: [uuid, uuid.toUpperCase()], fitsNot: [text(36), uuid.slice(1), `${uuid}0`, "", "../trades"] },
  id: { fits: ["1", "a b", "T-1"], fitsNot: ["", ".", "..", "a/b", "..\\b"] },
  word: { fits: ["1", "a/b"], fitsNot: ["", 1] },
  text: { fits: ["", "of tomorrow"], fitsNot: [1, ["incoming"]] },
  alias: { fits: ["a", text(50)], fitsNot: ["", text(51)] },
  count: { fits: [1, 2, 1_000], fitsNot: [0, -1, 1.5, "1"] },
  boolean: { fits: [true, false], fitsNot: ["true", 1, null] },
  integers: { fits: [[1], [1, 2], []], fitsNot: [["1"], [uuid], [1.5], 1] },
  day: {
    fits: ["2026-01-01", "2024-02-29"],
    fitsNot: ["2026-02-29", "2026-13-01", "2026-1-1", "01.01.2026", "2026-01-01T00:00", ""],
  },
  dayOrMonth: {
    fits: ["2026-01", "2026-01-31", "2024-02-29"],
    fitsNot: ["2025-13", "2025-00", "2025-02-29", "2025", "2025-1", "202501"],
  },
  minute: {
    fits: ["2026-01-01T00:00", "2024-02-29T23:59"],
    fitsNot: [
      "2026-01-01",
      "2026-01-01T24:00",
      "2026-01-01T00:00:00",
      "2026-01-01T00:00Z",
      "2026-02-30T00:00",
    ],
  },
  scope: { fits: ["openid", "openid profile", "email openid"], fitsNot: ["", "profile", "openidx"] },
  address: { fits: ["https://example.com/back"], fitsNot: ["", "http://example.com", "javascript:alert(1)"] },
  groups: { fits: [[{ name: "A", members: ["c1"] }], []], fitsNot: [[{ name: "A" }], {}] },
  bands: {
    fits: [[], [band], [{ ...band, max_amount: 1_000, level: "as the service sent it" }]],
    fitsNot: [
      ...[{ currency: "eur" }, { min_amount: "0" }, { min_amount: -1 }, { max_amount: 0 }].map((flaw) => [
        { ...band, ...flaw },
      ]),
      "none",
    ],
  },
};

/** Returns the limits of a type. Any other name than those above lists the values of an enumeration. */
function limitsOf(type: string): Limits {
  const values = type.replace(/[[\]]/g, "").split("|");
  const fitsNot = ["", values[0]!.toUpperCase() + values[0]!.toLowerCase(), 1];
  if (type.startsWith("["))
    return { fits: [values, []], fitsNot: [values[0], ...fitsNot.map((each) => [each])] };
  return types[type] ?? { fits: values, fitsNot };
}

const minimalInputOf = (fields: readonly ContractField[]) =>
  Object.fromEntries(
    fields.flatMap(({ name, required, type }) => (required ? [[name, limitsOf(type).fits[0]]] : [])),
  ) as Readonly<Record<string, unknown>>;

const jsonRows = contractRows.filter(({ cells }) => cells[4] === "service");

describe.each(jsonRows)("$name", ({ name, fields }) => {
  const operation: Declaration = contractOperations.find((each) => each.name === name)!;
  const minimalInput = minimalInputOf(fields);
  /** Without broken rules over several fields; see rules.test. */
  const violationsOf = (input: object) =>
    inputViolations(name, { ...minimalInput, ...input }).filter(({ rule }) => !rule);

  test("has the fields of the contract, each with a title and one short sentence", () => {
    const declared = callerFields(operation);
    expect(
      declared.map(({ name: field, location, required, default: value }) => ({
        field,
        location,
        required,
        value,
      })),
    ).toEqual(
      fields.map(({ name: field, location, required, default: value }) => ({
        field,
        location,
        required,
        value,
      })),
    );
    for (const { title, description } of declared) {
      expect(title).toMatch(/^[A-Z0-9]/);
      expect(description).toMatch(/^[A-Z0-9`].{2,110}\.$/);
    }
  });

  test("accepts the required fields, and needs each of them", () => {
    expect(violationsOf({})).toEqual([]);
    for (const { name: field, required } of fields)
      if (required) expect(violationsOf({ [field]: undefined }).map((each) => each.field)).toContain(field);
    expect(violationsOf({ colour: "red" })).toMatchObject([{ field: "colour" }]);
  });

  test("limits its fields as the contract does", () => {
    for (const { name: field, type } of fields) {
      const { fits, fitsNot } = limitsOf(type);
      const { options } = callerFields(operation).find((each) => each.name === field)!;
      expect({ field, options }).toEqual({
        field,
        options: types[type] || type.startsWith("[") ? undefined : fits,
      });
      for (const value of fits)
        expect({ value, violations: violationsOf({ [field]: value }) }).toEqual({ value, violations: [] });
      for (const value of fitsNot) {
        const found = violationsOf({ [field]: value }).map((each) => each.field.split(/[.,]/)[0]);
        expect({ field, value, found: [...new Set(found)] }).toEqual({ field, value, found: [field] });
      }
    }
  });

  test("is filled in by the connection with the client ID, except on the login page", () => {
    expect(fieldsOf(operation).find((each) => each.name === "client_id")).toMatchObject({
      filledBy: name === "login.getPage" ? "caller" : "connection",
      required: true,
      location: "query",
    });
  });
});

const bodyOfErrors = { service: ErrorMessage, xs2a: TppMessages } as const;

test.each(contractRows)("$name has the statuses of the contract", ({ name, statuses }) => {
  const { responses, errors, server } = contractOperations.find((each) => each.name === name)!;
  const successes = Object.entries(responses).map(([status, { kind }]) => status + kind);
  const failures = Object.entries(errors).map(([status, error]) => {
    const body = errorBody(error);
    expect([undefined, bodyOfErrors[server as keyof typeof bodyOfErrors]]).toContain(body);
    return body ? `${status}+` : status;
  });
  expect([...successes, ...failures].join(" ")).toBe(statuses);
  const meanings = [
    ...Object.values(responses).map(({ description }) => description),
    ...Object.values(errors).map(errorDescription),
  ];
  for (const meaning of meanings) expect(meaning).toMatch(/^[A-Za-z].{3,110}\.$/);
});

test("the lists with numbered pages count their entries where the contract documents it", () => {
  const counted = contractOperations.filter(({ pages }) => pages?.total !== undefined);
  expect(counted.map(({ name }) => name)).toEqual(["accountDetails.list", "transactions.list"]);
  for (const { responses, pages } of counted) expect(responses[200]!.headers).toHaveProperty(pages!.total!);
});

const unusualCredentials: Readonly<Record<string, string>> = {
  "login.getPage": "",
  "transactions.get": "accessToken contactId",
  "trades.book": "accessToken apiKey contactId?",
  "trades.list": "accessToken apiKey contactId?",
  "trades.get": "accessToken apiKey contactId?",
};

test("every operation of the JSON interface carries the credentials of the contract", () => {
  for (const { name, server, credentials } of contractOperations)
    if (server === "service")
      expect([name, credentials.join(" ")]).toEqual([
        name,
        unusualCredentials[name] ?? "accessToken contactId?",
      ]);
});

const money: readonly Declaration[] = contractOperations.filter(({ effect }) => effect === "money");

test("money operations identify their result, and are found again where a lookup shows them", () => {
  expect(
    money.map(({ name, identifiedBy, singleUseField, lookup, recovery }) => [
      name,
      identifiedBy,
      singleUseField,
      lookup,
      recovery?.kind,
    ]),
  ).toEqual([
    ["approvalsWorkflow.replaceConfig", "rules", undefined, "approvalsWorkflow.getConfig", undefined],
    ["approvalsWorkflow.updateSettings", "enabled", undefined, "approvalsWorkflow.getSettings", undefined],
    ["trades.book", "trade_id", "quote_id", "trades.list", "listed"],
    ["payments.initiateBulk", "paymentId", undefined, undefined, "resent"],
    ["payments.startAuthorisation", "authorisationId", undefined, "payments.listAuthorisations", undefined],
    ["payments.initiate", "paymentId", undefined, undefined, "resent"],
    ["payments.cancel", "transactionStatus", undefined, "payments.getStatus", undefined],
  ]);
});
