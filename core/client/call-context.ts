/** A call on its way to the service and back. */
import type { JournalNote } from "../errors";
import type { SendGuard } from "../journal/entry";
import type { Deadline } from "../transport/deadline";
import type { Permit } from "../transport/pacing";
import type { CallProgress } from "./call-errors";
import type { PreparedCall } from "./prepared-call";

export class CallContext implements CallProgress {
  /** The turn that pacing gave. */
  permit: Permit | undefined;
  attempts = 0;
  sent = false;
  /** Of the response that is there, or broke off. */
  status: number | undefined;
  /** Waited for before the head of a request is written, which is not where it throws; of a call that does more than read. */
  beforeWrite: (() => Promise<void>) | undefined;
  /** Where the journal has the call. */
  journal: JournalNote | undefined;

  constructor(
    readonly call: PreparedCall,
    readonly deadline: Deadline,
    public requestId: string | undefined,
    /** What is looked at where the journal writes that the call leaves. */
    readonly guard: SendGuard | undefined,
  ) {}
}

/** Bytes of a JSON text, after inflation: more holds up everything else in the process. */
export const maxResponseBytes = 32 * 1024 * 1024;
