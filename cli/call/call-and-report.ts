/**
 * A call that does more than read: what became of it is told, whoever goes away meanwhile. Where it commits money and has
 * left, its outcome is waited for.
 */
import type { ServiceResponse } from "../../core/client/response";
import { unreadableResponseError } from "../../core/client/call-errors";
import { formatOutcomeLine } from "../../core/client/outcome-line";
import { type Callable, lookupInstruction } from "../../core/declaration/operation";
import { isProcedure } from "../../core/declaration/procedure";
import { FxdeskError, OutcomeUnknown } from "../../core/errors";
import { isClosed, writeStderr, type Terminal } from "../terminal";
import { StopRequests } from "./stop-requests";

interface ReportedCall {
  readonly operation: Callable;
  readonly call: (signal: AbortSignal) => Promise<ServiceResponse>;
  readonly print: (response: ServiceResponse) => Promise<void>;
}

/** The error of a call that may have been carried out. */
const possiblyDoneError = (operation: Callable, reason: string, cause?: unknown): FxdeskError =>
  new OutcomeUnknown(
    `${operation.name}: ${reason} It may have been carried out: ${lookupInstruction(operation)} before you repeat it.`,
    { operation: operation.name, code: "outcome_unknown", outcome: "unknown", attempts: 1, cause },
  );

/** The error of a call that has left, and that a person no longer waits for. */
function abandonedError(operation: Callable): FxdeskError {
  const reason = "Its response is not waited for any more.";
  return operation.effect === "money"
    ? unreadableResponseError(operation, reason, { attempts: 1, sent: true })
    : possiblyDoneError(operation, reason);
}

/** What a call that was interrupted ended with, told as what may have been done unless nothing was sent. */
function toInterruptedError(operation: Callable, error: unknown): unknown {
  if (!(error instanceof FxdeskError) || error.code !== "aborted") return error;
  // Only one of its calls was aborted: others may have been carried out before.
  if (isProcedure(operation)) return possiblyDoneError(operation, "Interrupted while it ran.", error);
  if (error.outcome === "not-sent" || operation.effect === "money") return error;
  return possiblyDoneError(operation, "Interrupted after it had left.", error);
}

/** Stops the call where it can be stopped; else waits for its outcome, until it is asked to stop once more. */
async function waitForOutcome(
  { operation, call }: ReportedCall,
  stopRequests: StopRequests,
  report: (words: string) => Promise<void>,
): Promise<ServiceResponse> {
  const stop = new AbortController();
  const outcome = call(stop.signal).catch((error: unknown) => {
    throw stop.signal.aborted ? toInterruptedError(operation, error) : error;
  });
  const isSettled = outcome.then(
    () => true,
    () => true,
  );
  if (await Promise.race([isSettled, stopRequests.next()])) return outcome;
  stop.abort();
  if (await Promise.race([isSettled, stopRequests.waitForDuplicates()])) return outcome;
  const secondStop = stopRequests.next();
  await report(`${operation.name} has left; waiting for its outcome (again to stop waiting).`);
  if (await Promise.race([isSettled, secondStop])) return outcome;
  throw abandonedError(operation);
}

/** Prints the response; where nobody takes it, its outcome goes where errors go. */
async function printOrReport(
  { operation, print }: ReportedCall,
  response: ServiceResponse,
  stopRequests: StopRequests,
  report: (words: string) => Promise<void>,
): Promise<void> {
  const stopped = stopRequests.next().then(() => {
    throw new Error("Stopped.");
  });
  try {
    await Promise.race([print(response), stopped]);
  } catch (error) {
    await report(formatOutcomeLine(operation, response));
    if (!isClosed(error)) await report(`The response was not printed: ${(error as Error).message}`);
  }
}

/** Calls, and tells the outcome: on stdout, or on stderr where that is gone. Throws the error of the call. */
export async function callAndReport(
  reportedCall: ReportedCall,
  terminal: Terminal,
): Promise<ServiceResponse> {
  const report = (words: string) => writeStderr(terminal, `fxdesk: ${words}\n`);
  const stopRequests = new StopRequests();
  try {
    const response = await waitForOutcome(reportedCall, stopRequests, report);
    await printOrReport(reportedCall, response, stopRequests, report);
    return response;
  } finally {
    stopRequests.dispose();
  }
}
