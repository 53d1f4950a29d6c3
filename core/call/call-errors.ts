/** Maps error statuses and transport failures to FxdeskError. */
import { TokenFailure } from "../http/token-source";
import {
  Aborted,
  Conflict,
  type ErrorCode,
  type ErrorFacts,
  Forbidden,
  FxdeskError,
  InvalidInput,
  InvalidResponse,
  NotFound,
  type Outcome,
  OutcomeUnknown,
  RateLimited,
  type ServiceMessage,
  Timeout,
  Unauthorized,
  Unavailable,
  describeViolations,
  type Violation,
} from "../spec/errors";
import { type Callable, errorDescription, lookupInstruction } from "../spec/operation";
import { describeServiceMessages, serviceViolations } from "./service-messages";
import { DeadlineEnded } from "../http/deadline";
import {
  IncompleteFile,
  PauseTooLong,
  QueueFull,
  ResponseTooLarge,
  TransportError,
  errorText,
} from "../http/transport-errors";

/** Returns true if the status rules out execution: any 4xx except 408 and 499, which gateways create on their own. */
const isRefusal = (status: number): boolean =>
  status >= 400 && status < 500 && status !== 408 && status !== 499;

const outcomeOfStatus = (status: number): Outcome => (isRefusal(status) ? "rejected" : "unknown");

/** Returns the outcome without a complete response. `sent` is true once any byte of the request may have been written. */
const outcomeWithoutResponse = (sent: boolean): Outcome => (sent ? "unknown" : "not-sent");

type ErrorClass = new (message: string, facts: ErrorFacts) => FxdeskError;

interface ErrorKind {
  readonly type: ErrorClass;
  readonly code: ErrorCode;
  readonly retryable?: true;
  /** Next step, appended to the message. */
  readonly hint?: string;
}

const retryLaterHint = "Try again later.";
const invalidInputKind: ErrorKind = { type: InvalidInput, code: "invalid_input" };
const unavailableKind: ErrorKind = {
  type: Unavailable,
  code: "unavailable",
  retryable: true,
  hint: retryLaterHint,
};
const timeoutKind: ErrorKind = { type: Timeout, code: "timeout", retryable: true, hint: retryLaterHint };
const unlistedStatusKind: ErrorKind = { type: InvalidResponse, code: "invalid_response" };

const kindByStatus: Readonly<Record<number, ErrorKind>> = {
  400: invalidInputKind,
  401: { type: Unauthorized, code: "unauthorized", hint: "Check the credentials of the connection." },
  403: { type: Forbidden, code: "forbidden", hint: "Check that the credentials are valid for this client." },
  404: { type: NotFound, code: "not_found" },
  405: { type: FxdeskError, code: "not_allowed" },
  408: timeoutKind,
  409: { type: Conflict, code: "conflict" },
  422: invalidInputKind,
  429: { type: RateLimited, code: "rate_limited", retryable: true, hint: "Wait before the next call." },
  502: unavailableKind,
  503: unavailableKind,
  504: timeoutKind,
};

function errorKindOf(status: number): ErrorKind {
  const known = kindByStatus[status];
  if (known) return known;
  if (status < 300) return unlistedStatusKind;
  if (status < 400)
    return {
      ...unlistedStatusKind,
      hint: "Redirects are not followed: check the addresses of the connection.",
    };
  return { type: FxdeskError, code: status >= 500 ? "service_error" : "refused" };
}

/** Returns the error for input that fails validation. */
export const invalidInputError = (
  operation: Pick<Callable, "name">,
  violations: readonly Violation[],
): InvalidInput =>
  new InvalidInput(`${operation.name}: ${describeViolations(violations)}`, {
    operation: operation.name,
    code: "invalid_input",
    outcome: "not-sent",
    violations,
  });

const maybeCarriedOutHint = "It may have been carried out: check before repeating it.";
const doNotRepeatHint = (operation: Callable) =>
  `Do not repeat it: ${lookupInstruction(operation)} whether it was carried out.`;

/** A 409 may be caused by an earlier call whose response was lost. */
const earlierCallHint = (operation: Callable) =>
  `This call was not carried out, but an earlier call with the same ${operation.singleUseField} may have been: ` +
  `${lookupInstruction(operation)} before you try again.`;

const composeMessage = (operation: Callable, ...parts: readonly (string | false | undefined)[]): string =>
  [`${operation.name}:`, ...parts].filter(Boolean).join(" ");

export interface ErrorResponse {
  readonly status: number;
  readonly service?: ServiceMessage | undefined;
  /** Advice for the service's error code. Takes precedence over the hint for the status. */
  readonly advice?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly attempts?: number;
}

function describeStatus({ errors }: Callable, status: number): string {
  const failure = errors[status];
  if (failure !== undefined) return errorDescription(failure);
  if (status < 400) return "The service responded with an undocumented status.";
  return isRefusal(status) ? "The service refused the call." : "The service failed.";
}

