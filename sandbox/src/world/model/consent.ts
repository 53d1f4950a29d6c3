import type { ConsentStatus } from "../common/enumerations";
import type { Client } from "../parties/parties";
import type { Access, Grant } from "./access";
import type { Decision } from "./decision";

/** Lines covered by a delta report: from the line count at the previous report to the current count. */
export interface ReportSpan {
  readonly after: number;
  readonly until: number;
}

export interface ConsentTerms {
  /** Requested access; after authorisation, with the person's choices filled in. */
  access: Access;
  readonly recurringIndicator: boolean;
  /** Last valid day. */
  readonly validUntil: string;
  readonly frequencyPerDay: number;
}

/** Unattended calls of one kind on one day. */
export interface ReadCount {
  readonly times: number;
  readonly lastAt: Date;
  /** Pages read of the last report. */
  readonly pages: ReadonlySet<number>;
}

export interface Consent extends ConsentTerms {
  readonly consentId: string;
  readonly client: Client;
  /** Accounts the consent opens, or may open while it is not yet authorised. */
  grant: Grant;
  readonly decision: Decision;
  /** Unattended reads by resource, on the most recent day with reads. */
  unattended: { readonly day: string; readonly reads: Map<string, ReadCount> };
  /** Last transaction report by account. */
  readonly reported: Map<string, ReportSpan>;
  /** Until then, old entries are also readable. */
  allHistoryUntil: Date;
  status: ConsentStatus;
  /** Date of the last status change. */
  lastActionDate: string;
}
