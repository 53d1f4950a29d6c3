/** What is told on diagnostics channels, to those who listen. */
import { channels } from "../../../core/client/channels";
import { inTurn, reset, respond } from "../../support/fault-server";
import {
  against,
  clientOf,
  closedPort,
  failure,
  later,
  pair,
  serving,
  trade,
  withoutBackoff,
} from "../support/against";

type Name = "attempt" | "pause" | "token";

function heard(name: Name): unknown[] {
  const events: unknown[] = [];
  const listener = (event: unknown) => void events.push(event);
  channels[name].subscribe(listener);
  later(() => channels[name].unsubscribe(listener));
  return events;
}

test("each attempt is told, with its status or why there is none", async () => {
  withoutBackoff();
  const events = heard("attempt");
  const { client } = await against(inTurn(reset, respond(503), respond(200, "[]")));
  await client.trades.list();
  expect(events).toEqual([
    { operation: "trades.list", attempt: 1, sent: true, error: expect.any(String) as string },
    { operation: "trades.list", attempt: 2, sent: true, status: 503 },
    { operation: "trades.list", attempt: 3, sent: true, status: 200 },
  ]);
});

test("an attempt that did not leave says so", async () => {
  withoutBackoff();
  const events = heard("attempt");
  await failure(clientOf({ baseUrl: await closedPort() }).trades.book(trade));
  const error = expect.stringContaining("ECONNREFUSED") as string;
  expect(events).toEqual(
    [1, 2].map((attempt) => ({ operation: "trades.book", attempt, sent: false, error })),
  );
});

test("a pause is told", async () => {
  const events = heard("pause");
  const { client } = await against(respond(429, "", { "retry-after": "3600" }));
  await failure(client.trades.list());
  expect(events).toEqual([{ server: "service", milliseconds: 3_600_000 }]);
});

test("a renewal is told, and one that failed", async () => {
  const events = heard("token");
  const service = await serving(respond(200, "[]"));
  const refused = respond(400, '{"error":"invalid_grant"}');
  for (const tokens of [pair("access-1", "refresh-1"), refused]) {
    const endpoint = await serving(tokens);
    const credentials = { refreshToken: "refresh-0", authClientId: "app", authClientSecret: "app-secret" };
    const client = clientOf({ baseUrl: service.url, authUrl: endpoint.url, credentials });
    await client.trades.list().catch(() => undefined);
  }
  const error = expect.stringContaining("invalid_grant") as string;
  expect(events).toEqual([{ renewed: true }, { renewed: false, error }]);
});

test("a call is traced from its beginning to its response or error", async () => {
  const events: unknown[] = [];
  const listeners = {
    start: ({ operation, effect }: object & { operation?: string; effect?: string }) =>
      void events.push(["start", operation, effect]),
    asyncEnd: ({ operation, result, error }: { operation?: string; result?: unknown; error?: unknown }) =>
      void events.push(["end", operation, (result as { status?: number })?.status, (error as Error)?.name]),
  };
  channels.call.subscribe(listeners as never);
  later(() => channels.call.unsubscribe(listeners as never));
  const { client } = await against(inTurn(respond(200, "[]"), respond(409)));
  await client.trades.list();
  await failure(client.trades.book(trade));
  expect(events).toEqual([
    ["start", "trades.list", "read"],
    ["end", "trades.list", 200, undefined],
    ["start", "trades.book", "money"],
    ["end", "trades.book", undefined, "Conflict"],
  ]);
});
