/** The composition of middleware: order, and money that passes once. */
import { composeMiddleware, createRequest, type Middleware } from "../../../core/call/middleware";
import { operations } from "../../../core/contract/all";
import type { Declaration } from "../../../core/spec/operation";

const response = {
  status: 200,
  body: "done",
  headers: {},
  total: undefined,
  requestId: undefined,
  attempts: 1,
  violations: [],
};

const requestOf = (name: string) => {
  const operation: Declaration = operations.find((each) => each.name === name)!;
  const call = { operation, values: {}, given: {}, address: "", target: "/", headers: {}, body: undefined };
  return createRequest({ ...call, options: {} }, {});
};

test("runs the first middleware outermost", async () => {
  const log: string[] = [];
  const named =
    (name: string): Middleware =>
    async (request, next) => {
      log.push(`${name} before`);
      const result = await next(request);
      log.push(`${name} after`);
      return result;
    };
  const run = composeMiddleware([named("a"), named("b")], async () => {
    log.push("sent");
    return response;
  });
  await expect(run(requestOf("trades.list"))).resolves.toBe(response);
  expect(log).toEqual(["a before", "b before", "sent", "b after", "a after"]);
});

test("sends a money call once, whatever a middleware does, and a read as often as asked", async () => {
  let sent = 0;
  const twice: Middleware = async (request, next) => {
    await next(request);
    return next(request);
  };
  const run = composeMiddleware([twice], async () => {
    sent += 1;
    return response;
  });
  await expect(run(requestOf("trades.book"))).rejects.toMatchObject({ outcome: "unknown" });
  expect(sent).toBe(1);
  await run(requestOf("trades.list"));
  expect(sent).toBe(3);
});
