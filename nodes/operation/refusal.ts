/** Errors of messages that a node does not handle. */
import { type ErrorCode, FxdeskError } from "../../core/errors";
import { type Failure, failureOf } from "./failure";
import type { Refusal } from "./queue";

const codes: Readonly<Record<Refusal, ErrorCode>> = {
  full: "rate_limited",
  cancelled: "aborted",
  closed: "aborted",
};

function messageOf(why: Refusal, longestQueue: number): string {
  switch (why) {
    case "full":
      return `${longestQueue} messages wait for their turn already: let them come more slowly, or set a longer queue in the connection.`;
    case "cancelled":
      return "The message was cancelled while it waited for its turn.";
    case "closed":
      return "A deploy ended the node while the message waited for its turn.";
  }
}

const refusalOf = (operation: string, why: Refusal, longestQueue: number): FxdeskError =>
  new FxdeskError(`${operation}: ${messageOf(why, longestQueue)} Nothing was sent.`, {
    operation,
    code: codes[why],
    outcome: "not-sent",
    retryable: why === "full",
  });

/** The errors of one node. Each is made once: in a burst, making thousands of them would take longer than all else. */
export function refusalsOf(operation: string, longestQueue: number): (why: Refusal) => Failure {
  const made = new Map<Refusal, Failure>();
  return (why) => {
    const failure = made.get(why) ?? failureOf(refusalOf(operation, why, longestQueue));
    made.set(why, failure);
    return failure;
  };
}
