/** payments.prepareRun: checks the rows of a payment run before anyone is asked. */
import { json } from "../spec/declare";
import { procedure } from "./procedure";
import { preparationOperations, prepare, PreparedRun } from "./payment-run-preparation";
import { runFields, runRules } from "./payment-run-rows";

const name = "payments.prepareRun";

export const prepareRun = procedure({
  name,
  tool: "prepare_payment_run",
  title: "Prepare payment run",
  icon: "font-awesome/fa-list-alt",
  summary:
    "Checks the payments of a run before they are initiated: accounts, duplicates, addresses, dates and balance. To send them, use payments.initiateRun.",
  notes: "Nothing is sent; errors stop the run, and a person decides on warnings.",
  keywords: [
    "supplier payments",
    "batch",
    "duplicate",
    "IBAN check",
    "Zahlungslauf",
    "Lieferanten",
    "prüfen",
  ],
  effect: "read",
  uses: preparationOperations,
  input: runFields,
  rules: runRules,
  resultList: "findings",
  output: json(PreparedRun, "The run with its findings."),
  run: async (context, input) => (await prepare(context, name, input)).prepared,
});
