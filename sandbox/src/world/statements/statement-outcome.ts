import type { StatementOutcome, Statement } from "../model/statement";
import type { World } from "../model/world";

/** Time to prepare a statement. */
export const preparationMs = 300;

export function applyOutcome(
  { now }: World,
  statement: Statement,
  { failed, delayMs }: StatementOutcome,
): void {
  const ready = Math.max(statement.readyAt.getTime(), now.getTime());
  statement.readyAt = new Date(ready + delayMs);
  statement.failed = failed;
}
