/**
 * Procedures and watches read accounts side by side, as many at once as the client has connections.
 * FXDESK_RUNS sets the number of random runs.
 */
import { createServer, type ServerResponse } from "node:http";
import * as fc from "fast-check";
import { createClient, type FxdeskClient, type Interceptor } from "../../../core";
import { closeLater, listen } from "../../support/resources";

const runs = Number(process.env.FXDESK_RUNS ?? 25);

const connections = 7;
/** A multiple of the connections, so that no held response waits for the timeout. */
const accountCount = 28;

const accountIdOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const accountIds = Array.from({ length: accountCount }, (_, number) => accountIdOf(number));
const amount = { amount: { amount: "1.00", currency: "EUR" }, credit_debit_indicator: "Credit" };

/** Responds to any read of the contract that procedures and watches make for each of several items. */
function bodyOf(path: string): object {
  const [, , id, list] = path.split("/");
  if (path === "/accounts/currency-accounts") return [{ account_id: 1, currency: "EUR" }];
  if (path === "/accounts") return accountIds.map((account_id) => ({ account_id, currency: "EUR" }));
  if (path === "/trades") return [];
  if (path.startsWith("/v1/consents/")) return { consentStatus: "received", validUntil: "2099-01-01" };
  if (path.startsWith("/v1/payments/")) return { transactionStatus: "RCVD" };
  if (list === "balances") return [{ account_id: id, type: "InterimAvailable", ...amount }];
  if (list === "transactions") return [{ transaction_id: id, account_id: id, ...amount }];
  return { url: `${path}/${id}/file`, status: "Pending" };
}

const isOneOfMany = (path: string): boolean => path.split("/").length > 3;

/** Responses that the server holds back, until as many as there are connections wait, or no more requests arrive. */
let held: { readonly path: string; readonly response: ServerResponse }[] = [];
let mostInFlight = 0;
/** Chooses the order in which the held responses are sent. */
let shuffle: <T>(all: T[]) => T[] = (all) => all;
let statusOf: (path: string) => number = () => 200;
let client: FxdeskClient;

function respond(path: string, response: ServerResponse): void {
  const status = statusOf(path);
  const total = path.endsWith("/transactions") ? { "x-total-count": "1" } : {};
  response.writeHead(status, { "content-type": "application/json", ...total });
  response.end(status === 200 ? JSON.stringify(bodyOf(path)) : "{}");
}

function release(): void {
  clearTimeout(quiet);
  for (const { path, response } of shuffle(held.splice(0))) respond(path, response);
}

let quiet: NodeJS.Timeout | undefined;

