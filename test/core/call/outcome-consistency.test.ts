/**
 * The outcome of every call agrees with the requests that the service received: random calls at a raw TCP server that records
 * them. FXDESK_RUNS sets the number of runs, FXDESK_SEED the seed.
 */
import * as fc from "fast-check";
import {
  createClient,
  type ClientOptions,
  type Credentials,
  FxdeskError,
  type CallOptions,
} from "../../../core";
import { contract, type Declaration, type Values } from "../../../core/operations";
import {
  type PlannedResponse,
  provingBody,
  type SeenCalls,
  startWitnessServer,
  statuses,
  unexpectedBodies,
} from "../../support/witness-server";

const runs = Number(process.env.FXDESK_RUNS ?? 300);
const seed = Number(process.env.FXDESK_SEED ?? 20_261_121);
/** Concurrent calls of one client. */
const callsPerClient = 20;
/** Concurrent clients. */
const concurrentClients = 8;

const account = "11111111-2222-3333-4444-555555555555";
const product = { "payment-service": "payments", "payment-product": "sepa-credit-transfers" };
const inputs: Readonly<Record<string, Values>> = {
  "trades.book": { quote_id: "q-1", reason: "other" },
  "payments.initiate": {
    ...product,
    debtorAccount: { iban: "DE52000000000012345678" },
    instructedAmount: { currency: "EUR", amount: "12.50" },
    creditorAccount: { iban: "NL13TEST0123456789" },
    creditorName: "Example Supplies",
  },
  "payments.cancel": { ...product, paymentId: "p-1" },
  "approvalsWorkflow.updateSettings": { enabled: true, dual_admin: false },
  "accountDetails.updateAlias": { account_details_id: "d-1", alias: "Collections" },
  "statements.createFile": { account_id: account, from_value_datetime: "2026-01-01T00:00" },
  "statements.getFile": { account_id: account, statement_id: account },
  "trades.list": {},
  "accounts.get": { account_id: account },
};
const operations = Object.keys(inputs).map((name) => contract.operations.find((each) => each.name === name)!);

const plannedResponses = (operation: Declaration): fc.Arbitrary<PlannedResponse> => {
  const good = provingBody(operation, "x-1");
  const success = fc.constantFrom(...Object.keys(operation.responses).map(Number));
  const body = fc.constantFrom(good, good, ...unexpectedBodies);
  const as = fc.constantFrom("length" as const, "chunked" as const, "close" as const, "gzip" as const);
  const broken = fc.constantFrom("length" as const, "chunked" as const);
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("respond" as const), status: success, body, as }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("respond" as const),
        status: fc.constantFrom(...statuses),
        body,
        as,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("cut" as const), status: success, body, as: broken }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom("reset", "close", "silence", "garbage", "half-head", "drip"),
      }),
    },
  ) as fc.Arbitrary<PlannedResponse>;
};

interface PlannedCall {
  readonly operation: Declaration;
  readonly id: string;
  readonly fate: PlannedResponse;
  readonly timeoutMs: number;
  readonly queueTimeoutMs: number;
  /** Time of the abort: never, before the call, or after some milliseconds. */
  readonly abortAfter: "never" | "before" | number;
}

const calls = fc.constantFrom(...operations).chain((operation) =>
  fc.record<PlannedCall>({
    operation: fc.constant(operation),
    id: fc.uuid(),
    fate: plannedResponses(operation),
    timeoutMs: fc.constantFrom(20, 60, 150, 400),
    queueTimeoutMs: fc.constantFrom(10, 50, 5_000),
    abortAfter: fc.oneof(
      { weight: 4, arbitrary: fc.constant("never" as const) },
      { weight: 1, arbitrary: fc.constant("before" as const) },
      { weight: 2, arbitrary: fc.integer({ min: 0, max: 40 }) },
    ),
  }),
);

/** Source of the token; `undefined` means that the endpoint does not respond. */
const tokens = fc.constantFrom("fixed", "asked", "slow", "throws", "renewed", "refused", "down", "never");

const groups = fc.record({
  token: tokens,
  connections: fc.integer({ min: 1, max: 12 }),
  wanted: fc.array(calls, { minLength: callsPerClient, maxLength: callsPerClient }),
});
type Group = typeof groups extends fc.Arbitrary<infer T> ? T : never;

const refresh = {
  accessToken: "access-token",
  refreshToken: "refresh-token",
  authClientId: "app",
  authClientSecret: "app-secret",
};
const credentials: Readonly<Record<string, Credentials>> = {
  fixed: { accessToken: "access-token" },
  asked: { accessToken: () => "access-token" },
  slow: { accessToken: () => new Promise((resolve) => void setTimeout(resolve, 15, "access-token")) },
  throws: { accessToken: () => Promise.reject(new Error("no token today")) },
  renewed: refresh,
  refused: refresh,
  down: refresh,
  never: refresh,
};
const endpoint: Readonly<Record<string, PlannedResponse>> = {
  renewed: {
    kind: "respond",
    status: 200,
    body: '{"access_token":"renewed-token","refresh_token":"next-token","expires_in":1}',
    as: "length",
  },
  refused: { kind: "respond", status: 400, body: '{"error":"invalid_grant"}', as: "length" },
  down: { kind: "respond", status: 503, body: "", as: "length" },
  never: { kind: "silence" },
};

