/** Documented statuses that tests ask for. */
import type { Declaration } from "@fxdesk/toolkit/operations";
import type { Result } from "./behaviour";
import { exampleOf } from "./example";
import { Refusal } from "./refusal";

export class ForcedStatuses {
  readonly #waiting = new Map<string, number[]>();

  constructor(private readonly operations: readonly Declaration[]) {}

  /** Throws when there is no such operation or it does not document the status. */
  add(name: string, status: number, times: number): void {
    const operation = this.operations.find((each) => each.name === name);
    if (!operation) throw new TypeError(`There is no operation ${name}.`);
    if (!(status in operation.answers) && !(status in operation.errors))
      throw new TypeError(`${name} does not document status ${status}.`);
    const waiting = this.#waiting.get(name) ?? [];
    this.#waiting.set(name, [...waiting, ...Array.from({ length: times }, () => status)]);
  }

  /** The status the next call of the operation is to answer, if one was asked for. */
  take(operation: Declaration): number | undefined {
    return this.#waiting.get(operation.name)?.shift();
  }
}

/** The documented answer with a status. Throws a Refusal where the status is an error. */
export function forcedResult(operation: Declaration, status: number): Result {
  const answer = operation.answers[status];
  if (answer) return { status, body: exampleOf(answer) };
  const failure = operation.errors[status]!;
  const says = typeof failure === "string" ? failure : failure[0];
  const retry = status === 429 ? { "retry-after": "0" } : {};
  throw new Refusal(status, "forced", says, "This status was asked for.", retry);
}
