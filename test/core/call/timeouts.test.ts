/** Time limits of calls: valid values and coverage. */
import { createClient } from "../../../core";
import { type Fault, respond, silence } from "../../support/fault-server";
import {
  accountId,
  startClientAndServer,
  untilArrived,
  changeRequest,
  dripFault,
  failureOf,
  tradeInput,
} from "../support/client-fixtures";

test.each(["timeoutMs", "queueTimeoutMs"] as const)("refuses an invalid %s", async (name) => {
  const { server, client } = await startClientAndServer(respond(200, "[]"));
  for (const value of [0, 1.5, NaN, Infinity, 2 ** 31, "5", null]) {
    const words = `${name} must be a whole number from 1 to 2147483647, not ${String(value)}`;
    expect(() => createClient({ [name]: value as number })).toThrow(new TypeError(`${words}.`));
    expect(await failureOf(client.trades.list({}, { [name]: value as number }))).toMatchObject({
      name: "InvalidInput",
      outcome: "not-sent",
    });
  }
  expect(server.heads).toHaveLength(0);
  await client.trades.list({}, { [name]: 2 ** 31 - 1 });
});

const head = "HTTP/1.1 200 X\r\ncontent-type: application/pdf\r\ncontent-length: 9\r\n\r\nx";
const slowResponses: [phase: string, fault: Fault][] = [
  ["the response headers", silence],
  ["incomplete headers", (socket) => socket.write("HTTP/1.1 200 X\r\ncontent-le")],
  ["a missing body", (socket) => socket.write(head)],
  ["an endless body", dripFault],
];

// All at once, because each waits for its time limit.
test("the time limit and the caller end the wait for a response", async () => {
  const endings = slowResponses.map(async ([phase, fault]) => {
    const { server, client } = await startClientAndServer(fault, { timeoutMs: 2_000 });
    const caller = new AbortController();
    const aborted = { signal: caller.signal, timeoutMs: 60_000 };
    const ended = [
      client.trades.list(),
      client.request(changeRequest),
      client.trades.book(tradeInput, { signal: caller.signal }),
      client.trades.list({}, aborted),
      client.request(changeRequest, aborted),
    ].map(failureOf);
    await untilArrived(server, ended.length);
    caller.abort();
    const errors = await Promise.all(ended);
    return {
      phase,
      requests: server.heads.length,
      errors: errors.map(({ code, outcome }) => [code, outcome]),
    };
  });
  expect(await Promise.all(endings)).toEqual(
    slowResponses.map(([phase]) => ({
      phase,
      requests: 5,
      errors: [
        ["timeout", "unknown"],
        ["timeout", "unknown"],
        // The caller cannot end a booking that was sent.
        ["outcome_unknown", "unknown"],
        ["aborted", "unknown"],
        ["aborted", "unknown"],
      ],
    })),
  );
});

test("starts the time limit after the wait in the queue", async () => {
  let first: () => void = () => undefined;
  const list = respond(200, "[]");
  const { server, client } = await startClientAndServer(
    (socket, number) => (number === 1 ? (first = () => list(socket, number)) : list(socket, number)),
    { connections: 1 },
  );
  const busy = client.trades.list();
  await untilArrived(server, 1);
  const waiting = client.accounts.get(
    { account_id: accountId },
    { timeoutMs: 5_000, queueTimeoutMs: 60_000 },
  );
  const slow = failureOf(client.trades.list({}, { queueTimeoutMs: 50 }));
  expect(await slow).toMatchObject({ outcome: "not-sent" });
  first();
  await Promise.all([busy, waiting]);
});

test("removes its listeners from a long-lived signal", async () => {
  const { client } = await startClientAndServer(respond(200, "[]"));
  const { signal } = new AbortController();
  const add = jest.spyOn(signal, "addEventListener");
  const remove = jest.spyOn(signal, "removeEventListener");
  for (let count = 0; count < 20; count += 1) await client.trades.list({}, { signal });
  const removed = new Set(remove.mock.calls.map(([, listener]) => listener));
  expect([add.mock.calls.length, removed.size]).toEqual([20, 20]);
});

test.each([new AbortController(), "soon"])("refuses %p as a signal and sends nothing", async (signal) => {
  const { server, client } = await startClientAndServer(respond(201, '{"trade_id":"t-1"}'));
  const options = { signal: signal as never };
  for (const call of [client.trades.list({}, options), client.trades.book(tradeInput, options)])
    expect(await failureOf(call)).toMatchObject({ name: "InvalidInput", outcome: "not-sent" });
  expect(server.heads).toHaveLength(0);
});
