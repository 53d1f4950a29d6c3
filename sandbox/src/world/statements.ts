/** Statements that were asked for as a file. */
import type { AccountStatement } from "../files/account-statement";
import type { FormatName } from "../files/formats";
import type { Account } from "./accounts";
import type { World } from "./world";

export interface Statement {
  readonly statementId: string;
  readonly account: Account;
  /** What it says: what was booked when it was asked for. */
  readonly content: AccountStatement;
  readonly format: FormatName;
  readyAt: Date;
  /** It cannot be made, and says so when it would be ready. */
  failed: boolean;
}

/** How long a statement takes. */
export const statementMs = 300;

/** What is decided about a statement from outside. */
export interface Fate {
  readonly failed: boolean;
  readonly delayMs: number;
}

export function befall({ now }: World, statement: Statement, { failed, delayMs }: Fate): void {
  const ready = Math.max(statement.readyAt.getTime(), now.getTime());
  statement.readyAt = new Date(ready + delayMs);
  statement.failed = failed;
}
