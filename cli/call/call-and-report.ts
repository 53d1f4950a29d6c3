/**
 * Runs a call that changes something and always reports its outcome, even after an interruption or a closed stdout. A sent
 * money call is awaited before the process ends.
 */
import type { ServiceResponse } from "../../core/call/response";
import { unreadableResponseError } from "../../core/call/call-errors";
import { formatOutcomeLine } from "../../core/call/outcome-line";
import { type Callable, lookupInstruction } from "../../core/spec/operation";
import { isProcedure } from "../../core/spec/procedure";
import { FxdeskError, OutcomeUnknown } from "../../core/spec/errors";
import { isClosed, writeStderr, type Terminal, StopRequests } from "../terminal/terminal";

interface ReportedCall {
  readonly operation: Callable;
  readonly call: (signal: AbortSignal) => Promise<ServiceResponse>;
  readonly print: (response: ServiceResponse) => Promise<void>;
}

/** Returns the error for a call that may have been carried out. */
const possiblyDoneError = (operation: Callable, reason: string, cause?: unknown): FxdeskError =>
  new OutcomeUnknown(
    `${operation.name}: ${reason} The call may have been carried out: ${lookupInstruction(operation)} before you repeat it.`,
    { operation: operation.name, code: "outcome_unknown", outcome: "unknown", attempts: 1, cause },
  );

/** Returns the error for a sent call whose response the user stopped waiting for. */
function abandonedError(operation: Callable): FxdeskError {
  const reason = "The command stopped waiting for the response.";
  return operation.effect === "money"
    ? unreadableResponseError(operation, reason, { attempts: 1, sent: true })
    : possiblyDoneError(operation, reason);
}

/** Converts the error of an interrupted call to an unknown outcome, unless nothing was sent. */
function toInterruptedError(operation: Callable, error: unknown): unknown {
  if (!(error instanceof FxdeskError) || error.code !== "aborted") return error;
  // Only the current call was aborted; earlier ones may have been carried out.
  if (isProcedure(operation)) return possiblyDoneError(operation, "Interrupted while it was running.", error);
  if (error.outcome === "not-sent" || operation.effect === "money") return error;
  return possiblyDoneError(operation, "Interrupted after it was sent.", error);
}

/** Cancels the call if it was not sent yet; otherwise waits for its outcome until a second stop request. */
async function waitForOutcome(
  { operation, call }: ReportedCall,
  stopRequests: StopRequests,
  report: (line: string) => Promise<void>,
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
  await report(`${operation.name} was sent. Waiting for its outcome; press Ctrl-C again to stop waiting.`);
  if (await Promise.race([isSettled, secondStop])) return outcome;
  throw abandonedError(operation);
}

/** Prints the response, or reports its outcome on stderr if stdout is closed. */
async function printOrReport(
  { operation, print }: ReportedCall,
  response: ServiceResponse,
  stopRequests: StopRequests,
  report: (line: string) => Promise<void>,
): Promise<void> {
  const stopped = stopRequests.next().then(() => {
    throw new Error("Stopped.");
  });
  try {
    await Promise.race([print(response), stopped]);
  } catch (error) {
    await report(formatOutcomeLine(operation, response));
    if (!isClosed(error)) await report(`The response could not be printed: ${(error as Error).message}`);
  }
}

/** Makes the call and reports its outcome on stdout, or on stderr if stdout is closed. Throws the error of the call. */
export async function callAndReport(
  reportedCall: ReportedCall,
  terminal: Terminal,
): Promise<ServiceResponse> {
  const report = (line: string) => writeStderr(terminal, `fxdesk: ${line}\n`);
  const stopRequests = new StopRequests();
  try {
    const response = await waitForOutcome(reportedCall, stopRequests, report);
    await printOrReport(reportedCall, response, stopRequests, report);
    return response;
  } finally {
    stopRequests.dispose();
  }
}
