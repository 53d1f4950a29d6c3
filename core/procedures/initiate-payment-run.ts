/** payments.initiateRun: initiates a payment run as one bulk payment, once. */
import { z } from "zod";
import { invalidInputError } from "../call/call-errors";
import type { Comparison } from "../call/call-options";
import { initiateBulkPayment } from "../contract/payments";
import { json } from "../spec/declare";
import { type Context, procedure } from "./procedure";
import { isWebAddress } from "../values/values";
import { flagField, optionalTextField, textField } from "./result-fields";
import { Finding } from "./payment-run-findings";
import { listInitiations, repetition } from "./payment-run-history";
import { preparationOperations, prepare, PreparedRun, runIdOf } from "./payment-run-preparation";
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
    repeated: flagField(
      "True if the run was initiated before: nothing was sent now. To pay the same again, give another date.",
    ),
    findings: z.array(Finding).describe("Warnings; empty if the run was requested before."),
    not_checked: z.array(z.string()).describe("Checks that were not possible, with the reason."),
  })
  .meta({ id: "InitiatedRun", description: "An initiated payment run." });

/**
 * Returns the states in which this run was sent or requested before; then only its own call decides, and its findings no longer
 * do. A run that was recorded and never sent is checked again.
 */
async function earlierStates(context: Context, id: string): Promise<readonly string[]> {
  const { calls } = await listInitiations(context, new Date());
  const states = new Set(["waiting", "released", "sent", "done", "unknown"]);
  return calls.flatMap(({ key, isOwn, state }) => (isOwn && key === id && states.has(state) ? [state] : []));
}

interface Checked {
  readonly checks: Pick<z.output<typeof PreparedRun>, "findings" | "not_checked">;
  /** What people must know before they release the run. */
  readonly warnings: readonly string[];
  readonly compared: Omit<Comparison, "by">;
}

const unchecked = (): Checked => ({
  checks: { findings: [], not_checked: [] },
  // Shown if the earlier request ends at this moment, so that this one needs a release.
  warnings: ["not checked: the run was requested before."],
  compared: { at: Date.now(), known: [] },
});

/** Checks a run. Throws InvalidInput for one with errors. */
async function assertReady(context: Context, input: RunInput): Promise<Checked> {
  const { prepared, notCompared, compared } = await prepare(context, name, input);
  const { findings, ready, not_checked } = prepared;
  const sentences = findings.map(({ row, message }) =>
    row === undefined ? message : `Row ${row}: ${message}`,
  );
  if (ready) return { checks: { findings, not_checked }, warnings: [...sentences, ...notCompared], compared };
  const field = (["rows", "rows_csv", "pain001"] as const).find((each) => input[each] !== undefined)!;
  throw invalidInputError(
    { name },
    findings
      .filter(({ severity }) => severity === "error")
      .slice(0, 20)
      .map(({ row, message }) => ({ field: row === undefined ? field : `${field}, row ${row}`, message })),
  );
}

/** Initiates a run that has no errors or was sent or requested before. Throws InvalidInput for another one. */
async function initiateChecked(
  context: Context,
  input: RunInput,
  key: string,
  request: ReturnType<typeof bulkInputOf>,
) {
  const earlier = await earlierStates(context, key);
  const { checks, warnings, compared } = earlier.length > 0 ? unchecked() : await assertReady(context, input);
  const options = { key, warnings, compared: { by: name, ...compared } };
  const { body: initiated, journal } = await context.client.payments.initiateBulk.response(request, options);
  return { isRepeated: journal?.replayed === true || earlier.includes("done"), checks, initiated };
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
  repetition,
  output: json(InitiatedRun, "The initiated run."),
  async run(context, input) {
    const run = readRun(name, input);
    const id = runIdOf(run);
    const request = bulkInputOf(run);
    const { address } = context.client.prepare(initiateBulkPayment, request);
    // One at a time, so that runs with the same payments see each other.
    const { isRepeated, checks, initiated } = await context.client.exclusively(initiateBulkPayment, () =>
      initiateChecked(context, input, id, request),
    );
    const { paymentId, transactionStatus: status, psuMessage, tppMessages = [], _links: links } = initiated;
    const href = links.scaRedirect?.href ?? links.scaOAuth?.href;
    const link = href !== undefined && URL.canParse(href, address) ? new URL(href, address).href : undefined;
    const isSafe = link !== undefined && isWebAddress(link);
    return {
      run: id,
      paymentId,
      "payment-product": request["payment-product"],
      status,
      ...(isSafe && { link }),
      messages: [
        ...[psuMessage, ...tppMessages.map(({ text }) => text)].filter((text) => text !== undefined),
        ...(href === undefined || isSafe
          ? []
          : ["The service returned a link that is not https. It is not passed on."]),
      ],
      repeated: isRepeated,
      ...checks,
    };
  },
});
