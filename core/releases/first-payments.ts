/** Accounts that a call pays for the first time, as far as the journal knows: marked for those who decide. */
import { dayMs } from "../calendars/days";
import { type Entry, isNotExecuted } from "../journal/entry";
import { parseCallBody } from "../journal/call-outcome";
import { committedMoneyOf } from "../spec/committed-money";
import type { Declaration } from "../spec/operation";
import type { ReleaseService } from "./release-service";
import type { SealedCall } from "./terms";

const days = 90;
/** Entries read at once, and altogether. */
const [pageSize, maxRead] = [200, 5_000];

/** Returns the accounts to credit of a journaled call; none if its request was erased. */
function creditorsOf({ operation: name, intent }: Entry, operations: readonly Declaration[]) {
  const operation = operations.find((each) => each.name === name);
  const body = intent?.call.body;
  if (!operation || typeof body !== "string") return [];
  const document = operation.document && { [operation.document.name]: body };
  const values = document && body.trimStart().startsWith("<") ? document : parseCallBody(intent?.call);
  return committedMoneyOf(operation, values).creditors ?? [];
}

/** Returns the accounts to credit that no call of the last 90 days to the same environment has paid, or may have paid. */
export async function findFirstPayments(
  service: Pick<ReleaseService, "searchEntries">,
  operations: readonly Declaration[],
  { environment, creditors = [] }: SealedCall,
): Promise<readonly string[]> {
  const left = new Set(creditors);
  const now = Date.now();
  const begun = [now - days * dayMs, now + dayMs] as const;
  for (let offset = 0; offset < maxRead && left.size > 0; offset += pageSize) {
    const page = await service.searchEntries(
      { environments: [environment], begun },
      { limit: pageSize, offset },
    );
    for (const entry of page)
      if (!isNotExecuted(entry)) for (const paid of creditorsOf(entry, operations)) left.delete(paid);
    if (page.length < pageSize) break;
  }
  return [...left];
}
