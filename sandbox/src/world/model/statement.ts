/** Statements of accounts, and statements requested as a file. */
import type { Balance, Entry, StatementHead, StatementTail } from "@fxdesk/toolkit/formats";
import type { Account } from "./account";
import type { StatementFormat } from "../common/enumerations";
import type { Client } from "../parties/parties";

/** First and last day of a period, both inclusive. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

export interface AccountStatement extends StatementHead, StatementTail {
  readonly openingBalance: Balance;
  readonly closingBalance: Balance;
  /** Created on each iteration, so that long statements need no memory. */
  readonly entries: Iterable<Entry>;
  /** Period as requested. */
  readonly period: Period;
  readonly holder: Client;
  readonly writtenAt: Date;
}

/** Position at the request, so that later entries do not change the statement. */
export interface AsOf {
  readonly time: Date;
  /** Number of lines in the account's book. */
  readonly lines: number;
}

/** A statement requested as a file. */
export interface Statement {
  readonly statementId: string;
  readonly account: Account;
  readonly period: Period;
  readonly asOf: AsOf;
  readonly format: StatementFormat;
  readyAt: Date;
  /** True if creation fails. Reported once the statement would be ready. */
  failed: boolean;
}

/** Outcome of a statement, set by test controls. */
export interface StatementOutcome {
  readonly failed: boolean;
  readonly delayMs: number;
}
