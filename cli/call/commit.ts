/** A call that commits money: once it has left, its outcome is waited for and told, whoever goes away meanwhile. */
import type { Reply } from "../../core/client/call";
import { unreadable } from "../../core/client/failure";
import { outcomeLine } from "../../core/client/outcome";
import type { Declaration } from "../../core/operations/declaration";
import { isClosed, say, type Terminal } from "../terminal";
import { Stops } from "./stops";

interface Commitment {
  readonly operation: Declaration;
  readonly call: (signal: AbortSignal) => Promise<Reply>;
  readonly print: (reply: Reply) => Promise<void>;
}

/** The error of a call that has left, and that a person no longer waits for. */
const givenUp = (operation: Declaration) =>
  unreadable(operation, "Its response is not waited for any more.", { attempts: 1, sent: true });

/** Stops the call where it has not left; else waits for its outcome, until it is asked to stop once more. */
async function outcomeOf(
  { operation, call }: Commitment,
  stops: Stops,
  note: (words: string) => Promise<void>,
): Promise<Reply> {
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
  throw givenUp(operation);
}

/** Prints the response; where nobody takes it, its outcome goes where errors go. */
async function told(
  { operation, print }: Commitment,
  reply: Reply,
  stops: Stops,
  note: (words: string) => Promise<void>,
): Promise<void> {
  const stopped = stops.next().then(() => {
    throw new Error("Stopped.");
  });
  try {
    await Promise.race([print(reply), stopped]);
  } catch (error) {
    await note(outcomeLine(operation, reply));
    if (!isClosed(error)) await note(`The response was not printed: ${(error as Error).message}`);
  }
}

/** Calls, and tells the outcome: on stdout, or on stderr where that is gone. Throws the error of the call. */
export async function commit(commitment: Commitment, terminal: Terminal): Promise<Reply> {
  const note = (words: string) => say(terminal, `fxdesk: ${words}\n`);
  const stops = new Stops();
  try {
    const reply = await outcomeOf(commitment, stops, note);
    await told(commitment, reply, stops, note);
    return reply;
  } finally {
    stops.release();
  }
}
