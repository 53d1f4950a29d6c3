/** A call on its way to the service and back. */
import type { JournalNote } from "../errors";
import type { Guard } from "../journal/entry";
import type { Deadline } from "../transport/deadline";
import type { Permit } from "../transport/pacing";
import type { Progress } from "./call-errors";
import type { PreparedCall } from "./prepared-call";

export interface CallState extends Progress {
  readonly call: PreparedCall;
  readonly deadline: Deadline;
  /** The turn that pacing gave. */
  permit: Permit | undefined;
  attempts: number;
  sent: boolean;
  /** Of the response that is there, or broke off. */
  status: number | undefined;
  requestId: string | undefined;
  /** Waited for before the head of a request is written, which is not where it throws; of a call that does more than read. */
  beforeHead: (() => Promise<void>) | undefined;
  /** What is looked at where the journal writes that the call leaves. */
  readonly guard: Guard | undefined;
  /** Where the journal has the call. */
  journal: JournalNote | undefined;
}

/** Bytes of a JSON text, after inflation: more holds up everything else in the process. */
export const largestBytes = 32 * 1024 * 1024;
