/** Result of every status for a read, a change and a booking. */
import { inSequence, respond } from "../../support/fault-server";
import {
  startClientAndServer,
  changeRequest,
  failureOf,
  tradeInput,
  disableBackoff,
  uniqueKey,
} from "../support/client-fixtures";

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
const all = [
  ...range(200, 208),
  226,
  299,
  ...range(300, 308),
  ...range(400, 431),
  451,
  499,
  ...range(500, 511),
  599,
];
/** A 4xx that cannot mean "done". */
const isRefusal = (status: number) => status >= 400 && status < 500 && status !== 408 && status !== 499;

type Client = Awaited<ReturnType<typeof startClientAndServer>>["client"];
const effects: [
  effect: string,
  documented: number[],
  body: string,
  call: (client: Client) => Promise<unknown>,
][] = [
  ["read", [200], "[]", (client) => client.trades.list()],
  ["change", [200, 201, 202, 203, 204], "{}", (client) => client.request(changeRequest)],
  ["money", [201], '{"trade_id":"t-1"}', (client) => client.trades.book(tradeInput, uniqueKey())],
];

test.each(effects)("%s", async (effect, documented, body, call) => {
  disableBackoff();
  let status = 200;
  const { server, client } = await startClientAndServer((socket, number) =>
    // These have no body. There is no wait after a 429.
    respond(status, [204, 304].includes(status) ? "" : body, { "retry-after": "0" })(socket, number),
  );
  for (status of all) {
    const before = server.heads.length;
    const ended = await call(client).then(
      () => "success",
      (error: { outcome: string; status: number; code: string; message: string }) => error,
    );
    if (typeof ended === "string") {
      expect([status, documented.includes(status)]).toEqual([status, true]);
      continue;
    }
    expect([status, documented.includes(status)]).toEqual([status, false]);
    expect(ended).toMatchObject({ status, outcome: isRefusal(status) ? "rejected" : "unknown" });
    if (effect !== "read") expect([status, server.heads.length - before]).toEqual([status, 1]);
    if (effect === "money" && !isRefusal(status)) {
      expect(ended).toMatchObject({ name: "OutcomeUnknown", code: "outcome_unknown", retryable: false });
      expect(ended.message).toContain("Do not repeat it: check with trades.list");
    }
    if (effect === "change" && !isRefusal(status))
      expect(ended.message).toContain("may have been carried out");
    expect(ended.message.includes("not carried out")).toBe(effect === "money" && status === 409);
  }
});

test.each([
  ["", ""],
  ["null", "null"],
  ["a list", "[]"],
  ["HTML", "<html>"],
  ["an empty ID", '{"trade_id":""}'],
  ["an error beside the ID", '{"code":"c","message":"m","details":"d","trade_id":"t"}'],
  ["more digits than JavaScript represents", '{"trade_id":12345678901234567890}'],
  ["an infinite number", '{"trade_id":1e400}'],
  ["invisible characters", '{"trade_id":"\\u200b\\u0000"}'],
  ["deeply nested lists", `{"trade_id":"t-1","x":${"[".repeat(4_000)}${"]".repeat(4_000)}}`],
])("reports an unknown outcome for a booking answered with %s", async (_, body) => {
  const { server, client } = await startClientAndServer(respond(201, body));
  const error = await failureOf(client.trades.book(tradeInput));
  expect(error).toMatchObject({ code: "outcome_unknown", outcome: "unknown", status: 201, retryable: false });
  expect(error.message).not.toContain("<html>");
  expect(server.heads).toHaveLength(1);
});

test.each(["null", '"text"', '{"code":"c","message":"m","details":"d"}'])(
  "passes on a read answered with %s, with violations",
  async (body) => {
    const { client } = await startClientAndServer(respond(200, body));
    const response = await client.trades.list.response();
    expect(response.body).toEqual(JSON.parse(body));
    expect(response.violations).not.toEqual([]);
  },
);

test("says where to look after a 409 for a used quote", async () => {
  const used = '{"code":"quote_used","message":"Quote already used.","details":""}';
  const { client } = await startClientAndServer(inSequence(respond(502), respond(409, used)));
  expect(await failureOf(client.trades.book(tradeInput))).toMatchObject({ outcome: "unknown" });
  const error = await failureOf(client.trades.book(tradeInput, uniqueKey()));
  expect(error).toMatchObject({ name: "Conflict", code: "conflict", outcome: "rejected" });
  expect(error.message).toContain(
    "This call was not carried out, but an earlier call with the same quote_id",
  );
  expect(error.message).toContain("check with trades.list");
});

test.each(['{"tppMessages":[null]}', '{"tppMessages":"x"}', '{"code":null}', "null"])(
  "throws an FxdeskError for the error body %s",
  async (body) => {
    const { client } = await startClientAndServer(respond(404, body));
    expect(await failureOf(client.trades.list())).toMatchObject({ name: "NotFound", outcome: "rejected" });
  },
);

test("does not repeat the meaning of the status in the service's message", async () => {
  const message = "Client or trade ID not found.";
  const { client } = await startClientAndServer(
    respond(404, JSON.stringify({ code: "none", message, details: "t-1" })),
  );
  const error = await failureOf(client.trades.get({ trade_id: "t-1" }));
  expect(error.message).toBe(`trades.get: ${message} (404) t-1 [none]`);
});

test("refuses calls and lookups after the client is closed", async () => {
  const { client } = await startClientAndServer(respond(200, "[]"));
  await client.close();
  for (const call of [client.trades.list(), client.recover()])
    expect(await failureOf(call)).toMatchObject({ code: "no_connection", outcome: "not-sent" });
});
