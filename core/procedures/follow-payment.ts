/** payments.follow: a payment until nothing more becomes of it. */
import { z } from "zod";
import { itsProduct, payment, PaymentId } from "../contract/payment-input";
import { json } from "../declaration/declare";
import { id } from "../schema/values";
import { type Context, procedure } from "./procedure";
import { endOfWait, untilSeen, waitSeconds } from "./wait";

/** How a payment stands, in words, and what it waits for; nothing where it is final. */
type Meaning = readonly [description: string, waitsFor?: string];

/** By the codes of ISO 20022. */
const codes: Readonly<Record<string, Meaning>> = {
  RCVD: ["Received.", "the person who must authorise it"],
  PATC: ["Authorised by some.", "the other people who must authorise it"],
  PDNG: ["In checks.", "the checks of the bank"],
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

/** Payments from a trade, by their statuses in small letters. */
const ofTrades: Readonly<Record<string, Meaning>> = {
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

const Followed = z.object({
  payment_id: z.string().optional().meta({ description: "Payment ID." }),
  status: z.string().meta({ description: "Status as the service reports it." }),
  description: z.string().meta({ description: "Status in plain words." }),
  final: z.boolean().meta({ description: "True if the status is final." }),
  waits_for: z.string().optional().meta({ description: "What the payment is waiting for; absent if final." }),
  message: z.string().optional().meta({ description: "Message of the service." }),
});

type Followed = z.infer<typeof Followed>;

export const FollowedPayments = z
  .object({
    final: z.boolean().meta({ description: "True if every status is final." }),
    description: z.string().meta({ description: "Explanation of the state." }),
    payments: z.array(Followed).meta({ description: "The payment, or all payments of the trade." }),
    changes: z
      .array(
        z.object({
          at: z.string().meta({ description: "Time at which the status was seen, UTC." }),
          payment_id: z.string().optional().meta({ description: "Payment ID." }),
          status: z.string().meta({ description: "New status." }),
        }),
      )
      .meta({ description: "Status changes seen while waiting." }),
  })
  .meta({ id: "FollowedPayments", description: "Status of one or more payments." });

interface Facts {
  readonly waitsFor?: string | undefined;
  readonly message?: string | undefined;
}

function followed(
  paymentId: string | undefined,
  status: string,
  meaning: Meaning,
  facts: Facts = {},
): Followed {
  const [description, usual] = meaning;
  const waitsFor = usual && (facts.waitsFor ?? usual);
  return {
    ...(paymentId !== undefined && { payment_id: paymentId }),
    status,
    description,
    final: usual === undefined,
    ...(waitsFor !== undefined && { waits_for: waitsFor }),
    ...(facts.message !== undefined && { message: facts.message }),
  };
}

/** A status that is not documented says nothing of an end. */
const unknownStatus: Meaning = [
  "The service reports a status that is not in the contract.",
  "another status",
];

interface Asked {
  readonly paymentId?: string | undefined;
  readonly trade_id?: string | undefined;
  readonly "payment-service": "payments" | "bulk-payments" | "periodic-payments";
  readonly "payment-product"?: z.infer<(typeof itsProduct)["payment-product"]> | undefined;
}

async function ofPayment({ client }: Context, asked: Asked): Promise<Followed[]> {
  const paymentId = asked.paymentId!;
  const state = await client.payments.getStatus({
    "payment-service": asked["payment-service"],
    "payment-product": asked["payment-product"]!,
    paymentId,
  });
  const { transactionStatus: status, fundsAvailable, psuMessage, tppMessage } = state;
  const texts = [psuMessage, ...(tppMessage ?? []).map(({ text }) => text)].filter(Boolean);
  const isShort = fundsAvailable === false && !["RCVD", "PATC"].includes(status);
  return [
    followed(paymentId, status, codes[status] ?? unknownStatus, {
      waitsFor: isShort ? "funds on the account" : undefined,
      message: texts.length > 0 ? texts.join(" ") : undefined,
    }),
  ];
}

async function ofTrade({ client }: Context, { trade_id: tradeId }: Asked): Promise<Followed[]> {
  const { payments = [] } = await client.trades.get({
    trade_id: tradeId!,
    response_model: "ExtendedBookedTrade",
  });
  return payments.map(({ payment_id: paymentId, status = "" }) =>
    followed(paymentId, status, ofTrades[status.toLowerCase()] ?? unknownStatus),
  );
}

const sentence = ({ description, waits_for: waitsFor }: Followed): string =>
  waitsFor === undefined ? description : `${description} It waits for ${waitsFor}.`;

function inWords(payments: readonly Followed[]): string {
  const [only] = payments;
  if (!only) return "The trade has no payment yet.";
  if (payments.length === 1) return sentence(only);
  const ended = payments.filter(({ final }) => final).length;
  return `${ended} of ${payments.length} payments are final.`;
}

export const followPayment = procedure({
  name: "payments.follow",
  tool: "follow_payment",
  title: "Follow payment",
  summary:
    "Waits until a payment, or every payment of a trade, has a final status and returns it. For incoming money, use transactions.find.",
  keywords: ["track", "settled", "rejected", "transfer", "Zahlung verfolgen", "Überweisung"],
  effect: "read",
  uses: ["payments.getStatus", "trades.get"],
  input: {
    paymentId: PaymentId.optional(),
    "payment-service": payment["payment-service"].default("payments"),
    "payment-product": itsProduct["payment-product"].optional(),
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
  async run(context, { wait_seconds: seconds, ...asked }) {
    const { signal, progress } = context;
    const look = asked.trade_id === undefined ? ofPayment : ofTrade;
    const changes: z.infer<typeof FollowedPayments>["changes"] = [];
    const known = new Map<string | undefined, string>();
    let payments: Followed[] = [];
    const isFinal = () => payments.length > 0 && payments.every(({ final }) => final);
    await untilSeen(endOfWait(seconds), signal, async () => {
      payments = await look(context, asked);
      for (const { payment_id: paymentId, status } of payments) {
        if (known.get(paymentId) === status) continue;
        known.set(paymentId, status);
        changes.push({
          at: new Date().toISOString(),
          ...(paymentId !== undefined && { payment_id: paymentId }),
          status,
        });
      }
      const done = payments.filter(({ final }) => final).length;
      progress({ done, total: Math.max(payments.length, 1), message: inWords(payments) });
      return isFinal() || undefined;
    });
    return { final: isFinal(), description: inWords(payments), payments, changes };
  },
});
