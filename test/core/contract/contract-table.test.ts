/** A table of the contract, maintained by hand: the declarations must match it, in this order. */
import { type Declaration, operations } from "../../../core/operations";
import { contractOperations } from "../../support/operations";

const table = `
1    accountDetails.list                  list_account_details            GET     service  read    /account-details
2    accountDetails.listAll               list_all_account_details        GET     service  read    /account-details/all
3    accountDetails.request               request_account                 POST    service  change  /account-details/request
4    accountDetails.updateAlias           update_account_alias            PATCH   service  change  /account-details/{account_details_id}
5    accountDetails.makeDefault           make_account_default            POST    service  change  /account-details/{account_details_id}/make-default
6    accountDetails.assignVirtual         assign_virtual_account          POST    service  change  /account-details/virtual/{currency}
8    accounts.list                        list_accounts                   GET     service  read    /accounts
9    accounts.get                         get_account                     GET     service  read    /accounts/{account_id}
10   accounts.getFunding                  get_funding_account             GET     service  read    /funding-account
11   accounts.listCurrencyAccounts        list_currency_accounts          GET     service  read    /accounts/currency-accounts
12   accounts.listBalances                list_balances                   GET     service  read    /accounts/{account_id}/balances
13   statements.createFile                create_statement_file           POST    service  change  /accounts/{account_id}/statements/file
14   statements.getFile                   get_statement_file              GET     service  read    /accounts/{account_id}/statements/{statement_id}/file
15   statements.emailAccounts             email_accounts_statement        POST    service  change  /statements/accounts
16   statements.emailMt940                email_mt940_statement           POST    service  change  /statements/mt940
17   statements.emailTrades               email_trades_statement          POST    service  change  /statements/trades
18   statements.emailIncomingFunds        email_incoming_funds_statement  POST    service  change  /statements/incoming-funds
19   transactions.list                    list_transactions               GET     service  read    /accounts/{account_id}/transactions
20   transactions.get                     get_transaction                 GET     service  read    /accounts/{account_id}/transactions/{transaction_id}
21   approvalsWorkflow.getConfig          get_approvals_config            GET     service  read    /approvals-workflow/config
22   approvalsWorkflow.replaceConfig      replace_approvals_config        POST    service  money   /approvals-workflow/config
23   approvalsWorkflow.getSettings        get_approvals_settings          GET     service  read    /approvals-workflow/settings
24   approvalsWorkflow.updateSettings     update_approvals_settings       POST    service  money   /approvals-workflow/settings
25   login.getPage                        get_login_page                  GET     service  read    /authenticate
26   trades.book                          book_trade                      POST    service  money   /trades
27   trades.list                          list_trades                     GET     service  read    /trades
28   trades.get                           get_trade                       GET     service  read    /trades/{trade_id}
P1   payments.getStatus                   get_payment_status              GET     xs2a     read    /v1/{payment-service}/{payment-product}/{paymentId}/status
P2   payments.initiateBulk                initiate_bulk_payment           POST    xs2a     money   /v1/bulk-payments/{payment-product}
P3   payments.startAuthorisation          start_payment_authorisation     POST    xs2a     money   /v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}
P4   payments.listAuthorisations          list_payment_authorisations     GET     xs2a     read    /v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}
P5   payments.initiate                    initiate_payment                POST    xs2a     money   /v1/{payment-service}/{payment-product}
P6   payments.cancel                      cancel_payment                  DELETE  xs2a     money   /v1/{payment-service}/{payment-product}/{paymentId}
P7   payments.getAuthorisation            get_payment_authorisation       GET     xs2a     read    /v1/{payment-service}/{payment-product}/{paymentId}/{payment-authorisation}/{authorisation-id}
P8   payments.get                         get_payment                     GET     xs2a     read    /v1/payments/{payment-product}/{paymentId}
P9   payments.getBulk                     get_bulk_payment                GET     xs2a     read    /v1/bulk-payments/{payment-product}/{paymentId}
A1   consents.create                      create_consent                  POST    xs2a     change  /v1/consents
A2   consents.get                         get_consent                     GET     xs2a     read    /v1/consents/{consent-id}
A3   consents.delete                      delete_consent                  DELETE  xs2a     change  /v1/consents/{consent-id}
A4   consents.getStatus                   get_consent_status              GET     xs2a     read    /v1/consents/{consent-id}/status
A5   consents.startAuthorisation          start_consent_authorisation     POST    xs2a     change  /v1/consents/{consent-id}/authorisations
A6   consents.listAuthorisations          list_consent_authorisations     GET     xs2a     read    /v1/consents/{consent-id}/authorisations
A7   consents.getAuthorisation            get_consent_authorisation       GET     xs2a     read    /v1/consents/{consent-id}/authorisations/{authorisation-id}
A8   openBanking.listAccounts             list_open_banking_accounts      GET     xs2a     read    /v1/accounts
A9   openBanking.getAccount               get_open_banking_account        GET     xs2a     read    /v1/accounts/{account-id}
A10  openBanking.listBalances             list_open_banking_balances      GET     xs2a     read    /v1/accounts/{account-id}/balances
A11  openBanking.listTransactions         list_open_banking_transactions  GET     xs2a     read    /v1/accounts/{account-id}/transactions
`;

