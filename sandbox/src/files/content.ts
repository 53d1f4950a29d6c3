/** What a statement of an account says, read from the books. */
import type { Big } from "big.js";
import { startOf, addDays } from "../world/days";
import { type BookedLine, bucketOf } from "../world/ledger";
import type { Account } from "../world/accounts";
import type { Client } from "../world/parties";
import type { StatementRequest } from "../world/statements";
import type { World } from "../world/world";

export interface StatementContent {
  readonly client: Client;
  readonly account: Account;
  readonly from: string;
  readonly to: string;
  readonly opening: Big;
  readonly closing: Big;
  readonly lines: readonly BookedLine[];
  readonly writtenAt: Date;
}

/** The movements of the days of a statement, as far as they were booked when it was asked for. */
export function statementContent(
  world: World,
  { account, from, to, askedAt }: StatementRequest & { readonly askedAt: Date },
): StatementContent {
  const books = bucketOf(account, "InterimAvailable");
  const end = startOf(addDays(to, 1));
  const lines = world.ledger
    .lines(books)
    .filter(({ entry: { bookedAt } }) => bookedAt >= startOf(from) && bookedAt < end && bookedAt <= askedAt);
  const opening = world.ledger.balanceBefore(books, startOf(from));
  return {
    client: world.clients.get(account.clientId)!,
    account,
    from,
    to,
    opening,
    closing: lines.at(-1)?.balance ?? opening,
    lines,
    writtenAt: askedAt,
  };
}
