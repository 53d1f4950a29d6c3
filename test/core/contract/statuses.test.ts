/** All documented statuses of the JSON interface, maintained by hand; `+` marks an ErrorMessage. */
import { ErrorMessage } from "../../../core/values";
import { type ResponseDeclaration, errorBody, type ErrorDeclaration } from "../../../core/operations";
import { contractOperations, operationNamed } from "../../support/operations";
import { errorDescription } from "../../../core/spec/operation";

const documented: Readonly<Record<string, string>> = {
  "accountDetails.list": "200json 400+ 401 403+ 429",
  "accountDetails.listAll": "200json 400+ 401 404 429 502+",
  "accountDetails.request": "200empty 400+ 401 403+ 404+ 409+ 429",
  "accountDetails.updateAlias": "200json 401 404+ 405+ 422+ 429",
  "accountDetails.makeDefault": "204empty 400+ 401 403+ 404+ 405+ 409+ 429",
  "accountDetails.assignVirtual": "200json 400+ 401 403+ 404+ 409+ 429",
  "accounts.list": "200json 400+ 401 403+ 404 409 502+",
  "accounts.get": "200json 400 401 403 404 409 502",
  "accounts.getFunding": "200json 400+ 401 404+ 502+",
  "accounts.listCurrencyAccounts": "200json 400 401 403 404 502",
  "accounts.listBalances": "200json 400 401 403 404 409 502",
  "statements.createFile": "202json 400 401 403 404 409 502",
  "statements.getFile": "200file 202json 400 401 403 404 409 502",
  "statements.emailAccounts": "202text 400 401 403 404 502",
  "statements.emailMt940": "202text 400 401 403 404 502",
  "statements.emailTrades": "202text 400 401 403 404 502",
  "statements.emailIncomingFunds": "202text 400 401 403 404 502",
  "transactions.list": "200json 400 401 403 404 409 502 504+",
  "transactions.get": "200json 400 401 403 404 409 502 504",
  "approvalsWorkflow.getConfig": "200json 400 401 403 404 502",
  "approvalsWorkflow.replaceConfig": "200json 400 401 403 404+ 409+ 500+",
  "approvalsWorkflow.getSettings": "200json 400 401 403 404 500",
  "approvalsWorkflow.updateSettings": "200json 400 401 403 404+ 500",
  "login.getPage": "200html",
  "trades.book": "201json 400+ 401 403+ 404 409+ 502+",
  "trades.list": "200json 400 401 403 404 502",
  "trades.get": "200json 400 401 403 404 502",
};

const service = contractOperations.filter(({ server }) => server === "service");

const successKey = ([status, { kind }]: [string, ResponseDeclaration]) => status + kind;
const errorKey = ([status, failure]: [string, ErrorDeclaration]) => {
  const body = errorBody(failure);
  return body ? `${status}${body === ErrorMessage ? "+" : "?"}` : status;
};

test.each(service.map(({ name }) => name))("%s declares the statuses of the contract", (name) => {
  const { responses, errors } = operationNamed(name);
  const declared = [...Object.entries(responses).map(successKey), ...Object.entries(errors).map(errorKey)];
  expect(declared.join(" ")).toBe(documented[name]);
});

test("every status has a short description in whole sentences", () => {
  for (const { responses, errors } of service) {
    const meanings = [
      ...Object.values(responses).map(({ description }) => description),
      ...Object.values(errors).map((failure) => errorDescription(failure)),
    ];
    for (const meaning of meanings) expect(meaning).toMatch(/^[A-Za-z].{3,110}\.$/);
  }
});

test("declares x-total-count exactly where the contract documents it", () => {
  const counted = service.filter(({ pages }) => pages?.total !== undefined);
  expect(counted.map(({ name }) => name)).toEqual(["accountDetails.list", "transactions.list"]);
  for (const { responses, pages } of counted) expect(responses[200]!.headers).toHaveProperty(pages!.total!);
});

const unusualStatuses: Readonly<Record<string, string>> = {
  "login.getPage": "",
  "transactions.get": "accessToken contactId",
  "trades.book": "accessToken apiKey contactId?",
  "trades.list": "accessToken apiKey contactId?",
  "trades.get": "accessToken apiKey contactId?",
};

test.each(service)("$name carries the credentials of the contract", (declared) => {
  expect(declared.credentials.join(" ")).toBe(unusualStatuses[declared.name] ?? "accessToken contactId?");
});
