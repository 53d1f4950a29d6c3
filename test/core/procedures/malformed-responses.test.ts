/**
 * Malformed responses: every reading procedure returns a partial result or an error.
 * FXDESK_RUNS sets the number of runs, FXDESK_SEED the random changes.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { type FxdeskClient, FxdeskError } from "../../../core";
import { type SeededRandom, seededRandom } from "../../chaos/seeded-random";
import { sandboxClient } from "../../support/samples";

const runs = Number(process.env.FXDESK_RUNS ?? 8);
const seed = Number(process.env.FXDESK_SEED ?? 1);

type ValueLocation = readonly [holder: Record<string, unknown>, key: string];

/** Returns all paths inside a value. */
function* valueLocationsIn(value: unknown): Generator<ValueLocation> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield [value as Record<string, unknown>, key];
    yield* valueLocationsIn(inner);
  }
}

/** Headers that belong to one connection. */
const connectionHeaders = /^(host|connection|accept-encoding)$/;

const wrongValues: readonly unknown[] = [null, "?", 7, true, [], {}, [null], undefined];

/** Returns a copy with one value replaced; undefined removes it. */
function mutateResponse(text: string, chance: SeededRandom): string {
  const root = { body: JSON.parse(text) as unknown };
  const locations = [...valueLocationsIn(root)];
  const [holder, key] = locations[chance.integer(0, locations.length - 1)]!;
  holder[key] = wrongValues[chance.integer(0, wrongValues.length - 1)];
  return JSON.stringify(root.body ?? null);
}

let sandbox: Sandbox;
let proxy: Server;
let client: FxdeskClient;
/** The JSON response to mutate, counted from now on, and the random choice. */
let fault: { after: number; readonly chance: SeededRandom } | undefined;

/** Forwards a request to the sandbox and mutates the response if it is due. */
async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = Object.entries(request.headers).filter(([header]) => !connectionHeaders.test(header));
  const chunks = await request.toArray();
  const got = await fetch(sandbox.baseUrl + request.url!, {
    method: request.method!,
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks as Buffer[]) }),
  });
  const isJson = got.headers.get("content-type")?.includes("json");
  let body = Buffer.from(await got.arrayBuffer());
  if (isJson && fault && fault.after-- === 0)
    body = Buffer.from(mutateResponse(body.toString(), fault.chance));
  const total = got.headers.get("x-total-count");
  response.writeHead(got.status, {
    "content-type": got.headers.get("content-type") ?? "application/octet-stream",
    ...(total !== null && { "x-total-count": total }),
  });
  response.end(body);
}

beforeAll(async () => {
  sandbox = await startSandbox();
  proxy = createServer((request, response) => void forward(request, response));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  client = sandboxClient({ baseUrl, xs2aUrl: sandbox.xs2aUrl });
});
afterAll(async () => {
  await client.close();
  proxy.closeAllConnections();
  proxy.close();
  await sandbox.close();
});

test.each<readonly [string, object]>([
  ["cash.getPosition", {}],
  ["transactions.find", {}],
  ["transactions.summarize", { by: ["month", "counterparty"] }],
  ["transactions.reconcile", { items: [{ amount: "10", currency: "EUR", reference: "INV-1" }] }],
  ["forwards.list", {}],
  ["exposure.get", { balances: true }],
  ["statements.fetch", { currencies: "EUR", wait_seconds: 0 }],
  ["contract.check", {}],
])("%s", async (name, input) => {
  const procedure = client.service.procedures!.find((each) => each.name === name)!;
  fault = undefined;
  await client.call(procedure, { ...input });
  for (let run = 0; run < runs; run += 1) {
    const chance = seededRandom(seed * 1_000 + run);
    fault = { after: chance.integer(0, 3), chance };
    const outcome = await client.call(procedure, { ...input }).catch((error: unknown) => error);
    if (!(outcome instanceof Error)) continue;
    expect([run, outcome, outcome instanceof FxdeskError && outcome.code]).toEqual([
      run,
      outcome,
      expect.not.stringMatching(/^unexpected$/),
    ]);
  }
});

test("reports an account with invalid balances and returns the others", async () => {
  fault = undefined;
  const whole = await client.cash.getPosition();
  const nothing: SeededRandom = {
    ...seededRandom(1),
    integer: (least, most) => (most === wrongValues.length - 1 ? 2 : least),
  };
  // The third response has the balances of the first account: a number instead of a list.
  fault = { after: 2, chance: nothing };
  const { balances, unread, complete } = await client.cash.getPosition();
  const [first] = whole.balances;
  expect(unread.map(({ account_id: id }) => id)).toEqual([first!.account_id]);
  expect(complete).toBe(false);
  expect(balances).toEqual(whole.balances.filter(({ account_id: id }) => id !== first!.account_id));
});
