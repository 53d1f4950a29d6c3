/**
 * The control plane: what a person or a test can do to the sandbox that no caller of the service can. Declared like the
 * operations of the contract; routes, commands, the page's forms and `sandbox.control` derive from this one list.
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

/** In the order in which they are listed everywhere. */
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
