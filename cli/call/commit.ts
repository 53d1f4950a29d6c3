/**
 * A call that does more than read: what became of it is told, whoever goes away meanwhile. Where it commits money and has
 * left, its outcome is waited for.
 */
import type { ServiceResponse } from "../../core/client/response";
import { unreadableResponse } from "../../core/client/call-errors";
import { outcomeLine } from "../../core/client/outcome-line";
import { type Callable, whereToLook } from "../../core/declaration/operation";
import { isProcedure } from "../../core/declaration/procedure";
import { FxdeskError, OutcomeUnknown } from "../../core/errors";
import { isClosed, writeStderr, type Terminal } from "../terminal";
import { StopRequests } from "./stop-requests";

interface Commitment {
  readonly operation: Callable;
  readonly call: (signal: AbortSignal) => Promise<ServiceResponse>;
  readonly print: (response: ServiceResponse) => Promise<void>;
}

/** The error of a call that may have been carried out. */
const maybeDone = (operation: Callable, because: string, cause?: unknown): FxdeskError =>
  new OutcomeUnknown(
    `${operation.name}: ${because} It may have been carried out: ${whereToLook(operation)} before you repeat it.`,
    { operation: operation.name, code: "outcome_unknown", outcome: "unknown", attempts: 1, cause },
  );

/** The error of a call that has left, and that a person no longer waits for. */
function abandoned(operation: Callable): FxdeskError {
  const because = "Its response is not waited for any more.";
  return operation.effect === "money"
    ? unreadableResponse(operation, because, { attempts: 1, sent: true })
    : maybeDone(operation, because);
}

/** What a call that was interrupted ended with, told as what may have been done unless nothing was sent. */
function interrupted(operation: Callable, error: unknown): unknown {
  if (!(error instanceof FxdeskError) || error.code !== "aborted") return error;
  // Only one of its calls was aborted: others may have been carried out before.
  if (isProcedure(operation)) return maybeDone(operation, "Interrupted while it ran.", error);
  if (error.outcome === "not-sent" || operation.effect === "money") return error;
  return maybeDone(operation, "Interrupted after it had left.", error);
}

/** Stops the call where it can be stopped; else waits for its outcome, until it is asked to stop once more. */
async function outcomeOf(
  { operation, call }: Commitment,
  stops: StopRequests,
  note: (words: string) => Promise<void>,
): Promise<ServiceResponse> {
  const stop = new AbortController();
  const outcome = call(stop.signal).catch((error: unknown) => {
    throw stop.signal.aborted ? interrupted(operation, error) : error;
  });
  const ended = outcome.then(
    () => true,
    () => true,
  );
  if (await Promise.race([ended, stops.next()])) return outcome;
  stop.abort();
  if (await Promise.race([ended, stops.settled()])) return outcome;
  const again = stops.next();
  await note(`${operation.name} has left; waiting for its outcome (again to stop waiting).`);
  if (await Promise.race([ended, again])) return outcome;
  throw abandoned(operation);
}

/** Prints the response; where nobody takes it, its outcome goes where errors go. */
async function printOrNote(
  { operation, print }: Commitment,
  response: ServiceResponse,
  stops: StopRequests,
  note: (words: string) => Promise<void>,
): Promise<void> {
  const stopped = stops.next().then(() => {
    throw new Error("Stopped.");
  });
  try {
    await Promise.race([print(response), stopped]);
  } catch (error) {
    await note(outcomeLine(operation, response));
    if (!isClosed(error)) await note(`The response was not printed: ${(error as Error).message}`);
  }
}

/** Calls, and tells the outcome: on stdout, or on stderr where that is gone. Throws the error of the call. */
export async function commit(commitment: Commitment, terminal: Terminal): Promise<ServiceResponse> {
  const note = (words: string) => writeStderr(terminal, `fxdesk: ${words}\n`);
  const stops = new StopRequests();
  try {
    const response = await outcomeOf(commitment, stops, note);
    await printOrNote(commitment, response, stops, note);
    return response;
  } finally {
    stops.release();
  }
}
