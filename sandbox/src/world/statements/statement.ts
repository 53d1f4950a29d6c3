/** The statement of an account: what it says, and what was asked for as a file. Every format is written from it. */
import type { Entry, StatementHead, StatementTail } from "@fxdesk/toolkit/formats";
import type { Account } from "../accounts/account";
import type { StatementFormat } from "../enumerations";
import type { Client } from "../parties/parties";

/** Days of a statement, the first and the last included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

export interface AccountStatement extends StatementHead, StatementTail {
  /** Made anew whenever they are read, so that any number of them takes no memory. */
  readonly entries: Iterable<Entry>;
  /** As it was asked for. */
  readonly period: Period;
  readonly holder: Client;
  readonly writtenAt: Date;
}

/** What was booked when a statement was asked for: what is booked later does not change it. */
export interface AsOf {
  readonly time: Date;
  /** How many lines there were in the account's books. */
  readonly lines: number;
}

/** One that was asked for as a file. */
export interface Statement {
  readonly statementId: string;
  readonly account: Account;
  readonly period: Period;
  readonly asOf: AsOf;
  readonly format: StatementFormat;
  readyAt: Date;
  /** It cannot be made, and says so when it would be ready. */
  failed: boolean;
}

/** What is decided about a statement from outside. */
export interface StatementOutcome {
  readonly failed: boolean;
  readonly delayMs: number;
}
