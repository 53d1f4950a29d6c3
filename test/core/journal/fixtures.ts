/** Calls for the tests of the journal. */
import type { EntryOutcome, Intent } from "../../../core/journal/entry";

export const intent = (given: Partial<Intent> = {}): Intent => ({
  environment: "sandbox https://sandbox.example.com",
  client: "c-1",
  operation: "trades.book",
  key: "key-1",
  terms: "a".repeat(64),
  surface: "client",
  reference: "FX-1",
  details: { actor: "jane", call: { quote_id: "q-1", beneficiary: "Ångström & Søn 🏦" } },
  ...given,
});

export const done: EntryOutcome = {
  state: "done",
  by: "call",
  status: 200,
  requestId: "r-1",
  identity: "trade-1",
  details: { body: { trade_id: "trade-1", rate: 1.090868 } },
};

export const notSent: EntryOutcome = { state: "not-sent", by: "call", code: "unavailable", details: {} };
export const unknown: EntryOutcome = {
  state: "unknown",
  by: "call",
  code: "outcome_unknown",
  details: { looked: 0 },
};
export const rejected: EntryOutcome = {
  state: "rejected",
  by: "call",
  status: 409,
  code: "conflict",
  details: {},
};

/** Longer than any test, so that no claim expires during one. */
export const longMs = 60_000;