/** Returns the contradiction between the result of a call and the received requests, if any. */
function findContradictions(
  { operation, fate }: PlannedCall,
  result: unknown,
  { heads, statuses: answered }: SeenCalls,
): string[] {
  const money = operation.effect === "money";
  const found: string[] = [];
  const report = (wrong: boolean, what: string) => wrong && found.push(what);
  report(
    operation.effect !== "read" && heads - answered.filter((status) => status === 401).length > 1,
    "was sent twice",
  );
  report(money && heads > 1, "money was sent twice");
  if (!(result instanceof Error)) {
    report(heads === 0, "ended well and never arrived");
    // A 204 has no body that could be incomplete.
    const whole = fate.kind === "respond" || (fate.kind === "cut" && fate.status === 204);
    report(!whole || !operation.responses[fate.status], "ended well without a documented success");
    return found;
  }
  if (!(result instanceof FxdeskError)) return [...found, `is no FxdeskError: ${String(result)}`];
  const { outcome, attempts, status } = result;
  const refusal = answered.some((each) => each >= 400 && each < 500 && each !== 408 && each !== 499);
  report(outcome === "not-sent" && heads > 0, "is called not sent and arrived");
  report(outcome === "unknown" && heads === 0, "is called unknown and never arrived");
  report(outcome === "rejected" && !refusal, "is called rejected, and the service refused nothing");
  report(
    money && outcome === "rejected" && answered.some((each) => each < 400),
    "is called rejected and was answered with a success",
  );
  report(attempts < heads, "counts fewer attempts than arrived");
  report(status !== undefined && !answered.includes(status), "tells a status that was not answered");
  return found;
}

async function runCall(
  { operation, id, timeoutMs, queueTimeoutMs, abortAfter }: PlannedCall,
  client: ReturnType<typeof createClient>,
) {
  const controller = new AbortController();
  const options: CallOptions = {
    timeoutMs,
    queueTimeoutMs,
    // Unique keys, because all calls have the same input.
    key: id,
    ...(abortAfter !== "never" && { signal: controller.signal }),
    ...(operation.server === "service" ? { contactId: id } : { requestId: id }),
  };
  if (abortAfter === "before") controller.abort();
  const call = client.call(operation, inputs[operation.name]!, options).then(
    async ({ body }) =>
      body instanceof Object && "bytes" in body ? (body as { bytes(): Promise<Buffer> }).bytes() : body,
    (error: unknown) => error,
  );
  const timer = typeof abortAfter === "number" ? setTimeout(() => controller.abort(), abortAfter) : undefined;
  const limit = timeoutMs + queueTimeoutMs + 10_000;
  let late: NodeJS.Timeout | undefined;
  const timeoutResult = new Promise((resolve) => (late = setTimeout(resolve, limit, "no end in time")));
  const ended = await Promise.race([call.catch((error: unknown) => error), timeoutResult]);
  clearTimeout(timer);
  clearTimeout(late);
  return ended;
}

async function runGroup({ token, connections, wanted }: Group): Promise<string[]> {
  const server = await startWitnessServer(() => endpoint[token] ?? { kind: "reset" });
  const options: ClientOptions = {
    baseUrl: server.url,
    xs2aUrl: server.url,
    clientId: "c-1",
    contactId: "nobody",
    connections,
    timeoutMs: 400,
    credentials: credentials[token]!,
  };
  const client = createClient(options);
  for (const { id, fate } of wanted) server.plan(id, fate);
  try {
    const endings = await Promise.all(wanted.map((each) => runCall(each, client)));
    await client.close();
    await server.settled();
    return wanted.flatMap((each, index) => {
      const seen = server.seen.get(each.id) ?? { heads: 0, statuses: [], requests: [] };
      const found =
        endings[index] === "no end in time"
          ? ["did not end in time"]
          : findContradictions(each, endings[index], seen);
      return found.map(
        (lie) =>
          `${each.operation.name} ${lie}: ${JSON.stringify({ token, ...each, operation: undefined, seen })} ${String(endings[index])}`,
      );
    });
  } finally {
    await client.close();
    await server.close();
  }
}

test(
  `${runs} random calls end in time, and as the service saw them (seed ${seed})`,
  async () => {
    const all = fc.sample(groups, { seed, numRuns: Math.ceil(runs / callsPerClient) });
    const lines: string[] = [];
    const next = all[Symbol.iterator]();
    const worker = async () => {
      for (let step = next.next(); !step.done; step = next.next())
        lines.push(...(await runGroup(step.value)));
    };
    await Promise.all(Array.from({ length: concurrentClients }, worker));
    expect(lines).toEqual([]);
  },
  20 * 60_000,
);
