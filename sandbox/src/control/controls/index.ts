/**
 * Controls: changes that a person or a test can make to the sandbox, but a client of the service cannot. They are
 * declared like the contract's operations; routes, commands, the dashboard's forms and `sandbox.control` derive from
 * this list.
 */
import type { Declaration } from "@fxdesk/toolkit/operations";
import { accountsControls } from "./accounts";
import { requestsAndFaultsControls } from "./requests-and-faults";
import { clockControls } from "./clock";
import { payInControls } from "./pay-in";
import { marketControls } from "./market";
import { savedStateControls } from "./saved-state";
import { outboxControls } from "./outbox";
import { paymentsControls } from "./payments";
import { peopleControls } from "./people";

export * from "./clock";
export * from "./market";
export * from "./pay-in";
export * from "./payments";
export * from "./accounts";
export * from "./people";
export * from "./outbox";
export * from "./requests-and-faults";
export * from "./saved-state";

/** In display order. */
export const controls = [
  ...clockControls,
  ...marketControls,
  ...payInControls,
  ...paymentsControls,
  ...accountsControls,
  ...peopleControls,
  ...outboxControls,
  ...requestsAndFaultsControls,
  ...savedStateControls,
] as const satisfies readonly Declaration[];
