/** Error results for models: the failure, the outcome of the call and the next step. */
import { connectionHint } from "../core/call/prepare";
import { FxdeskError, InvalidInput, ReleaseNeeded, describeViolations } from "../core/spec/errors";
import { fieldsHiddenFromModels } from "../core/spec/fields";
import type { Callable } from "../core/spec/operation";
import type { Answer } from "./protocol";
import { errorResult, type ToolResult } from "./render/content";
import { replaceWithToolNames, withArgumentNames } from "./render/names";
import { outcomeTool } from "./tool-names";
import { visibleText } from "../core/values/visible-text";
import { describeTarget, type Target } from "./target";

/** The circumstances of a failed call. */
interface FailureContext {
  /** All declarations of the service. */
  readonly callables: readonly Callable[];
  readonly target: Target;
  /** Leaves tools that are not offered out of a text. */
  readonly hide: (text: string) => string;
  /** The answer of the user of the host; `yes` if not asked. */
  readonly answer: Answer;
}

/** Returns the result of a call that failed or waits for release. */
export function toToolError(
  error: unknown,
  operation: Callable,
  { callables, target, hide, answer }: FailureContext,
): ToolResult {
  if (error instanceof ReleaseNeeded) return waitingResult(operation, error, callables);
  if (wasNotConfirmed(error, answer)) return releaseNotRequestedResult(operation, answer);
  const sentences =
    error instanceof FxdeskError
      ? failureSentences(operation, error, callables)
      : internalFailureSentences(operation, callables);
  const result = errorResult(
    ...sentences.map((sentence) => sentence && hide(sentence)),
    operation.effect !== "read" && `The connection: ${describeTarget(target)}.`,
  );
  const earlier = error instanceof FxdeskError ? error.earlier : undefined;
  // Reading tools declare a schema for their structured content, which an error does not have.
  if (!earlier || operation.effect === "read") return result;
  const structuredContent = { earlier };
  const text = { type: "text", text: JSON.stringify(structuredContent) } as const;
  return { ...result, content: [...result.content, text], structuredContent };
}

/** True if no release was requested because the user did not agree. */
export const wasNotConfirmed = (error: unknown, answer: Answer): answer is Exclude<Answer, "yes"> =>
  answer !== "yes" && error instanceof FxdeskError && error.code === "release_refused";

/** States the failure, the outcome, the next step and what identifies the call. */
function failureSentences(
  operation: Callable,
  error: FxdeskError,
  callables: readonly Callable[],
): (string | false | undefined)[] {
  const message = replaceWithToolNames(callables)(messageOf(operation, error, callables));
  const waitMs = "retryAfterMs" in error ? error.retryAfterMs : undefined;
  return [
    `${operation.tool} failed: ${shorten(visibleText(message))}`,
    error.attempts > 1 && `Attempts: ${error.attempts}.`,
    outcomeText(operation, error, callables),
    retryAdvice(error, waitMs),
    error.journal && `Journal entry: ${error.journal.entry}.`,
    error.journal?.reference !== undefined && `Reference: ${error.journal.reference}.`,
    error.requestId !== undefined && `Request ID: ${requestIdText(visibleText(error.requestId))}.`,
  ];
}

/** Quotes a request ID that is more than an identifier, because the service may choose it. */
const requestIdText = (id: string): string => (/^[\w.-]{1,128}$/.test(id) ? id : JSON.stringify(id));

/** Describes an unexpected failure. Only the log has the details, because they may contain secrets. */
const internalFailureSentences = (operation: Callable, callables: readonly Callable[]) => [
  `${operation.tool} failed inside fxdesk; the log of the server has the details.`,
  operation.effect !== "read" && unknownOutcomeText(operation, callables),
];

/** Upper bound in characters, because the message may quote the service. */
const maxMessageLength = 1_500;
/** Characters reserved for the end of a long message. */
const messageTailLength = 500;

/** Cuts the middle, where the service is quoted; the advice is at the end. */
function shorten(text: string): string {
  if (text.length <= maxMessageLength) return text;
  return `${text.slice(0, maxMessageLength - messageTailLength)} … ${text.slice(-messageTailLength)}`;
}

