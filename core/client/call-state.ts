/** A call on its way to the service and back. */
import type { Deadline } from "../transport/deadline";
import type { Permit } from "../transport/pacing";
import type { Progress } from "./call-errors";
import type { PreparedCall } from "./pipeline";

export interface CallState extends Progress {
  readonly call: PreparedCall;
  readonly deadline: Deadline;
  /** Gives back the turn that pacing gave. */
  releaseTurn: Permit;
  attempts: number;
  sent: boolean;
  /** Of the response that is there, or broke off. */
  status: number | undefined;
  requestId: string | undefined;
}

/** Bytes of a JSON text, after inflation: more holds up everything else in the process. */
export const largestBytes = 32 * 1024 * 1024;
