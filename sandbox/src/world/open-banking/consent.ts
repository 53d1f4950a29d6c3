/** A consent to read accounts. */
import type { ConsentStatus } from "../enumerations";
import type { Client } from "../parties/parties";
import type { Access, Grant } from "./access";
import type { Decision } from "./decision";

/** What a report since the one before it can show: from how many were booked then to how many are now. */
export interface ReportSpan {
  readonly after: number;
  readonly until: number;
}

export interface ConsentTerms {
  /** As it was asked for; once authorised, with what the person chose. */
  access: Access;
  readonly recurringIndicator: boolean;
  /** Its last day. */
  readonly validUntil: string;
  readonly frequencyPerDay: number;
}

/** Calls of one kind without a person, on one day. */
export interface ReadCount {
  readonly times: number;
  readonly lastAt: Date;
  /** What was read of the last one. */
  readonly pages: ReadonlySet<number>;
}

export interface Consent extends ConsentTerms {
  readonly consentId: string;
  readonly client: Client;
  /** What it opens, once it is authorised: before, what it may open. */
  grant: Grant;
  readonly decision: Decision;
  /** What was read without a person, by thing, on the last day on which something was. */
  unattended: { readonly day: string; readonly reads: Map<string, ReadCount> };
  /** Of the last report of each account's transactions. */
  readonly reported: Map<string, ReportSpan>;
  /** Until then, entries from long ago are open too. */
  allHistoryUntil: Date;
  status: ConsentStatus;
  /** Of what last changed the status. */
  lastActionDate: string;
}
