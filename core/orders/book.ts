/** Books a released order from a fresh quote. */
import type { ServiceResponse } from "../call/response";
import type { Order } from "../releases/release";
import { type Authority, createSendGuard } from "../releases/release-guard";
import { changeReleases, getRelease } from "../releases/repository";
import { parseQuote, type Quote } from "../spec/quotes";
import { findQuoteProblem, quoteInputFor } from "./quote";
import {
  callOptionsFor,
  type ExecutorDependencies,
  messageOf,
  type OrderOperations,
  transition,
} from "./leased-release";
import { settle } from "./settle";

/** What booking an order needs. */
type OrderBooking = ExecutorDependencies & { readonly operations: OrderOperations };

/** Requests a quote and books it if it is within the terms, else records the reason and tries again later. */
export async function quoteAndBook(
  dependencies: OrderBooking,
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
  { operations: { quoteOperation }, call }: OrderBooking,
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
  dependencies: OrderBooking,
  order: Order,
  { quote, authority }: { readonly quote: Quote; readonly authority: Authority },
): Promise<string | undefined> {
  const { call, store } = dependencies;
  const { bookOperation } = dependencies.operations;
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
