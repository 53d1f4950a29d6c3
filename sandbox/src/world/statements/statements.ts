/** What becomes of statements that were asked for as a file. */
import type { Fate, Statement } from "./statement";
import type { World } from "../world";

/** How long a statement takes. */
export const statementMs = 300;

export function befall({ now }: World, statement: Statement, { failed, delayMs }: Fate): void {
  const ready = Math.max(statement.readyAt.getTime(), now.getTime());
  statement.readyAt = new Date(ready + delayMs);
  statement.failed = failed;
}