/** Names the tools to check with, as far as the service has them, and asks for the user's consent. */
function lookupAdvice({ tool, lookup, effect }: Callable, operations: readonly Callable[]): string {
  const tools = operations
    .filter((each) => each.name === lookup || (each.tool === outcomeTool && effect === "money"))
    .map((each) => each.tool)
    .toSorted();
  return `${tools.length > 0 ? `check with ${tools.join(" or ")} and ` : ""}ask the user before you call ${tool} again.`;
}

/** True for a 409 on a single-use value: an earlier call with it may have succeeded although its response was lost. */
const mayRepeatEarlierCall = ({ singleUseField }: Callable, { status, outcome }: FxdeskError) =>
  singleUseField !== undefined && status === 409 && outcome === "rejected";

function outcomeText(operation: Callable, error: FxdeskError, operations: readonly Callable[]): string {
  if (operation.effect === "read") return "";
  if (error.outcome === "unknown") return unknownOutcomeText(operation, operations);
  if (error.earlier?.state === "done")
    return `${operation.title}: this call was not carried out, because an earlier one was. Tell the user the outcome of that one, and ask the user before you call ${operation.tool} again.`;
  // The key belongs to an earlier call, which may already have done what the user wants.
  if (error.code === "conflict" && error.outcome === "not-sent" && error.journal)
    return `${operation.title}: this call was not carried out, but an earlier one may have been: ${lookupAdvice(operation, operations)}`;
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

/** Directs the model to the operator for settings that it cannot change. */
const phraseForModel = (text: string): string =>
  text.replace(connectionHint, "ask the operator of this server to set it");

/** True if the operator of the server sets the field. */
const isSetByOperator = (operation: Callable, field: string): boolean =>
  fieldsHiddenFromModels(operation).some(({ name }) => name === field);

/** Names the operation of a procedure by its title: as a tool it may not be offered, and would hide the message. */
const stepOf = (operation: Callable, { operation: name }: FxdeskError, callables: readonly Callable[]) => {
  const step = name === operation.name ? undefined : callables.find((each) => each.name === name);
  return step ? `${step.title}: ` : "";
};

/** Returns the error message with argument names in place of field names. */
function messageOf(operation: Callable, error: FxdeskError, callables: readonly Callable[]): string {
  const isOurs = error instanceof InvalidInput && error.outcome === "not-sent" && error.violations.length > 0;
  if (!isOurs) {
    const message = error.message
      .replace(`${operation.name}: `, "")
      .replace(`${error.operation}: `, stepOf(operation, error, callables));
    return error instanceof InvalidInput ? withArgumentNames(operation, message) : message;
  }
  const violations = error.violations.map(({ field, message, rule }) => ({
    field: withArgumentNames(operation, field),
    message: isSetByOperator(operation, field)
      ? `${message}; ${connectionHint}`
      : withArgumentNames(operation, message),
    ...(rule && { rule }),
  }));
  return phraseForModel(describeViolations(violations));
}

/** Returns the result of a call that waits for release. It is not an error, and nothing was sent. */
function waitingResult(
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
  no: "The user declined to send this for release.",
  none: "The user was asked whether to send this for release and gave no answer.",
  later: "The user is being asked whether to send this for release.",
};

/** Returns the result of a call whose release was not requested because the user did not agree. */
function releaseNotRequestedResult(operation: Callable, answer: Exclude<Answer, "yes">): ToolResult {
  const description =
    `${notRequestedReasons[answer]} No release was requested, and nothing was sent. ` +
    "Call the tool again only if the user asks for it.";
  return {
    content: [{ type: "text", text: `${operation.title}: ${description}` }],
    structuredContent: { state: "not-requested", description },
  };
}

/** Returns the result of a successful call whose response cannot be shown. It must not be a reason to repeat the call. */
export const unreadableResult = (operation: Callable, status: number): ToolResult =>
  errorResult(
    `${operation.tool} succeeded (${status}: ${operation.responses[status]!.description})`,
    "Its response was cut off or cannot be shown.",
    operation.effect !== "read" && "It was carried out: do not call it again.",
  );
