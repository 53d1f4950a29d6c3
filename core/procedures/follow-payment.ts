/** payments.follow: polls payments until their status is final. */
import { z } from "zod";
import { existingPaymentProduct, existingPayment, PaymentId } from "../contract/payment-input";
import { withoutUndefined } from "../files/statement";
import { json } from "../spec/declare";
import { id } from "../values/values";
import { type Context, procedure } from "./procedure";
import { deadlineAfter, pollUntil, waitSeconds } from "./poll-until";
import { flagField, optionalTextField, textField } from "./result-fields";

/** A status in words, and the reason for waiting; final statuses have none. */
type StatusMeaning = readonly [description: string, waitsFor?: string];

/** Keyed by ISO 20022 code. */
export const paymentStatusMeanings: Readonly<Record<string, StatusMeaning>> = {
  RCVD: ["Received.", "the person who must authorise it"],
  PATC: ["Partially authorised.", "the other people who must authorise it"],
  PDNG: ["Being checked.", "the checks of the bank"],
  ACTC: ["Authorised and accepted.", "its execution"],
  ACCP: ["Accepted after checks.", "its execution"],
  ACFC: ["Accepted, funds are available.", "its execution"],
  ACWC: ["Accepted with a change.", "its execution"],
  ACWP: ["Accepted, not posted yet.", "its posting"],
  ACSP: ["Being settled.", "its settlement"],
  ACSC: ["Paid: settled on the debtor's account."],
  ACCC: ["Paid: credited to the creditor's account."],
  RJCT: ["Rejected: not paid."],
  CANC: ["Cancelled: not paid."],
  PART: ["Partially accepted: some payments were accepted, others rejected."],
};

/** Statuses of trade payments, keyed in lower case. */
const tradePaymentMeanings: Readonly<Record<string, StatusMeaning>> = {
  "payment pending of authorization": ["Ordered.", "approval by another contact"],
  "validating beneficiary information": ["The beneficiary is being checked.", "the check of the beneficiary"],
  "need more beneficiary information": [
    "The beneficiary is not complete.",
    "more information on the beneficiary",
  ],
  "waiting for payment date": ["Ready to be paid.", "the payment date"],
  "executing payment": ["Being paid.", "its execution"],
  "payment complete": ["Paid."],
  "payment rejected": ["Rejected: not paid."],
  "payment cancelled": ["Cancelled: not paid."],
};

const FollowedPayment = z.object({
  payment_id: optionalTextField("Payment ID."),
  status: textField("Status as the service reports it."),
  description: textField("Status in plain words."),
  final: flagField("True if the status is final."),
  waits_for: optionalTextField("What the payment is waiting for; absent if final."),
  message: optionalTextField("Message of the service."),
});

type FollowedPayment = z.infer<typeof FollowedPayment>;

const FollowedPayments = z
  .object({
    final: flagField("True if every status is final."),
    description: textField("Explanation of the state."),
    payments: z.array(FollowedPayment).describe("The payment, or all payments of the trade."),
    changes: z
      .array(
        z.object({
          at: textField("Time at which the status was seen, UTC."),
          payment_id: optionalTextField("Payment ID."),
          status: textField("New status."),
        }),
      )
      .describe("Status changes seen while waiting."),
  })
  .meta({ id: "FollowedPayments", description: "Status of one or more payments." });

/** An undocumented status is not treated as final. */
const unknownStatusMeaning: StatusMeaning = [
  "The service reports a status that is not in the contract.",
  "another status",
];

function toFollowedPayment(
  paymentId: string | undefined,
  status: string,
  [description, waitsFor]: StatusMeaning = unknownStatusMeaning,
  message?: string,
): FollowedPayment {
  return withoutUndefined<FollowedPayment>({
    payment_id: paymentId,
    status,
    description,
    final: waitsFor === undefined,
    waits_for: waitsFor,
    message: message || undefined,
  });
}

interface PaymentSelection {
  readonly paymentId?: string | undefined;
  readonly trade_id?: string | undefined;
  readonly "payment-service": "payments" | "bulk-payments" | "periodic-payments";
  readonly "payment-product"?: z.infer<(typeof existingPaymentProduct)["payment-product"]> | undefined;
}