beforeAll(async () => {
  const server = createServer((request, response) => {
    const path = request.url!.split("?")[0]!;
    if (!isOneOfMany(path)) return respond(path, response);
    held.push({ path, response });
    mostInFlight = Math.max(mostInFlight, held.length);
    clearTimeout(quiet);
    if (held.length === connections) release();
    else quiet = setTimeout(release, 250);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const credentials = { accessToken: "t", apiKey: "k" };
  client = closeLater(
    createClient({ baseUrl: url, xs2aUrl: url, clientId: "c-1", credentials, connections }),
  );
});
beforeEach(() => {
  [mostInFlight, held, shuffle, statusOf] = [0, [], (all) => all, () => 200];
});

const items = [{ amount: "10", currency: "EUR", reference: "INV-1" }];

test.each<readonly [string, object]>([
  ["cash.getPosition", {}],
  ["transactions.find", {}],
  ["transactions.summarize", { by: ["month"] }],
  ["transactions.reconcile", { items }],
  ["exposure.get", { balances: true }],
  ["forwards.list", {}],
  ["statements.fetch", { wait_seconds: 0 }],
])("%s reads accounts side by side", async (name, input) => {
  const procedure = client.service.procedures!.find((each) => each.name === name)!;
  await client.call(procedure, { ...input });
  expect(mostInFlight).toBe(connections);
});

test.each<readonly [string, object]>([
  ["transactions.watch", {}],
  ["accounts.watchBalances", { below: "10" }],
  ["consents.watch", { consents: accountIds }],
  ["payments.watch", { payments: accountIds.map((id) => `payments/sepa-credit-transfers/${id}`) }],
])("%s reads its entries side by side", async (name, input) => {
  const watch = client.service.watches!.find((each) => each.name === name)!;
  await client.readInitialChanges(watch, { ...input }, { from: "beginning" });
  expect(mostInFlight).toBe(connections);
});

test("results keep the order of the accounts, and accounts fail alone", async () => {
  const random = fc.record({
    order: fc.infiniteStream(fc.nat()),
    failed: fc.subarray(accountIds, { maxLength: accountCount - 1 }),
  });
  await fc.assert(
    fc.asyncProperty(random, async ({ order, failed }) => {
      shuffle = (all) => {
        const keys = new Map(all.map((each) => [each, order.next().value as number]));
        return all.toSorted((one, other) => keys.get(one)! - keys.get(other)!);
      };
      statusOf = (path) => (failed.some((id) => path.startsWith(`/accounts/${id}/`)) ? 404 : 200);
      const read = accountIds.filter((id) => !failed.includes(id));
      const position = await client.cash.getPosition();
      expect(position.balances.map((each) => each.account_id)).toEqual(read);
      expect(position.unread.map((each) => each.account_id)).toEqual(failed);
      expect(position.complete).toBe(failed.length === 0);
      const found = await client.transactions.find();
      expect(found.transactions.map((each) => each.account_id)).toEqual(read);
      expect(found.gaps.map((each) => each.account_id)).toEqual(failed);
      expect(found.complete).toBe(failed.length === 0);
      const balances = client.service.watches!.find((each) => each.name === "accounts.watchBalances")!;
      const { gaps } = await client.readInitialChanges(balances, { below: "10" }, { from: "beginning" });
      expect(gaps.map((gap) => gap.split(/[ :]/)[1])).toEqual(failed);
    }),
    { numRuns: Math.min(runs, 8) },
  );
});

/** Reads the cash position of 10,000 accounts with answers that come at once. `onCall` runs during each call. */
async function readManyAccounts(onCall: () => Promise<void>, signal?: AbortSignal) {
  const accounts = Array.from({ length: 10_000 }, (_, number) => ({
    account_id: accountIdOf(number),
    currency: "EUR",
  }));
  const answerTo = async (name: string) => {
    if (name === "accounts.listCurrencyAccounts") return [{ account_id: 1, currency: "EUR" }];
    if (name === "accounts.list") return accounts;
    await onCall();
    return [{ type: "InterimAvailable", ...amount }];
  };
  const interceptor: Interceptor = async ({ operation }) => ({
    status: 200,
    body: await answerTo(operation.name),
    headers: {},
    total: undefined,
    requestId: undefined,
    attempts: 1,
    violations: [],
  });
  const options = {
    baseUrl: "http://127.0.0.1:1",
    clientId: "c-1",
    interceptors: [interceptor],
    connections,
  };
  return closeLater(createClient(options)).cash.getPosition({}, signal ? { signal } : {});
}

test("10,000 accounts do not start more calls than there are connections", async () => {
  let [active, most] = [0, 0];
  const { totals, complete } = await readManyAccounts(async () => {
    most = Math.max(most, (active += 1));
    await new Promise(setImmediate);
    active -= 1;
  });
  expect([totals[0]!.amount, complete, most]).toEqual(["10000.00", true, connections]);
});

test("an aborted procedure starts no further call", async () => {
  const stop = new AbortController();
  let calls = 0;
  const reading = readManyAccounts(async () => {
    if ((calls += 1) === 50) stop.abort();
    await new Promise(setImmediate);
    stop.signal.throwIfAborted();
  }, stop.signal);
  await expect(reading).rejects.toMatchObject({ code: "aborted" });
  for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  expect(calls).toBeLessThan(50 + connections);
});
