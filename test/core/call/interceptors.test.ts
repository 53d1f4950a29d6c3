/** Interceptors may change reads; money calls pass once and unchanged, and their outcome is reported. */
import type { CallOptions, Interceptor, Next, PreparedCall, ServiceResponse } from "../../../core";
import { operations } from "../../../core/operations";
import { inSequence, respond } from "../../support/fault-server";
import { startClientAndServer, changeRequest, failureOf, tradeInput } from "../support/client-fixtures";

const list = respond(200, "[]");
const bookTrade = operations.find(({ name }) => name === "trades.book")!;
const booked = respond(201, '{"trade_id":"t-1"}');
const sampleResponse: ServiceResponse = {
  status: 200,
  body: [{ trade_id: "made up" }],
  headers: {},
  total: undefined,
  requestId: undefined,
  attempts: 0,
  violations: [],
};
const startWithInterceptors = (...interceptors: Interceptor[]) =>
  startClientAndServer(booked, { interceptors });

test("runs the first interceptor outermost, and passes the response back through all", async () => {
  const order: string[] = [];
  const note =
    (name: string): Interceptor =>
    async (call, next) => {
      order.push(`${name} ${call.operation.name}`);
      const response = await next(call);
      order.push(`${name} ${response.status}`);
      return response;
    };
  const { client } = await startWithInterceptors(note("a"), note("b"));
  await client.trades.book(tradeInput);
  expect(order).toEqual(["a trades.book", "b trades.book", "b 201", "a 201"]);
});

test("lets an interceptor change, retry and answer a read", async () => {
  const { server, client } = await startClientAndServer(inSequence(respond(500), list), {
    interceptors: [
      async (call, next) => {
        if (call.target.includes("page=9")) return sampleResponse;
        const changed = { ...call, target: `${call.target}&page=7` };
        try {
          return await next(changed);
        } catch {
          return next(changed);
        }
      },
    ],
  });
  await expect(client.trades.list()).resolves.toEqual([]);
  expect(server.heads.map((head) => head.split(" ")[1])).toEqual([
    "/trades?client_id=c-1&page=7",
    "/trades?client_id=c-1&page=7",
  ]);
  await expect(client.trades.list({ page: 9 })).resolves.toEqual(sampleResponse.body);
  expect(server.heads).toHaveLength(2);
});

test("refuses an interceptor that passes on a payment in place of a read", async () => {
  const { client, server } = await startClientAndServer(list, {
    interceptors: [
      async (call, next) =>
        next(call.operation.effect === "read" ? client.prepare(bookTrade, { ...tradeInput }) : call),
    ],
  });
  await expect(client.trades.list()).rejects.toMatchObject({ code: "interceptor", outcome: "not-sent" });
  expect(server.heads).toEqual([]);
});

test("keeps violations in a copied response", async () => {
  const { client } = await startClientAndServer(respond(200, '[{"trade_id":7}]'), {
    interceptors: [async (_call, next) => ({ ...(await next()) })],
  });
  const { violations } = await client.trades.list.response();
  expect(violations.map(({ field }) => field)).toContain("0.trade_id");
});

test("deep-freezes a money call and copies the caller's objects", async () => {
  const input = { ...tradeInput };
  let seen: PreparedCall | undefined;
  const { client } = await startWithInterceptors(async (call, next) => next((seen = call)));
  await client.trades.book(input, { timeoutMs: 5_000, psu: { "PSU-ID": "p" } });
  const open: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    if (!Object.isFrozen(value)) open.push(path);
    for (const [key, inner] of Object.entries(value)) look(inner, `${path}.${key}`);
  };
  const { operation: _, ...call } = seen!;
  expect(Object.isFrozen(seen)).toBe(true);
  look(Object.freeze(call), "call");
  expect(open).toEqual([]);
  expect(Object.isFrozen(input)).toBe(false);
});

const misuseCases: [name: string, link: Interceptor, message: RegExp][] = [
  ["changes it", (call, next) => next({ ...call, target: "/elsewhere" }), /changed a call/],
  ["answers it", async () => sampleResponse, /did not pass on/],
  ["throws before", () => Promise.reject(new Error("office hours")), /refused the call: office hours/],
];

test.each(misuseCases)("does not send a money call if an interceptor %s", async (_, link, message) => {
  const { server, client } = await startWithInterceptors(link);
  const error = await failureOf(client.trades.book(tradeInput));
  expect(error).toMatchObject({ code: "interceptor", outcome: "not-sent", attempts: 0 });
  expect(error.message).toMatch(message);
  expect(error.message).toContain("Nothing was sent.");
  expect(server.heads).toHaveLength(0);
});

