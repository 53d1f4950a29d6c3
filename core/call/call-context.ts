/** Mutable state of one call while it is sent. */
import type { JournalNote } from "../spec/errors";
import type { SendGuard } from "../store/database";
import type { Deadline } from "../http/deadline";
import type { Permit } from "../http/pacing";
import type { CallProgress } from "./call-errors";
import type { PreparedCall } from "./prepared-call";

export class CallContext implements CallProgress {
  permit: Permit | undefined;
  attempts = 0;
  sent = false;
  /** Status of the response, also if its body is incomplete. */
  status: number | undefined;
  /** Awaited before the request is written; a rejection stops the call. Set for calls that do more than read. */
  beforeWrite: (() => Promise<void>) | undefined;
  journal: JournalNote | undefined;

  constructor(
    readonly call: PreparedCall,
    readonly deadline: Deadline,
    public requestId: string | undefined,
    /** Checked in the transaction in which the journal marks the call as sent. */
    readonly guard: SendGuard | undefined,
  ) {}
}

/** Limit for decompressed response text. Parsing more would block the process for too long. */
export const maxResponseBytes = 32 * 1024 * 1024;
