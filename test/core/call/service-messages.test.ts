/** Errors with several messages: all are reported, and their fields are violations. */
import { InvalidInput } from "../../../core";
import { respond } from "../../support/fault-server";
import { startClientAndServer, failureOf } from "../support/client-fixtures";

const payment = {
  "payment-service": "payments",
  "payment-product": "sepa-credit-transfers",
  debtorAccount: { iban: "NL13TEST0123456789" },
  instructedAmount: { currency: "EUR", amount: "10.00" },
  creditorAccount: { iban: "NL13TEST0123456789" },
  creditorName: "Brouwer Logistiek BV",
} as const;

const initiateAndFail = async (status: number, body: unknown) => {
  const { client } = await startClientAndServer(respond(status, JSON.stringify(body)));
  return failureOf(client.payments.initiate(payment));
};

const message = (path: string | undefined, text: string, code = "FORMAT_ERROR") => ({
  category: "ERROR",
  code,
  path,
  text,
});

test("reports each message of an invalid request, and its field as a violation", async () => {
  const error = await initiateAndFail(400, {
    tppMessages: [
      message("creditorAccount.iban", "The check digits are wrong."),
      message("instructedAmount.amount", "Above the limit.", "PARAMETER_NOT_CONSISTENT"),
      message(undefined, "Ask your bank.", "PARAMETER_NOT_CONSISTENT"),
    ],
  });
  expect(error).toBeInstanceOf(InvalidInput);
  expect(error.message).toContain(
    "(400) creditorAccount.iban: The check digits are wrong. [FORMAT_ERROR] instructedAmount.amount: Above the limit. " +
      "Ask your bank. [PARAMETER_NOT_CONSISTENT]",
  );
  expect(error).toMatchObject({
    outcome: "rejected",
    violations: [
      { field: "creditorAccount.iban", message: "The check digits are wrong." },
      { field: "instructedAmount.amount", message: "Above the limit." },
    ],
    service: {
      code: "FORMAT_ERROR",
      message: "The check digits are wrong.",
      field: "creditorAccount.iban",
      others: [
        { code: "PARAMETER_NOT_CONSISTENT", message: "Above the limit.", field: "instructedAmount.amount" },
        { code: "PARAMETER_NOT_CONSISTENT", message: "Ask your bank." },
      ],
    },
  });
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({
    violations: [{ field: "creditorAccount.iban" }, { field: "instructedAmount.amount" }],
  });
});

test.each([
  ["/creditorAccount/iban", "creditorAccount.iban"],
  ["$.payments[0].creditorName", "payments.0.creditorName"],
  ["body.startDate", "startDate"],
  ["CONSENT-id", "Consent-ID"],
  ["somewhere/else/entirely", "somewhere.else.entirely"],
])("maps the service's field %s to %s", async (path, field) => {
  const error = await initiateAndFail(400, { tppMessages: [message(path, "Wrong.")] });
  expect(error).toMatchObject({ violations: [{ field, message: "Wrong." }] });
  expect(error.message).toContain(`${field}: Wrong. [FORMAT_ERROR]`);
});

test("falls back to the code of a message without text", async () => {
  const error = await initiateAndFail(400, { tppMessages: [{ code: "FORMAT_ERROR", path: "creditorName" }] });
  expect(error).toMatchObject({ violations: [{ field: "creditorName", message: "FORMAT_ERROR" }] });
  expect(error.message).toContain("creditorName: [FORMAT_ERROR]");
});

test("reports the nested errors of a problem document", async () => {
  const error = await initiateAndFail(400, {
    type: "about:blank",
    code: "FORMAT_ERROR",
    title: "Wrong.",
    detail: "The amount.",
    additionalErrors: [{ code: "PERIOD_INVALID", title: "Too late.", detail: "The day." }],
  });
  expect(error.message).toContain("Wrong. The amount. [FORMAT_ERROR] Too late. The day. [PERIOD_INVALID]");
});

test("limits the number of messages", async () => {
  const many = Array.from({ length: 5_000 }, (_, index) =>
    message(`payments[${index}].creditorName`, "Wrong."),
  );
  const error = await initiateAndFail(400, { tppMessages: many });
  expect(error.message).toContain("payments.9.creditorName: Wrong. [FORMAT_ERROR] And 40 more.");
  expect((error as InvalidInput).violations).toHaveLength(50);
});

test("removes line breaks", async () => {
  const forged = "\n\nfxdesk: carried out (201)";
  const error = await initiateAndFail(409, {
    tppMessages: [
      message("creditorName", `Refused.${forged} \t\r\n Really.\u2028Yes.`, "CONFLICT\u0085ERROR"),
      message("creditorAccount.iban\r", "\n", "FORMAT\v\fERROR"),
      message(undefined, "Two  spaces\tstay.", "FORMAT_ERROR"),
    ],
  });
  const text = "Refused. fxdesk: carried out (201) Really. Yes.";
  expect(error.message).toContain(`(409) creditorName: ${text} [CONFLICT ERROR]`);
  expect(error.message).not.toMatch(/[\n\r\v\f\u0085\u2028\u2029]/);
  expect(error.message).toContain("Two  spaces\tstay.");
  expect(error.service).toMatchObject({
    code: "CONFLICT ERROR",
    message: text,
    others: [{ code: "FORMAT ERROR", message: "", field: "creditorAccount.iban" }, { code: "FORMAT_ERROR" }],
  });
  const invalid = await initiateAndFail(400, { tppMessages: [message("creditorName", `No.${forged}`)] });
  expect(invalid).toMatchObject({
    violations: [{ field: "creditorName", message: "No. fxdesk: carried out (201)" }],
  });
});

test("handles long whitespace in linear time", async () => {
  const spaces = " ".repeat(1_000_000);
  const begun = performance.now();
  await initiateAndFail(409, { tppMessages: [message(undefined, `a${spaces}b`)] });
  expect(performance.now() - begun).toBeLessThan(5_000);
});
