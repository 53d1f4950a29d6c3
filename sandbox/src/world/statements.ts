/** Statements that were asked for as a file. */
import type { FormatName } from "../files/formats";
import type { Report } from "../files/report";
import type { Account } from "./accounts";

export interface Statement {
  readonly statementId: string;
  readonly account: Account;
  /** What it says: what was booked when it was asked for. */
  readonly report: Report;
  readonly format: FormatName;
  readonly readyAt: Date;
}

/** How long a statement takes. */
export const statementMs = 300;
