/** The errors of watches. */
import { type FxdeskError, InvalidInput, InvalidResponse, Unavailable } from "../spec/errors";

export const storeFailed = (name: string, cause: Error): FxdeskError =>
  new Unavailable(
    `${name}: The store of the watch failed: ${cause.message}. Check it with \`fxdesk store check\`.`,
    { operation: name, code: "unavailable", outcome: "not-sent", retryable: true, cause },
  );

/** An empty batch would wrongly mean that nothing has changed, so failing reads are an error. */
export const lastReadFailed = (name: string, nextReadInMs: number): FxdeskError =>
  new Unavailable(
    `${name}: The last read failed. The next read starts in ${Math.ceil(nextReadInMs / 1_000)} s at the earliest.`,
    { operation: name, code: "unavailable", outcome: "not-sent", retryable: true },
  );

/** Without a complete first read, later reads could not tell which entries are new. */
export const incompleteStart = (name: string, gap: string): FxdeskError =>
  new InvalidResponse(
    `${name}: The watch cannot start, because its first read was incomplete. ${gap} Start from "beginning" to accept gaps.`,
    { operation: name, code: "invalid_response", outcome: "unknown", retryable: true },
  );

export function unknownCursor(name: string): FxdeskError {
  const message = "must come from an earlier result for the same watch and input";
  return new InvalidInput(`${name}: cursor ${message}.`, {
    operation: name,
    code: "invalid_input",
    outcome: "not-sent",
    violations: [{ field: "cursor", message }],
  });
}
