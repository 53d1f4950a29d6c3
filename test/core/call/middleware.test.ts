/** The composition of middleware: order, checks before the first byte, and requests that are sent once. */
import { createClientContext } from "../../../core/call/client-context";
import {
  composeMiddleware,
  createRequest,
  type Middleware,
  withBeforeWrite,
} from "../../../core/call/middleware";
import { Sender } from "../../../core/call/send";
import { fxdeskService } from "../../../core/client/fxdesk-service";
import { operations } from "../../../core/contract/all";
import type { Declaration } from "../../../core/spec/operation";
import { respond } from "../../support/fault-server";
import { runLater } from "../../support/resources";
import { startClientAndServer, tradeInput } from "../support/client-fixtures";

const operationOf = (name: string): Declaration => operations.find((each) => each.name === name)!;

const requestOf = (name: string) => {
  const operation = operationOf(name);
  const call = { operation, values: {}, given: {}, address: "", target: "/", headers: {}, body: undefined };
  return createRequest({ ...call, options: {} }, {});
};

test("sends a request once, whatever a middleware does", async () => {
  const { server, client } = await startClientAndServer(respond(201, '{"trade_id":"t-1"}'));
  const { baseUrl } = client.settings;
  const context = createClientContext(fxdeskService, {
    baseUrl: baseUrl!,
    credentials: { accessToken: "t" },
  });
  runLater(() => context.transport.close());
  const sender = new Sender(context);
  const twice: Middleware = async (request, next) => {
    await next(request);
    return next(request);
  };
  const call = client.prepare(operationOf("trades.book"), { ...tradeInput });
  const run = composeMiddleware([twice], sender.send);
  await expect(run(createRequest(call, {}))).rejects.toMatchObject({ outcome: "unknown" });
  expect(server.heads).toHaveLength(1);
});

test("adds checks before the first byte after those there are", async () => {
  const log: string[] = [];
  const check = (name: string) => async () => void log.push(name);
  const first = withBeforeWrite(requestOf("trades.list"), check("halt"));
  await withBeforeWrite(first, check("release")).beforeWrite!();
  expect(log).toEqual(["halt", "release"]);
});
