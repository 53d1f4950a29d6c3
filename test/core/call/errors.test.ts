/** Errors of every status and body: their outcome, messages and fields. */
import { InvalidInput } from "../../../core";
import { inSequence, respond } from "../../support/fault-server";
import { statuses } from "../../support/witness-server";
import {
  startClientAndServer,
  changeRequest,
  failureOf,
  tradeInput,
  disableBackoff,
  newTrade,
} from "../support/client-fixtures";

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
  ["money", [201], '{"trade_id":"t-1"}', (client) => client.trades.book(newTrade())],
];

test.each(effects)("every status of a %s has its outcome", async (effect, documented, body, call) => {
  disableBackoff();
  let status = 200;
  const { server, client } = await startClientAndServer((socket, number) =>
    // A 204 has no body. There is no wait after a 429.
    respond(status, status === 204 ? "" : body, { "retry-after": "0" })(socket, number),
  );
  for (status of statuses) {
    const before = server.heads.length;
    if (documented.includes(status)) {
      await call(client);
      continue;
    }
    const error = await failureOf(call(client));
    expect(error).toMatchObject({ status, outcome: isRefusal(status) ? "rejected" : "unknown" });
    if (effect !== "read") expect([status, server.heads.length - before]).toEqual([status, 1]);
    if (effect === "money" && !isRefusal(status)) {
      expect(error).toMatchObject({ name: "OutcomeUnknown", code: "outcome_unknown", retryable: false });
      expect(error.message).toContain("trades.list");
    }
    expect(error.message.includes("not carried out")).toBe(effect === "money" && status === 409);
  }
});

test.each([
  ["nothing", ""],
  ["HTML", "<html>"],
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
  const error = await failureOf(client.trades.book(newTrade(), { key: "INV-1" }));
  expect(error).toMatchObject({ name: "Conflict", code: "conflict", outcome: "rejected" });
  expect(error.message).toMatch(/an earlier call with the same quote_id.*trades\.list/);
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
  const body = JSON.stringify({ code: "none", message, details: "t-1" });
  const { client } = await startClientAndServer(respond(404, body));
  const error = await failureOf(client.trades.get({ trade_id: "t-1" }));
  expect(error.message).toBe(`trades.get: ${message} (404) "t-1" [none]`);
});

test("refuses calls and lookups after the client is closed", async () => {
  const { client } = await startClientAndServer(respond(200, "[]"));
  await client.close();
  for (const call of [client.trades.list(), client.recover()])
    expect(await failureOf(call)).toMatchObject({ code: "no_connection", outcome: "not-sent" });
});

describe("an error with several messages", () => {
  const payment = {
    "payment-service": "payments",
    "payment-product": "sepa-credit-transfers",
    debtorAccount: { iban: "NL13TEST0123456789" },
    instructedAmount: { currency: "EUR", amount: "10.00" },
    creditorAccount: { iban: "NL13TEST0123456789" },
    creditorName: "Brouwer Logistiek BV",
  } as const;

  const failWith = async (body: unknown) => {
    const { client } = await startClientAndServer(respond(400, JSON.stringify(body)));
    return failureOf(client.payments.initiate(payment));
  };
  const message = (path: string | undefined, text: string | undefined, code = "FORMAT_ERROR") => ({
    category: "ERROR",
    code,
    path,
    text,
  });

  test("has all of them, and their fields as violations", async () => {
    const error = await failWith({
      tppMessages: [
        message("creditorAccount.iban", "The check digits are wrong."),
        message("instructedAmount.amount", "Above the limit.", "PARAMETER_NOT_CONSISTENT"),
        message(undefined, "Ask your bank.", "PARAMETER_NOT_CONSISTENT"),
      ],
    });
    expect(error).toBeInstanceOf(InvalidInput);
    expect(error.message).toContain('"creditorAccount.iban: The check digits are wrong." [FORMAT_ERROR]');
    const violations = [
      { field: "creditorAccount.iban", message: "The check digits are wrong." },
      { field: "instructedAmount.amount", message: "Above the limit." },
    ];
    const [first, second] = violations;
    const code = "PARAMETER_NOT_CONSISTENT";
    const others = [
      { code, ...second },
      { code, message: "Ask your bank." },
    ];
    expect(error).toMatchObject({
      outcome: "rejected",
      violations,
      service: { code: "FORMAT_ERROR", ...first, others },
    });
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ violations });
  });

  test.each([
    ["/creditorAccount/iban", "Wrong.", "creditorAccount.iban"],
    ["$.payments[0].creditorName", "Wrong.", "payments.0.creditorName"],
    ["body.startDate", "Wrong.", "startDate"],
    ["CONSENT-id", "Wrong.", "Consent-ID"],
    ["somewhere/else/entirely", "Wrong.", "somewhere.else.entirely"],
    ["creditorName", undefined, "creditorName"],
  ])("maps the service's field %s with the text %s to %s", async (path, text, field) => {
    const error = await failWith({ tppMessages: [message(path, text)] });
    expect(error).toMatchObject({ violations: [{ field, message: text ?? "FORMAT_ERROR" }] });
  });

  test("reports the nested errors of a problem document", async () => {
    const error = await failWith({
      type: "about:blank",
      code: "FORMAT_ERROR",
      title: "Wrong.",
      detail: "The amount.",
      additionalErrors: [{ code: "PERIOD_INVALID", title: "Too late.", detail: "The day." }],
    });
    expect(error.message).toContain(
      '"Wrong. The amount." [FORMAT_ERROR] "Too late. The day." [PERIOD_INVALID]',
    );
  });

  test("is limited", async () => {
    const many = Array.from({ length: 5_000 }, (_, index) =>
      message(`payments[${index}].creditorName`, "Wrong."),
    );
    const error = await failWith({ tppMessages: many });
    expect(error.message).toMatch(/payments\.9\.creditorName: Wrong\." \[FORMAT_ERROR\] And 40 more\.$/);
    expect((error as InvalidInput).violations).toHaveLength(50);
  });

  test("has no line breaks, also of long texts", async () => {
    const text = `Refused.\n\nfxdesk: carried out (201) \t\r\n Really.\u2028Yes.${" ".repeat(1_000_000)}b`;
    const begun = performance.now();
    const error = await failWith({
      tppMessages: [
        message("creditorName", text, "CONFLICT\u0085ERROR"),
        message("creditorAccount.iban\r", "\n", "FORMAT\v\fERROR"),
        message(undefined, "Two  spaces\tstay."),
      ],
    });
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(error.message).not.toMatch(/[\n\r\v\f\u0085\u2028\u2029]/);
    // The message is too long for a difference.
    expect(error.message.includes(JSON.stringify("Two  spaces\tstay."))).toBe(true);
    expect(error).toMatchObject({
      service: {
        code: "CONFLICT ERROR",
        message: expect.stringMatching(/^Refused\. fxdesk: carried out \(201\) Really\. Yes\./) as string,
        others: [{ code: "FORMAT ERROR", message: "", field: "creditorAccount.iban" }, {}],
      },
      violations: [{ message: expect.not.stringContaining("\n") as string }, {}],
    });
  });
});
