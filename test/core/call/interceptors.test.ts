/** Interceptors may change reads; money calls pass once and unchanged, and their outcome is reported. */
import type { CallOptions, Interceptor, Next, PreparedCall, ServiceResponse } from "../../../core";
import { createClientContext } from "../../../core/call/client-context";
import {
  composeMiddleware,
  createRequest,
  type Middleware,
  withBeforeWrite,
} from "../../../core/call/middleware";
import { Sender } from "../../../core/call/send";
import { fxdeskService } from "../../../core/client/fxdesk-service";
import { runLater } from "../../support/resources";
import { inSequence, respond } from "../../support/fault-server";
import { operationNamed } from "../../support/operations";
import {
  startClientAndServer,
  changeRequest,
  failureOf,
  tradeInput,
  newTrade,
} from "../support/client-fixtures";

const list = respond(200, "[]");
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
        next(
          call.operation.effect === "read"
            ? client.prepare(operationNamed("trades.book"), { ...tradeInput })
            : call,
        ),
    ],
  });
  await expect(client.trades.list()).rejects.toMatchObject({ code: "interceptor", outcome: "not-sent" });
  expect(server.heads).toEqual([]);
});

test("freezes a money call, and not the caller's objects", async () => {
  const input = { ...tradeInput };
  let seen: PreparedCall | undefined;
  const { client } = await startWithInterceptors(async (call, next) => next((seen = call)));
  await client.trades.book(input, { timeoutMs: 5_000, psu: { "PSU-ID": "p" } });
  const { operation: _, ...parts } = seen!;
  const isFrozen = (value: unknown): boolean =>
    typeof value !== "object" || (Object.isFrozen(value) && Object.values(value ?? {}).every(isFrozen));
  expect([Object.isFrozen(seen), isFrozen(Object.freeze(parts)), Object.isFrozen(input)]).toEqual([
    true,
    true,
    false,
  ]);
});

test.each<[name: string, link: Interceptor, message: string]>([
  ["changes it", (call, next) => next({ ...call, target: "/elsewhere" }), "changed a call"],
  ["answers it", async () => sampleResponse, "did not pass on"],
  ["throws before", () => Promise.reject(new Error("office hours")), "office hours"],
])("does not send a money call if an interceptor %s", async (_, link, message) => {
  const { server, client } = await startWithInterceptors(link);
  const error = await failureOf(client.trades.book(tradeInput));
  expect(error).toMatchObject({ code: "interceptor", outcome: "not-sent", attempts: 0 });
  expect(error.message).toContain(message);
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
    const answers = inSequence(booked, respond(500));
    const { server, client } = await startClientAndServer(answers, { interceptors: [link] });
    await expect(client.trades.book(tradeInput)).resolves.toEqual({ trade_id: "t-1" });
    const failed = await failureOf(client.trades.book(newTrade()));
    expect(failed).toMatchObject({ code: "outcome_unknown", status: 500 });
    expect(server.heads).toHaveLength(2);
  },
);

const never = () => new Promise<never>(() => undefined);
type Client = Awaited<ReturnType<typeof startWithInterceptors>>["client"];
type Call = [name: string, call: (client: Client, options?: CallOptions) => Promise<unknown>];
const read: Call = ["a read", (client, options) => client.trades.list({}, options)];
const change: Call = ["a change", (client, options) => client.request(changeRequest, options)];
const booking: Call = ["a booking", (client, options) => client.trades.book(tradeInput, options)];

test.each([read, change])("does not report not-sent if an interceptor fails after %s", async (_, call) => {
  const { server, client } = await startClientAndServer(list, {
    interceptors: [(prepared, next) => next(prepared).then(() => Promise.reject(new Error("log is full")))],
  });
  expect(await failureOf(call(client))).toMatchObject({ code: "interceptor", outcome: "unknown" });
  expect(server.heads).toHaveLength(1);
});

test.each([change, booking])("refuses %s from an interceptor that has ended", async (_, call) => {
  let late: Next | undefined;
  const { server, client } = await startWithInterceptors((_call, next) => {
    late = next;
    return Promise.reject(new Error("too slow"));
  });
  expect(await failureOf(call(client))).toMatchObject({ code: "interceptor", outcome: "not-sent" });
  expect(await failureOf(late!())).toMatchObject({ code: "interceptor", outcome: "not-sent" });
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

test.each([read, change, booking])("aborts %s that waits in an interceptor", async (_, call) => {
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

test("a request is sent once, whatever a middleware does", async () => {
  const { server, client } = await startClientAndServer(booked);
  const options = { baseUrl: server.url, credentials: { accessToken: "t" } };
  const context = createClientContext(fxdeskService, options);
  runLater(() => context.transport.close());
  const twice: Middleware = async (request, next) => {
    await next(request);
    return next(request);
  };
  const call = client.prepare(operationNamed("trades.book"), { ...tradeInput });
  const run = composeMiddleware([twice], new Sender(context).send);
  const request = createRequest(call, {});
  await expect(run(request)).rejects.toMatchObject({ outcome: "unknown" });
  request.deadline.release();
  expect(server.heads).toHaveLength(1);
});

test("checks before the first byte are added after those there are", async () => {
  const { client } = await startWithInterceptors();
  const log: string[] = [];
  const check = (name: string) => async () => void log.push(name);
  const request = createRequest(client.prepare(operationNamed("trades.list"), {}), {});
  await withBeforeWrite(withBeforeWrite(request, check("halt")), check("release")).beforeWrite!();
  expect(log).toEqual(["halt", "release"]);
});
