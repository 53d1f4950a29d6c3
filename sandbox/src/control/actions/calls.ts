/** The log of requests, and the faults that wait for them. */
import { unfit } from "../../world/domain-error";
import type { callsControls } from "../controls/calls";
import { type ActionsOf } from "./parts";

export const callsActions: ActionsOf<typeof callsControls> = {
  listRequests: ({ requests }) => [...requests],

  listFaults: ({ faults }) =>
    faults.waiting.map(({ operation, fault: { retryAfter, ...fault } }) => ({
      operation,
      ...fault,
      ...(retryAfter !== undefined && { retry_after: retryAfter }),
    })),

  addFault: ({ faults }, { operation, times, retry_after: retryAfter, ...fault }) => {
    try {
      faults.add(operation, { ...fault, retryAfter }, times);
    } catch (error) {
      throw unfit((error as Error).message);
    }
  },

  clearFaults: ({ faults }) => faults.clear(),
};