const columns = ["contract", "name", "tool", "method", "server", "effect", "path"] as const;

const rows = table
  .trim()
  .split("\n")
  .map((line) => line.split(/ +/));

test("the contract has 27 operations of the JSON interface and 20 of the open-banking interfaces", () => {
  expect(rows).toHaveLength(47);
  expect(rows.filter((row) => row.includes("service"))).toHaveLength(27);
});

test("every operation of the contract is declared, in the contract's order", () => {
  expect(contractOperations.map((operation) => columns.map((column) => operation[column]))).toEqual(rows);
});

test("no two operations share a name, a tool, or a method and path", () => {
  for (const identity of [
    operations.map(({ name }): string => name),
    operations.map(({ tool }): string => tool),
    operations.map(({ method, path }) => `${method} ${path}`),
  ])
    expect(new Set(identity).size).toBe(identity.length);
});

const money: readonly Declaration[] = contractOperations.filter(({ effect }) => effect === "money");

test("every money operation declares identifiedBy", () => {
  expect(money.map(({ name, identifiedBy, singleUseField }) => [name, identifiedBy, singleUseField])).toEqual(
    [
      ["approvalsWorkflow.replaceConfig", "rules", undefined],
      ["approvalsWorkflow.updateSettings", "enabled", undefined],
      ["trades.book", "trade_id", "quote_id"],
      ["payments.initiateBulk", "paymentId", undefined],
      ["payments.startAuthorisation", "authorisationId", undefined],
      ["payments.initiate", "paymentId", undefined],
      ["payments.cancel", "transactionStatus", undefined],
    ],
  );
});

test("every lookup is an operation with the effect read", () => {
  const reading: ReadonlySet<string> = new Set(
    operations.filter(({ effect }) => effect === "read").map(({ name }) => name),
  );
  const lookups = money.flatMap(({ lookup = [] }) => lookup);
  expect(lookups.filter((lookup) => !reading.has(lookup))).toEqual([]);
  expect(money.filter(({ lookup }) => !lookup).map(({ name }) => name)).toEqual([
    "payments.initiateBulk",
    "payments.initiate",
  ]);
});

test("declares recovery by reference for trades and by request ID for payments", () => {
  const kinds = money.flatMap(({ name, recovery }) => (recovery ? [[name, recovery.kind]] : []));
  expect(kinds).toEqual([
    ["trades.book", "listed"],
    ["payments.initiateBulk", "resent"],
    ["payments.initiate", "resent"],
  ]);
});
