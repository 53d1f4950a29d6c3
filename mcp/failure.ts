/** What a model is told when a call fails: what happened, what became of it, and what to do. */
import { type FxdeskError, InvalidInput, type ReleaseNeeded } from "../core/errors";
import type { Callable } from "../core/declaration/operation";
import { visibleText } from "./visible-text";
import { fieldsHiddenFromModels } from "../core/declaration/fields";
import { withArgumentNames } from "./argument-names";
import { type Answer, errorResult, type ToolResult } from "./protocol";
import { replaceWithToolNames } from "./tools";
import { describeViolations } from "../core/declaration/violation";

/** Characters of an error message: the service's own words are in it. */
const maxMessageLength = 1_500;
/** Of them, those at its end. */
const messageTailLength = 500;

/** The beginning and the end: the service's own words are in the middle, and what to do comes last. */
function shorten(text: string): string {
  if (text.length <= maxMessageLength) return text;
  return `${text.slice(0, maxMessageLength - messageTailLength)} … ${text.slice(-messageTailLength)}`;
}

/** Where to look, where the operation declares that, and whom to ask. */
function lookupAdvice({ tool, lookup }: Callable, operations: readonly Callable[]): string {
  const lookupOperation = operations.find(({ name }) => name === lookup);
  return `${lookupOperation ? `look with ${lookupOperation.tool}, and ` : ""}ask the user before any other call of ${tool}.`;
}

/** A 409 on what can be used once may be the echo of an earlier call, whose response nobody heard. */
const mayRepeatEarlierCall = ({ singleUseField }: Callable, { status, outcome }: FxdeskError) =>
  singleUseField !== undefined && status === 409 && outcome === "rejected";

function outcomeText(operation: Callable, error: FxdeskError, operations: readonly Callable[]): string {
  if (operation.effect === "read") return "";
  if (error.outcome === "unknown") return unknownOutcomeText(operation, operations);
  // The key stands for an earlier call: what the user wants may be done already.
  if (error.code === "conflict" && error.outcome === "not-sent" && error.journal)
    return `${operation.title}: not carried out now; ${lookupAdvice(operation, operations)}`;
  if (!mayRepeatEarlierCall(operation, error)) return `${operation.title}: not carried out.`;
  return (
    `${operation.title}: this call was not carried out, but an earlier one with the same ${operation.singleUseField} may ` +
    `have been: ${lookupAdvice(operation, operations)}`
  );
}

const unknownOutcomeText = (operation: Callable, operations: readonly Callable[]): string =>
  `It is unknown whether it was carried out: ${lookupAdvice(operation, operations)}`;

function retryAdvice({ retryable }: FxdeskError, waitMs: unknown): string {
  if (!retryable) return "";
  return typeof waitMs === "number"
    ? `The same call may succeed in ${Math.ceil(waitMs / 1_000)} seconds.`
    : "The same call may succeed later.";
}

/** A model cannot set what the operator of the server sets: it is told to ask. */
const phraseForModel = (text: string): string =>
  text.replace("set it on the connection", "ask the operator of this server to set it");

/** Whether a violation is about a field that the operator of the server sets. */
const isSetByOperator = (operation: Callable, field: string): boolean =>
  fieldsHiddenFromModels(operation).some(({ name }) => name === field);

/** Field names as arguments are spelled, whether our own check names them or the service. */
function messageOf(operation: Callable, error: FxdeskError): string {
  const isOurs = error instanceof InvalidInput && error.outcome === "not-sent" && error.violations.length > 0;
  if (!isOurs) {
    const message = error.message.replace(`${operation.name}: `, "");
    return error instanceof InvalidInput ? withArgumentNames(operation, message) : message;
  }
  const violations = error.violations.map(({ field, message, rule }) => ({
    field: withArgumentNames(operation, field),
    message: isSetByOperator(operation, field)
      ? `${message}; set it on the connection`
      : withArgumentNames(operation, message),
    ...(rule && { rule }),
  }));
  return phraseForModel(describeViolations(violations));
}

/** The result of a call that failed as calls do. `where` names the connection, where that matters. */
export function failureResult(
  operation: Callable,
  error: FxdeskError,
  operations: readonly Callable[],
  connectionText = "",
): ToolResult {
  const message = replaceWithToolNames(operations)(messageOf(operation, error));
  const waitMs = "retryAfterMs" in error ? error.retryAfterMs : undefined;
  return errorResult(
    `${operation.tool} failed: ${shorten(visibleText(message))}`,
    error.attempts > 1 && `It was tried ${error.attempts} times.`,
    outcomeText(operation, error, operations),
    retryAdvice(error, waitMs),
    error.journal && `Journal entry: ${error.journal.entry}.`,
    error.requestId !== undefined && `Request id: ${visibleText(error.requestId)}.`,
    connectionText,
  );
}

/** The result of a call that waits for a person's yes: no failure, and nothing was sent. */
export function waitingResult(
  operation: Callable,
  { release, message }: ReleaseNeeded,
  operations: readonly Callable[],
): ToolResult {
  const words = replaceWithToolNames(operations)(visibleText(message.replace(`${operation.name}: `, "")));
  const structuredContent = { release, state: "waiting", description: words };
  return {
    content: [{ type: "text", text: `${operation.title}: ${words}\n${JSON.stringify(structuredContent)}` }],
    structuredContent,
  };
}

const notRequestedReasons: Readonly<Record<Exclude<Answer, "yes">, string>> = {
  no: "The user does not want this to be sent for release.",
  none: "The user was asked whether this is to be sent for release, and did not say.",
  later: "The user is being asked whether this is to be sent for release.",
};

/** The result of a call that nobody is asked to release, as the person at the host did not say yes to that. */
export function releaseNotRequestedResult(operation: Callable, answer: Exclude<Answer, "yes">): ToolResult {
  const description =
    `${notRequestedReasons[answer]} Nothing was asked for release, and nothing was sent. ` +
    "Call it again only when the user says so.";
  return {
    content: [{ type: "text", text: `${operation.title}: ${description}` }],
    structuredContent: { state: "not-asked", description },
  };
}

/** The result of a call that failed in a way nobody foresaw. What it was is for the log: it may hold anything. */
export const internalFailureResult = (
  operation: Callable,
  operations: readonly Callable[],
  connectionText = "",
): ToolResult =>
  errorResult(
    `${operation.tool} failed inside fxdesk; the log of the server has the details.`,
    operation.effect !== "read" && unknownOutcomeText(operation, operations),
    connectionText,
  );

/** The service said yes, but its response cannot be shown: never a reason to call again. */
export const unreadableResult = (operation: Callable, status: number): ToolResult =>
  errorResult(
    `${operation.tool} was answered (${status}: ${operation.responses[status]!.description})`,
    "The response itself broke off or cannot be shown.",
    operation.effect !== "read" && "It was carried out: do not call it again.",
  );