const failuresAfterNext: [name: string, link: Interceptor][] = [
  ["throws after", (call, next) => next(call).then(() => Promise.reject(new Error("log is full")))],
  ["calls next twice", async (call, next) => (await next(call), next(call))],
  ["returns another response", (call, next) => next(call).then(() => sampleResponse)],
  ["does not wait", async (call, next) => (void next(call), sampleResponse)],
  ["swallows the outcome", (call, next) => next(call).catch(() => sampleResponse)],
];

test.each(failuresAfterNext)(
  "sends a money call once and returns its outcome if an interceptor %s",
  async (_, link) => {
    const { server, client } = await startWithInterceptors(link);
    await expect(client.trades.book(tradeInput)).resolves.toEqual({ trade_id: "t-1" });
    expect(server.heads).toHaveLength(1);
  },
);

test.each(failuresAfterNext)("reports the failure of a booking if an interceptor %s", async (_, link) => {
  const { server, client } = await startClientAndServer(respond(500), { interceptors: [link] });
  expect(await failureOf(client.trades.book(tradeInput))).toMatchObject({
    code: "outcome_unknown",
    status: 500,
  });
  expect(server.heads).toHaveLength(1);
});

test.each([
  [
    "a read",
    (client: Awaited<ReturnType<typeof startWithInterceptors>>["client"]) => client.trades.list.response(),
  ],
  [
    "a change",
    (client: Awaited<ReturnType<typeof startWithInterceptors>>["client"]) => client.request(changeRequest),
  ],
])("does not report not-sent if an interceptor fails after %s was sent", async (_, call) => {
  const { server, client } = await startClientAndServer(list, {
    interceptors: [(prepared, next) => next(prepared).then(() => Promise.reject(new Error("log is full")))],
  });
  const error = await failureOf(call(client));
  expect(error).toMatchObject({ code: "interceptor", outcome: "unknown" });
  expect(error.message).toContain("log is full");
  expect(error.message).not.toContain("Nothing was sent");
  expect(server.heads).toHaveLength(1);
});

const never = () => new Promise<never>(() => undefined);
type Client = Awaited<ReturnType<typeof startWithInterceptors>>["client"];
const changingCalls: [name: string, call: (client: Client, options?: CallOptions) => Promise<unknown>][] = [
  ["a booking", (client, options) => client.trades.book(tradeInput, options)],
  ["a change", (client, options) => client.request(changeRequest, options)],
];

test.each(changingCalls)("refuses %s from an interceptor that has ended", async (_, call) => {
  let late: Next | undefined;
  const { server, client } = await startWithInterceptors((_call, next) => {
    late = next;
    return Promise.reject(new Error("too slow"));
  });
  expect(await failureOf(call(client))).toMatchObject({ code: "interceptor", outcome: "not-sent" });
  const refused = await failureOf(late!());
  expect(refused).toMatchObject({ code: "interceptor", outcome: "not-sent" });
  expect(refused.message).toContain("that had already ended. Nothing was sent.");
  expect(server.heads).toHaveLength(0);
});

test("protects the response of a booking from interceptors", async () => {
  const { client } = await startWithInterceptors(async (_call, next) => {
    const response = (await next()) as { -readonly [key in keyof ServiceResponse]: ServiceResponse[key] };
    (response.body as { trade_id: string }).trade_id = "made up";
    response.status = 299;
    return response;
  });
  const { status, body } = await client.trades.book.response(tradeInput);
  expect([status, body]).toEqual([201, { trade_id: "t-1" }]);
});

test.each([
  ["a read", (client: Client, options?: CallOptions) => client.trades.list({}, options)] as const,
  ...changingCalls,
])("aborts %s that waits in an interceptor", async (_, call) => {
  let late: Next | undefined;
  const caller = new AbortController();
  const { server, client } = await startWithInterceptors((_call, next) => {
    late = next;
    queueMicrotask(() => caller.abort());
    return never();
  });
  expect(await failureOf(call(client, { signal: caller.signal }))).toMatchObject({
    code: "aborted",
    outcome: "not-sent",
  });
  await failureOf(late!());
  expect(server.heads).toHaveLength(0);
});

test("aborts the wait for an interceptor after a booking, with the booking's outcome", async () => {
  const caller = new AbortController();
  const { client } = await startWithInterceptors(async (_call, next) => {
    await next();
    caller.abort();
    return never();
  });
  await expect(client.trades.book(tradeInput, { signal: caller.signal })).resolves.toEqual({
    trade_id: "t-1",
  });
});

test("reports an interceptor that returns no response to a read", async () => {
  const { client } = await startWithInterceptors((async () => undefined) as never);
  expect(await failureOf(client.trades.list())).toMatchObject({ code: "interceptor", outcome: "not-sent" });
});
