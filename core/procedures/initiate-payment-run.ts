/** payments.initiateRun: initiates a payment run as one bulk payment, once. */
import { z } from "zod";
import { invalidInputError } from "../call/call-errors";
import { initiateBulkPayment } from "../contract/payments";
import { json } from "../spec/declare";
import { type Context, procedure } from "./procedure";
import { optionalTextField, textField } from "./result-fields";
import { Finding } from "./payment-run-findings";
import { listInitiations } from "./payment-run-history";
import { preparationOperations, prepare, runIdOf } from "./payment-run-preparation";
import { bulkInputOf, readRun, type RunInput, runFields, runRules } from "./payment-run-rows";

const name = "payments.initiateRun";

const InitiatedRun = z
  .object({
    run: textField("ID of the run, for payments.followRun."),
    paymentId: textField("Payment ID of the bulk payment."),
    "payment-product": textField("Payment product of the bulk payment."),
    status: textField("Status as the service reports it."),
    link: optionalTextField("Link at which a person authorises the run, if the service gives one."),
    messages: z.array(z.string()).describe("Messages of the service, such as its check of the payees."),
    findings: z.array(Finding).describe("Warnings; empty if the run was initiated before."),
  })
  .meta({ id: "InitiatedRun", description: "An initiated payment run." });

/** True if this run was sent or requested before; then only its own call decides, and its findings no longer do. */
async function isKnown(context: Context, id: string): Promise<boolean> {
  const { calls } = await listInitiations(context, new Date());
  const states = new Set(["waiting", "released", "intended", "sent", "done", "unknown"]);
  return calls.some(({ key, isOwn, state }) => isOwn && key === id && states.has(state));
}

/** Returns the warnings of a run. Throws InvalidInput for one with errors. */
async function assertReady(context: Context, input: RunInput): Promise<readonly Finding[]> {
  const { findings, ready } = (await prepare(context, name, input)).prepared;
  if (ready) return findings;
  const field = (["rows", "rows_csv", "pain001"] as const).find((each) => input[each] !== undefined)!;
  throw invalidInputError(
    { name },
    findings
      .filter(({ severity }) => severity === "error")
      .slice(0, 20)
      .map(({ row, message }) => ({ field: row === undefined ? field : `${field}, row ${row}`, message })),
  );
}

export const initiateRun = procedure({
  name,
  tool: "initiate_payment_run",
  title: "Initiate payment run",
  icon: "font-awesome/fa-paper-plane",
  summary:
    "Checks a payment run again and initiates it as one bulk payment with one release. To only check it, use payments.prepareRun.",
  notes:
    "A run with errors is refused; the same run is sent once, however often it is called, and repeating it returns its outcome.",
  keywords: ["pay suppliers", "payroll", "batch", "Zahlungslauf", "Sammelüberweisung", "bezahlen"],
  effect: initiateBulkPayment.effect,
  identifiedBy: "paymentId",
  uses: [...preparationOperations, "payments.initiateBulk"],
  input: runFields,
  rules: runRules,
  output: json(InitiatedRun, "The initiated run."),
  async run(context, input) {
    const run = readRun(name, input);
    const id = runIdOf(run);
    const findings = (await isKnown(context, id)) ? [] : await assertReady(context, input);
    const initiated = await context.client.payments.initiateBulk(bulkInputOf(run), { key: id });
    const { paymentId, transactionStatus: status, psuMessage, tppMessages = [], _links: links } = initiated;
    const link = links.scaRedirect?.href ?? links.scaOAuth?.href;
    return {
      run: id,
      paymentId,
      "payment-product": bulkInputOf(run)["payment-product"],
      status,
      ...(link !== undefined && { link }),
      messages: [psuMessage, ...tppMessages.map(({ text }) => text)].filter((text) => text !== undefined),
      findings: [...findings],
    };
  },
});
