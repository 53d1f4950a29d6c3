/**
 * The control plane: what a person or a test can do to the sandbox that no caller of the service can. Declared like the
 * operations of the contract; routes, commands, the page's forms and `sandbox.control` derive from this one list.
 */
import type { Declaration } from "@fxdesk/toolkit/operations";
import { accountsControls } from "./accounts";
import { callsControls } from "./calls";
import { clockControls } from "./clock";
import { incomingControls } from "./incoming";
import { marketControls } from "./market";
import { momentsControls } from "./moments";
import { outboxControls } from "./outbox";
import { paymentsControls } from "./payments";
import { peopleControls } from "./people";

export * from "./clock";
export * from "./market";
export * from "./incoming";
export * from "./payments";
export * from "./accounts";
export * from "./people";
export * from "./outbox";
export * from "./calls";
export * from "./moments";

/** In the order in which they are listed everywhere. */
export const controls = [
  ...clockControls,
  ...marketControls,
  ...incomingControls,
  ...paymentsControls,
  ...accountsControls,
  ...peopleControls,
  ...outboxControls,
  ...callsControls,
  ...momentsControls,
] as const satisfies readonly Declaration[];
