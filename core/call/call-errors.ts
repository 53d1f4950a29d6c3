/** Maps error statuses and transport failures to FxdeskError. */
import { TokenFailure } from "../http/token-source";
import {
  createError,
  describeViolations,
  type ErrorCode,
  FxdeskError,
  InvalidInput,
  type Outcome,
  type ServiceMessage,
  type Violation,
} from "../spec/errors";
import { type Callable, errorDescription, lookupInstruction } from "../spec/operation";
import { describeServiceMessages, serviceViolations } from "./service-messages";
import { DeadlineEnded } from "../http/deadline";
import {
  IncompleteFile,
  NetworkMisconfigured,
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

interface ErrorKind {
  readonly code: ErrorCode;
  readonly retryable?: true;
  /** Next step, appended to the message. */
  readonly hint?: string;
}

const retryLater = { retryable: true, hint: "Try again later." } as const;

const kindByStatus: Readonly<Record<number, ErrorKind>> = {
  400: { code: "invalid_input" },
  401: { code: "unauthorized", hint: "Check the credentials of the connection." },
  403: { code: "forbidden", hint: "Also check that the credentials are valid for this client." },
  404: { code: "not_found" },
  405: { code: "not_allowed" },
  408: { code: "timeout", ...retryLater },
  409: { code: "conflict" },
  422: { code: "invalid_input" },
  429: { code: "rate_limited", retryable: true, hint: "Wait before the next call." },
  502: { code: "unavailable", ...retryLater },
  503: { code: "unavailable", ...retryLater },
  504: { code: "timeout", ...retryLater },
};

const redirectHint = "Redirects are not followed: check the addresses of the connection.";

function errorKindOf(status: number): ErrorKind {
  if (status < 300) return { code: "invalid_response" };
  if (status < 400) return { code: "invalid_response", hint: redirectHint };
  return kindByStatus[status] ?? { code: status >= 500 ? "service_error" : "refused" };
}

/** Returns the error for input that fails validation. */
export const invalidInputError = (
  { name: operation }: Pick<Callable, "name">,
  violations: readonly Violation[],
): InvalidInput =>
  new InvalidInput(`${operation}: ${describeViolations(violations)}`, {
    operation,
    code: "invalid_input",
    outcome: "not-sent",
    violations,
  });

const maybeCarriedOutHint = "The call may have been carried out: check before you repeat it.";
const doNotRepeatHint = (operation: Callable) =>
  `Do not repeat the call: ${lookupInstruction(operation)} whether it was carried out.`;

/** A 409 may be caused by an earlier call whose response was lost. */
const earlierCallHint = (operation: Callable) =>
  `This call was not carried out, but an earlier call with the same ${operation.singleUseField} may have been: ` +
  `${lookupInstruction(operation)} before you try again.`;

const composeMessage = (operation: Callable, ...parts: readonly (string | false | undefined)[]): string =>
  [`${operation.name}:`, ...parts].filter(Boolean).join(" ");

interface ErrorResponse {
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
  const { code, retryable, hint } = errorKindOf(status);
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
  const outcome = outcomeOfStatus(status);
  return createError(operation.name, isOutcomeUnknown ? "outcome_unknown" : code, outcome, message, {
    ...facts,
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

/** Returns the error for a money call that was sent and has no conclusive response. */
const outcomeUnknownError = (operation: Callable, reason: string, progress: CallProgress, cause?: unknown) =>
  createError(
    operation.name,
    "outcome_unknown",
    "unknown",
    composeMessage(operation, reason, doNotRepeatHint(operation)),
    { ...progressFacts(progress), cause },
  );

const progressFacts = ({ attempts, status, requestId }: CallProgress) => ({ attempts, status, requestId });

/** Returns the error for a response that violates the contract. */
export function unreadableResponseError(
  operation: Callable,
  reason: string,
  progress: CallProgress,
  cause?: unknown,
): FxdeskError {
  if (operation.effect === "money") return outcomeUnknownError(operation, reason, progress, cause);
  const message = composeMessage(operation, reason, operation.effect === "change" && maybeCarriedOutHint);
  return createError(operation.name, "invalid_response", "unknown", message, {
    ...progressFacts(progress),
    cause,
  });
}

/** Returns the error for a refusal that may answer a repeat of the call by a gateway, if no search could tell. */
export const repeatRefusedError = (operation: Callable, refusal: FxdeskError): FxdeskError =>
  outcomeUnknownError(
    operation,
    `${describeStatus(operation, refusal.status!)} (${refusal.status}) This may answer a repeat by a gateway after the call was ` +
      "carried out, and could not be looked up.",
    { attempts: refusal.attempts, status: refusal.status, requestId: refusal.requestId, sent: true },
    refusal,
  );

interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
}

function classifyFailure(error: unknown, status: number | undefined): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const { message } = error;
  if (error instanceof DeadlineEnded) {
    const isAborted = error.by === "caller";
    return { code: isAborted ? "aborted" : "timeout", message, retryable: !isAborted };
  }
  if (error instanceof PauseTooLong)
    return { code: "rate_limited", message, retryable: true, retryAfterMs: error.retryAfterMs };
  if (error instanceof QueueFull) return { code: "rate_limited", message, retryable: true };
  if (error instanceof TokenFailure) {
    const { isRefused, retryAfterMs } = error;
    const code = isRefused ? "unauthorized" : "unavailable";
    return { code, message: `There is no access token. ${message}`, retryable: !isRefused, retryAfterMs };
  }
  if (error instanceof ResponseTooLarge || error instanceof IncompleteFile)
    return { code: "invalid_response", message, retryable: false };
  if (!(error instanceof TransportError)) return undefined;
  const reason = errorText(error.cause);
  return (
    classifyFailure(error.cause, status) ?? {
      code: "unavailable",
      message:
        status === undefined
          ? `The service cannot be reached (${reason.replace(/\.$/, "")}).`
          : `The response (${status}) was incomplete (${reason}).`,
      retryable: !(error.cause instanceof NetworkMisconfigured),
    }
  );
}

/** Returns the error for a call that ended without a complete response. FxdeskErrors pass unchanged. */
export function toFxdeskError(operation: Callable, error: unknown, progress: CallProgress): FxdeskError {
  if (error instanceof FxdeskError) return error;
  const { name, effect } = operation;
  const cause = error instanceof TransportError ? error.cause : error;
  const { sent } = progress;
  const { code, message, retryable, retryAfterMs } = classifyFailure(error, progress.status) ?? {
    code: "unexpected",
    message: `Unexpected failure in fxdesk (${(error as Error).message}).`,
    retryable: false,
  };
  if (sent && effect === "money") {
    const reason =
      progress.status === undefined ? `The response was lost (${errorText(cause as Error)}).` : message;
    return outcomeUnknownError(operation, reason, progress, cause);
  }
  const closing = effect !== "read" && (sent ? maybeCarriedOutHint : "Nothing was sent.");
  const outcome = outcomeWithoutResponse(sent);
  return createError(name, code, outcome, composeMessage(operation, message, closing), {
    ...progressFacts(progress),
    retryable: retryable && (effect === "read" || !sent),
    retryAfterMs,
    cause,
  });
}