/** Returns the error for any status that is not a documented success. */
export function toResponseError(operation: Callable, response: ErrorResponse): FxdeskError {
  const { status, service, advice, ...facts } = response;
  const meaning = describeStatus(operation, status);
  const refused = isRefusal(status);
  const isOutcomeUnknown = !refused && operation.effect === "money";
  const isSafeToRepeat = operation.effect === "read" || refused;
  const { type, code, retryable, hint } = errorKindOf(status);
  const mayBeDuplicate = status === 409 && operation.singleUseField !== undefined;
  const message = composeMessage(
    operation,
    `${meaning} (${status})`,
    describeServiceMessages(operation, service, meaning),
    isOutcomeUnknown
      ? doNotRepeatHint(operation)
      : mayBeDuplicate
        ? earlierCallHint(operation)
        : isSafeToRepeat
          ? (advice ?? hint)
          : maybeCarriedOutHint,
  );
  return new (isOutcomeUnknown ? OutcomeUnknown : type)(message, {
    ...facts,
    operation: operation.name,
    code: isOutcomeUnknown ? "outcome_unknown" : code,
    outcome: outcomeOfStatus(status),
    retryable: isSafeToRepeat && retryable === true,
    status,
    service,
    violations: serviceViolations(operation, service),
  });
}

/** Progress of a call at the time of its failure. */
export interface CallProgress {
  /** Number of requests attempted. */
  readonly attempts: number;
  /** True if any byte of a request may have been written. */
  readonly sent: boolean;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
}

const progressFacts = ({ attempts, status, requestId }: CallProgress) => ({ attempts, status, requestId });

/** Returns the error for a money call that was sent and has no conclusive response. */
function outcomeUnknownError(operation: Callable, reason: string, progress: CallProgress, cause?: unknown) {
  return new OutcomeUnknown(composeMessage(operation, reason, doNotRepeatHint(operation)), {
    ...progressFacts(progress),
    operation: operation.name,
    code: "outcome_unknown",
    outcome: "unknown",
    cause,
  });
}

/** Returns the error for a response that violates the contract. */
export function unreadableResponseError(
  operation: Callable,
  reason: string,
  progress: CallProgress,
  cause?: unknown,
): FxdeskError {
  if (operation.effect === "money") return outcomeUnknownError(operation, reason, progress, cause);
  const message = composeMessage(operation, reason, operation.effect === "change" && maybeCarriedOutHint);
  return new InvalidResponse(message, {
    ...progressFacts(progress),
    operation: operation.name,
    code: "invalid_response",
    outcome: "unknown",
    cause,
  });
}

interface Failure {
  readonly type: ErrorClass;
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
}

function classifyFailure(error: unknown, status: number | undefined): Failure | undefined {
  if (error instanceof DeadlineEnded)
    return error.by === "caller"
      ? { type: Aborted, code: "aborted", message: error.message, retryable: false }
      : { type: Timeout, code: "timeout", message: error.message, retryable: true };
  if (error instanceof PauseTooLong) {
    const { message, retryAfterMs } = error;
    return { type: RateLimited, code: "rate_limited", message, retryable: true, retryAfterMs };
  }
  if (error instanceof QueueFull)
    return { type: RateLimited, code: "rate_limited", message: error.message, retryable: true };
  if (error instanceof TokenFailure) {
    const { isRefused, retryAfterMs } = error;
    const message = `No access token. ${error.message}`;
    return isRefused
      ? { type: Unauthorized, code: "unauthorized", message, retryable: false }
      : { type: Unavailable, code: "unavailable", message, retryable: true, retryAfterMs };
  }
  if (error instanceof ResponseTooLarge || error instanceof IncompleteFile)
    return { type: InvalidResponse, code: "invalid_response", message: error.message, retryable: false };
  if (!(error instanceof TransportError)) return undefined;
  const failure = classifyFailure(error.cause, status);
  if (failure) return failure;
  const reason = errorText(error.cause);
  const message =
    status === undefined
      ? `The service cannot be reached (${reason}).`
      : `The response (${status}) was incomplete (${reason}).`;
  return { type: Unavailable, code: "unavailable", message, retryable: true };
}

/** Returns the error for a call that ended without a complete response. FxdeskErrors pass unchanged. */
export function toFxdeskError(operation: Callable, error: unknown, progress: CallProgress): FxdeskError {
  if (error instanceof FxdeskError) return error;
  const { name, effect } = operation;
  const cause = error instanceof TransportError ? error.cause : error;
  const { sent } = progress;
  const failure = classifyFailure(error, progress.status) ?? {
    type: FxdeskError,
    code: "unexpected" as const,
    message: `Unexpected failure in fxdesk (${(error as Error).message}).`,
    retryable: false,
  };
  if (sent && effect === "money") {
    const reason =
      progress.status === undefined
        ? `The response was lost (${errorText(cause as Error)}).`
        : failure.message;
    return outcomeUnknownError(operation, reason, progress, cause);
  }
  const { type, code, message, retryable, retryAfterMs } = failure;
  const closing = effect !== "read" && (sent ? maybeCarriedOutHint : "Nothing was sent.");
  return new type(composeMessage(operation, message, closing), {
    ...progressFacts(progress),
    operation: name,
    code,
    outcome: outcomeWithoutResponse(sent),
    retryable: retryable && (effect === "read" || !sent),
    retryAfterMs,
    cause,
  });
}
