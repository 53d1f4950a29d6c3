/** Events on diagnostics channels. */
import { channels } from "../../../core/call/diagnostics-channels";
import { inSequence, reset, respond } from "../../support/fault-server";
import { runLater } from "../../support/resources";
import {
  startClientAndServer,
  createTestClient,
  failureOf,
  tokenPairResponse,
  startFaultServer,
  tradeInput,
  disableBackoff,
} from "../support/client-fixtures";

type Name = "attempt" | "pause" | "token";

function recordEvents(name: Name): unknown[] {
  const events: unknown[] = [];
  const listener = (event: unknown) => void events.push(event);
  channels[name].subscribe(listener);
  runLater(() => channels[name].unsubscribe(listener));
  return events;
}

test("publishes each attempt with its status or error", async () => {
  disableBackoff();
  const events = recordEvents("attempt");
  const { client } = await startClientAndServer(inSequence(reset, respond(503), respond(200, "[]")));
  await client.trades.list();
  expect(events).toEqual([
    { operation: "trades.list", attempt: 1, sent: true, error: expect.any(String) as string },
    { operation: "trades.list", attempt: 2, sent: true, status: 503 },
    { operation: "trades.list", attempt: 3, sent: true, status: 200 },
  ]);
});

test("publishes a requested pause", async () => {
  const events = recordEvents("pause");
  const { client } = await startClientAndServer(respond(429, "", { "retry-after": "3600" }));
  await failureOf(client.trades.list());
  expect(events).toEqual([{ server: "service", milliseconds: 3_600_000 }]);
});

test("publishes successful and failed token refreshes", async () => {
  const events = recordEvents("token");
  const service = await startFaultServer(respond(200, "[]"));
  const refused = respond(400, '{"error":"invalid_grant"}');
  for (const tokens of [tokenPairResponse("access-1", "refresh-1"), refused]) {
    const endpoint = await startFaultServer(tokens);
    const credentials = { refreshToken: "refresh-0", authClientId: "app", authClientSecret: "app-secret" };
    const client = createTestClient({ baseUrl: service.url, authUrl: endpoint.url, credentials });
    await client.trades.list().catch(() => undefined);
  }
  const error = expect.stringContaining("invalid_grant") as string;
  expect(events).toEqual([
    { renewed: true, expiresAt: expect.any(Number) as number },
    { renewed: false, error },
  ]);
});

test("traces a call until its response or error", async () => {
  const events: unknown[] = [];
  const listeners = {
    start: ({ operation, effect }: object & { operation?: string; effect?: string }) =>
      void events.push(["start", operation, effect]),
    asyncEnd: ({ operation, result, error }: { operation?: string; result?: unknown; error?: unknown }) =>
      void events.push(["end", operation, (result as { status?: number })?.status, (error as Error)?.name]),
  };
  channels.call.subscribe(listeners as never);
  runLater(() => channels.call.unsubscribe(listeners as never));
  const { client } = await startClientAndServer(inSequence(respond(200, "[]"), respond(409)));
  await client.trades.list();
  await failureOf(client.trades.book(tradeInput));
  expect(events).toEqual([
    ["start", "trades.list", "read"],
    ["end", "trades.list", 200, undefined],
    ["start", "trades.book", "money"],
    ["end", "trades.book", undefined, "Conflict"],
  ]);
});
