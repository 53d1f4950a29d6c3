/** payments.watch: status changes of the given open-banking payments. */
import { z } from "zod";
import { textField } from "../values/response-fields";
import type { getPaymentStatus } from "../contract/payments";
import { json } from "../spec/declare";
import type { InputOf } from "../spec/input-types";
import { readEach, watch } from "./watch";

const paymentPathPattern =
  /^(payments|bulk-payments|periodic-payments)\/((?:pain\.001-)?(?:sepa-credit-transfers|instant-sepa-credit-transfers|target-2-payments|cross-border-credit-transfers))\/([^\s/\\]+)$/;

type StatusInput = Omit<InputOf<typeof getPaymentStatus>, "Accept">;

const Payment = z
  .object({
    payment: textField("The input value."),
    status: textField("Transaction status, such as ACSC (settled) or RJCT (rejected)."),
    funds_available: z
      .boolean()
      .optional()
      .meta({ description: "True if sufficient funds were available, if checked." }),
  })
  .meta({ id: "WatchedPayment", description: "An open-banking payment and its status." });

const finalStatuses = new Set(["ACSC", "ACCC", "RJCT", "CANC", "PART"]);

export const watchPayments = watch({
  name: "payments.watch",
  tool: "watch_payments",
  title: "Watch payments",
  summary: "Reports status changes of the given open-banking payments.",
  keywords: ["alert", "SEPA", "transfer", "settled", "rejected", "Zahlungen", "Überweisung"],
  uses: ["payments.getStatus"],
  input: {
    payments: z
      .array(
        z
          .string()
          .regex(
            paymentPathPattern,
            "must be service/product/id, such as payments/sepa-credit-transfers/1234",
          ),
      )
      .min(1)
      .meta({
        title: "Payments",
        description: "Payments as service/product/ID, such as payments/sepa-credit-transfers/1234.",
      }),
  },
  output: json(Payment, "A payment."),
  defaultStart: "beginning",
  everyMs: 60_000,
  async read(context, { payments }, { knownStates }) {
    const open = payments.filter(
      (payment) => !finalStatuses.has(String(knownStates.get(payment)?.["status"])),
    );
    return readEach(
      context,
      open,
      (payment) => `Payment ${payment}`,
      async (payment) => {
        const [, service, product, paymentId] = paymentPathPattern.exec(payment)!;
        const input = { "payment-service": service, "payment-product": product, paymentId } as StatusInput;
        const { transactionStatus: status, fundsAvailable } = await context.client.payments.getStatus(input);
        return [
          { payment, status, ...(fundsAvailable !== undefined && { funds_available: fundsAvailable }) },
        ];
      },
    );
  },
  identify: ({ payment }) => payment,
  state: ({ status }) => ({ status }),
});
