/** Errors of messages that a node does not handle. */
import { type ErrorCode, FxdeskError } from "../../core/errors";
import { type Failure, toFailure } from "./failure";
import type { RefusalReason } from "./message-queue";

const codeByReason: Readonly<Record<RefusalReason, ErrorCode>> = {
  full: "rate_limited",
  cancelled: "aborted",
  closed: "aborted",
};

function refusalMessage(reason: RefusalReason, maxQueued: number): string {
  switch (reason) {
    case "full":
      return `${maxQueued} messages wait for their turn already: let them come more slowly, or set a longer queue in the connection.`;
    case "cancelled":
      return "The message was cancelled while it waited for its turn.";
    case "closed":
      return "A deploy ended the node while the message waited for its turn.";
  }
}

const refusalError = (operation: string, reason: RefusalReason, maxQueued: number): FxdeskError =>
  new FxdeskError(`${operation}: ${refusalMessage(reason, maxQueued)} Nothing was sent.`, {
    operation,
    code: codeByReason[reason],
    outcome: "not-sent",
    retryable: reason === "full",
  });

/** The errors of one node. Each is made once: in a burst, making thousands of them would take longer than all else. */
export function createRefusalFailures(
  operation: string,
  maxQueued: number,
): (reason: RefusalReason) => Failure {
  const failures = new Map<RefusalReason, Failure>();
  return (reason) => {
    const failure = failures.get(reason) ?? toFailure(refusalError(operation, reason, maxQueued));
    failures.set(reason, failure);
    return failure;
  };
}
