/** Receipts in bulk: both verifiers of docs/receipts.md find each alteration. */
import { expectAlterationsFound } from "./receipt-scripts";

test.each(["js", "python"] as const)("the verifier in %s finds each of 1,000 altered receipts", (language) =>
  expectAlterationsFound(language, 1_000),
);
