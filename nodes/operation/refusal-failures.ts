/** Errors of messages that a node refuses. */
import { type ErrorCode, FxdeskError } from "../../core/spec/errors";
import { type Failure, toFailure } from "../shared/errors";
import type { RefusalReason } from "./queue";

const codeByReason: Readonly<Record<RefusalReason, ErrorCode>> = {
  full: "rate_limited",
  cancelled: "aborted",
  closed: "aborted",
};

function refusalMessage(reason: RefusalReason, maxQueued: number): string {
  switch (reason) {
    case "full":
      return `The queue is full: ${maxQueued} messages are waiting. Send messages more slowly, or set a longer queue in the connection.`;
    case "cancelled":
      return "The message was cancelled while it was waiting.";
    case "closed":
      return "A deploy closed the node while the message was waiting.";
  }
}

const refusalError = (operation: string, reason: RefusalReason, maxQueued: number): FxdeskError =>
  new FxdeskError(`${operation}: ${refusalMessage(reason, maxQueued)} Nothing was sent.`, {
    operation,
    code: codeByReason[reason],
    outcome: "not-sent",
    retryable: reason === "full",
  });

/** Returns the errors of one node. Each is created once, because creating thousands in a burst is slow. */
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
