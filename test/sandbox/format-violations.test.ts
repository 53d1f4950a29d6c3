/** Tests that parameters must be written as in the contract. */
import { demo } from "@fxdesk/sandbox";
import { demoHeaders } from "./support/http";
import { startInProcess, type InProcessSandbox } from "./support/in-process";

let sandbox: InProcessSandbox;
let accountId: string;
beforeAll(() => {
  sandbox = startInProcess(new Date("2026-03-16T09:00:00Z"));
  accountId = [...sandbox.world.accounts.values()].find(({ currency }) => currency === "EUR")!.accountId;
});
afterAll(() => sandbox.close());

/** Reads the reason from the log, because some errors have no body. */
async function refusalOf(path: string, body?: object) {
  const { status } = await sandbox.ask(`${path}${path.includes("?") ? "&" : "?"}client_id=${demo.clientId}`, {
    headers: { ...demoHeaders, ...(body && { "content-type": "application/json" }) },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  return [status, sandbox.control.listRequests().at(-1)!.refusal?.replace("The request is invalid. ", "")];
}

test.each([
  [
    "balances?balance_types=Incoming,Outgoing",
    "balance_types must be repeated for each value, without commas.",
  ],
  [
    "balances?balance_types=Incoming%2COutgoing",
    "balance_types must be repeated for each value, without commas.",
  ],
  ["balances?balance_types=", "balance_types must not be empty."],
  ['balances?balance_types=["Incoming"]', "balance_types must be a list without brackets."],
  ["balances?balance_types=Incoming&balance_types=", "balance_types must not be empty."],
  ["transactions?page=%201", "page must be a whole number of at most 2147483647."],
  ["transactions?page=1%20", "page must be a whole number of at most 2147483647."],
  ["transactions?page=2147483648", "page must be a whole number of at most 2147483647."],
  ["transactions?page_size=2147483648", "page_size must be a whole number of at most 2147483647."],
])("refuses %s of an account", async (rest, details) => {
  expect(await refusalOf(`/accounts/${accountId}/${rest}`)).toEqual([400, details]);
});

test.each([
  ["trade_type=", "trade_type must not be empty."],
  ["trade_type=spot,,forward", "trade_type must not be empty."],
  ["trade_type=[spot]", "trade_type must be a list without brackets."],
])("refuses %s of trades", async (query, details) => {
  expect(await refusalOf(`/trades?${query}`)).toEqual([400, details]);
});

test("accepts trade types repeated or separated by commas", async () => {
  for (const query of ["trade_type=spot,ndf", "trade_type=spot&trade_type=ndf"]) {
    const { text } = await sandbox.ask(`/trades?client_id=${demo.clientId}&${query}`, {
      headers: demoHeaders,
    });
    const types = (JSON.parse(text) as { trade_type: string }[]).map(({ trade_type: type }) => type);
    expect(new Set(types)).toEqual(new Set(["spot", "ndf"]));
  }
});

test("accepts formats in lower case only", async () => {
  const period = { from_value_datetime: "2026-03-01T00:00", to_value_datetime: "2026-03-02T00:00" };
  expect(await refusalOf(`/accounts/${accountId}/statements/file?format=PDF`, period)).toEqual([
    400,
    "format must be one of pdf, csv, mt940, xls.",
  ]);
  const days = { date_from: "2026-03-01", date_to: "2026-03-02", format: "CSV" };
  expect(await refusalOf("/statements/accounts", days)).toEqual([
    400,
    "format must be one of pdf, csv, xls, coda.",
  ]);
});

test.each(["javascript:alert(1)", "http://example.com/", "https://user:secret@example.com/"])(
  "refuses to redirect to %s",
  async (address) => {
    const { status } = await sandbox.ask("/v1/consents", {
      method: "POST",
      headers: {
        ...demoHeaders,
        "content-type": "application/json",
        "x-request-id": "99391c7e-ad88-49ec-a2ad-99ddcb1f7721",
        "psu-ip-address": "192.0.2.10",
        "tpp-redirect-uri": address,
      },
      body: JSON.stringify({
        access: { allPsd2: "allAccounts" },
        recurringIndicator: false,
        validUntil: "2026-03-20",
        frequencyPerDay: 1,
        combinedServiceIndicator: false,
      }),
    });
    expect(status).toBe(400);
  },
);
