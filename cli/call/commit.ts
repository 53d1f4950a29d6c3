/** A call that commits money: once it has left, its outcome is waited for and told, whoever goes away meanwhile. */
import type { ServiceResponse } from "../../core/client/response";
import { unreadableResponse } from "../../core/client/call-errors";
import { outcomeLine } from "../../core/client/outcome-line";
import type { Callable } from "../../core/declaration/operation";
import { isClosed, writeStderr, type Terminal } from "../terminal";
import { StopRequests } from "./stop-requests";

interface Commitment {
  readonly operation: Callable;
  readonly call: (signal: AbortSignal) => Promise<ServiceResponse>;
  readonly print: (response: ServiceResponse) => Promise<void>;
}

/** The error of a call that has left, and that a person no longer waits for. */
const abandoned = (operation: Callable) =>
  unreadableResponse(operation, "Its response is not waited for any more.", { attempts: 1, sent: true });

/** Stops the call where it has not left; else waits for its outcome, until it is asked to stop once more. */
async function outcomeOf(
  { operation, call }: Commitment,
  stops: StopRequests,
  note: (words: string) => Promise<void>,
): Promise<ServiceResponse> {
  const stop = new AbortController();
  const outcome = call(stop.signal);
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