async function readPayment({ client }: Context, selection: PaymentSelection): Promise<FollowedPayment[]> {
  const paymentId = selection.paymentId!;
  const state = await client.payments.getStatus({
    "payment-service": selection["payment-service"],
    "payment-product": selection["payment-product"]!,
    paymentId,
  });
  const { transactionStatus: status, fundsAvailable, psuMessage, tppMessage } = state;
  const texts = [psuMessage, ...(tppMessage ?? []).map(({ text }) => text)].filter(Boolean);
  const meaning = paymentStatusMeanings[status] ?? unknownStatusMeaning;
  const isShort = fundsAvailable === false && meaning[1] !== undefined && !["RCVD", "PATC"].includes(status);
  return [
    toFollowedPayment(
      paymentId,
      status,
      isShort ? [meaning[0], "funds on the account"] : meaning,
      texts.join(" "),
    ),
  ];
}

async function readTradePayments(
  { client }: Context,
  { trade_id: tradeId }: PaymentSelection,
): Promise<FollowedPayment[]> {
  const { payments = [] } = await client.trades.get({
    trade_id: tradeId!,
    response_model: "ExtendedBookedTrade",
  });
  return payments.map(({ payment_id: paymentId, status = "" }) =>
    toFollowedPayment(paymentId, status, tradePaymentMeanings[status.toLowerCase()]),
  );
}

const describePayment = ({ description, waits_for: waitsFor }: FollowedPayment): string =>
  waitsFor === undefined ? description : `${description} It waits for ${waitsFor}.`;

function describePayments(payments: readonly FollowedPayment[]): string {
  const [only] = payments;
  if (!only) return "The trade has no payment yet.";
  if (payments.length === 1) return describePayment(only);
  const ended = payments.filter(({ final }) => final).length;
  return `${ended} of ${payments.length} payments are final.`;
}

export const followPayment = procedure({
  name: "payments.follow",
  tool: "follow_payment",
  title: "Follow payment",
  summary:
    "Waits for the final status of a payment or of all payments of a trade, and returns it. For incoming money, use transactions.find.",
  icon: "font-awesome/fa-map-marker",
  keywords: ["track", "settled", "rejected", "transfer", "Zahlung verfolgen", "Überweisung"],
  effect: "read",
  uses: ["payments.getStatus", "trades.get"],
  input: {
    paymentId: PaymentId.optional(),
    "payment-service": existingPayment["payment-service"].default("payments"),
    "payment-product": existingPaymentProduct["payment-product"].optional(),
    trade_id: id("Trade ID", "Trade ID, to follow all its payments instead.").optional(),
    wait_seconds: waitSeconds,
  },
  rules: [
    {
      kind: "exactly-one",
      fields: ["paymentId", "trade_id"],
      description: "Exactly one of paymentId and trade_id must be given.",
    },
    {
      kind: "needed-unless",
      fields: ["payment-product"],
      unless: { trade_id: "given" },
      description: "payment-product is required with paymentId.",
    },
  ],
  output: json(FollowedPayments, "The payments with their status."),
  async run(context, { wait_seconds: seconds, ...selection }) {
    const { signal, progress } = context;
    const readPayments = selection.trade_id === undefined ? readPayment : readTradePayments;
    const changes: z.infer<typeof FollowedPayments>["changes"] = [];
    const lastStatuses = new Map<string | undefined, string>();
    let payments: FollowedPayment[] = [];
    const isFinal = () => payments.length > 0 && payments.every(({ final }) => final);
    await pollUntil(deadlineAfter(seconds), signal, async () => {
      payments = await readPayments(context, selection);
      for (const { payment_id: paymentId, status } of payments) {
        if (lastStatuses.get(paymentId) === status) continue;
        lastStatuses.set(paymentId, status);
        changes.push({
          at: new Date().toISOString(),
          ...(paymentId !== undefined && { payment_id: paymentId }),
          status,
        });
      }
      const done = payments.filter(({ final }) => final).length;
      progress({ done, total: Math.max(payments.length, 1), message: describePayments(payments) });
      return isFinal() || undefined;
    });
    return { final: isFinal(), description: describePayments(payments), payments, changes };
  },
});
