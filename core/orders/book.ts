/** Books a released order from a fresh quote, and settles a booking that was sent. */
import type { ServiceResponse } from "../call/response";
import type { Order } from "../releases/release";
import { type Authority, createSendGuard } from "../releases/release-guard";
import { changeReleases, getRelease } from "../releases/repository";
import { callOptionsFor, messageOf, type OrderDependencies, transition } from "./leased-order";
import { parseQuote, type Quote } from "../spec/quotes";
import { findQuoteProblem, quoteInputFor } from "./quote";
import { verify } from "./verify";

/** Requests a quote and books it if it is within the terms, else records the reason and tries again later. */
export async function quoteAndBook(
  dependencies: OrderDependencies,
  order: Order,
  { authority, retryInMs }: { readonly authority: Authority; readonly retryInMs: number },
): Promise<void> {
  const { store } = dependencies;
  const quotes = (order.progress.quotes ?? 0) + 1;
  if (!(await transition(store, order, { quotes, dueInMs: 0 }))) return;
  const quote = await fetchQuote(dependencies, order);
  const problem = typeof quote === "string" ? quote : await book(dependencies, order, { quote, authority });
  if (problem !== undefined) await transition(store, order, { remark: problem, dueInMs: retryInMs });
}

/** Requests a quote. Returns it if it is within the terms, else the reason. */
async function fetchQuote(
  { quoteOperation, call }: OrderDependencies,
  { sealed }: Order,
): Promise<Quote | string> {
  const { terms } = sealed;
  let response: ServiceResponse;
  try {
    response = await call(quoteOperation, quoteInputFor(quoteOperation, terms), callOptionsFor(sealed), {});
  } catch (error) {
    return `The quote request failed: ${messageOf(error)}`;
  }
  if (response.status !== quoteOperation.quotes.status)
    return "The service gave no quote that can be booked.";
  const quote = parseQuote(quoteOperation, response.body);
  if (!quote || response.violations.length > 0) return "The quote does not have the declared format.";
  const problem = findQuoteProblem(terms, quote);
  return problem === undefined ? quote : `The last quote is outside the terms of the order: ${problem}.`;
}

/**
 * Books a quote under a journal key of its own. The guard marks the order as `booking` in the transaction in which the journal
 * marks the call as sent, if all checks pass there. Returns the reason if nothing was sent.
 */
async function book(
  dependencies: OrderDependencies,
  order: Order,
  { quote, authority }: { readonly quote: Quote; readonly authority: Authority },
): Promise<string | undefined> {
  const { bookOperation, call, store } = dependencies;
  const { id, fence, sealed } = order;
  const { reason, reference } = sealed.terms;
  const input = {
    [bookOperation.singleUseField!]: quote.quote_id,
    reason,
    ...(reference !== undefined && { reference }),
  };
  const guard = createSendGuard(order, authority, "booking", (current) =>
    current.state === "released" && current.fence === fence && current.entry === undefined
      ? undefined
      : `${id} is ${current.state}, or another process holds its lease.`,
  );
  const failure = await call(
    bookOperation,
    input,
    { ...callOptionsFor(sealed), key: `${id}.${fence}` },
    { guard },
  ).then(
    () => undefined,
    (error: unknown) => messageOf(error),
  );
  // The order has an entry if and only if the booking was sent, even if the call failed. A transaction waits for the one that
  // marks it as sent.
  const current = (await changeReleases(store, (access) => getRelease(access, id))) as Order;
  if (current.entry === undefined) return failure;
  if (current.fence === fence) await settle(dependencies, current, current.entry);
  return undefined;
}

/** Interval between checks of a booking without outcome. */
const outcomePollMs = 2_000;

/** Records the outcome of a booking. No other booking of the order starts until this one has certainly failed. */
export async function settle(dependencies: OrderDependencies, order: Order, entryId: string): Promise<void> {
  const { journal, recover, store } = dependencies;
  // Ends the journal entry if its process died.
  await journal.waitForOutcome(entryId, AbortSignal.timeout(100)).catch(() => undefined);
  let entry = await journal.get(entryId);
  if (entry?.state === "unknown") {
    await recover(entryId).catch(() => undefined);
    entry = await journal.get(entryId);
  }
  switch (entry?.state) {
    case "done": {
      const booked = await transition(store, order, {
        to: "booked",
        identity: entry.ending!.identity!,
        dueInMs: 0,
      });
      // If another process holds the lease by now, it verifies the trade.
      if (booked) await verify(dependencies, booked);
      return;
    }
    case "not-sent":
    case "rejected": {
      const { message, note, remark } = (entry.endingDetails ?? {}) as Readonly<Record<string, string>>;
      await transition(store, order, {
        to: "released",
        remark: `The last booking failed: ${message ?? note ?? remark ?? ""}`,
        dueInMs: outcomePollMs,
      });
      return;
    }
    case "intended":
    case "sent":
      await transition(store, order, { dueInMs: outcomePollMs });
      return;
    case "unknown":
    case undefined:
      await transition(store, order, {
        to: "unknown",
        remark: entry
          ? `The outcome of a booking is unknown (journal entry ${entryId}). No other booking starts until it is found ` +
            `or resolved with \`fxdesk journal resolve ${entryId}\`.`
          : `Journal entry ${entryId} is missing.`,
        dueInMs: outcomePollMs,
      });
  }
}
