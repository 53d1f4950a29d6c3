/** From an error status, or from no response at all, to the error a caller handles. */
import { TokenFailure } from "../credentials/tokens";
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
  OutcomeUnknown,
  RateLimited,
  type ServiceMessage,
  Timeout,
  Unauthorized,
  Unavailable,
} from "../errors";
import { type Callable, errorDescription, whereToLook } from "../declaration/operation";
import { describeViolations, type Violation } from "../declaration/violation";
import { serviceWords, violationsIn } from "./service-messages";
import { isRefusal, outcomeOfStatus, outcomeWithoutResponse } from "./outcome";
import { DeadlineEnded } from "../transport/deadline";
import { BrokenOff, Paused, QueueFull, TooLarge, TransportError, errorText } from "../transport/error";

type ErrorClass = new (message: string, facts: ErrorFacts) => FxdeskError;

interface Kind {
  readonly type: ErrorClass;
  readonly code: ErrorCode;
  readonly retryable?: true;
  /** What the person can do. */
  readonly hint?: string;
}

const later = "Try again later.";
const invalid: Kind = { type: InvalidInput, code: "invalid_input" };
const unavailable: Kind = { type: Unavailable, code: "unavailable", retryable: true, hint: later };
const timeout: Kind = { type: Timeout, code: "timeout", retryable: true, hint: later };
const unlisted: Kind = { type: InvalidResponse, code: "invalid_response" };

const kinds: Readonly<Record<number, Kind>> = {
  400: invalid,
  401: { type: Unauthorized, code: "unauthorized", hint: "Check the credentials of the connection." },
  403: { type: Forbidden, code: "forbidden", hint: "Check that the credentials are valid for this client." },
  404: { type: NotFound, code: "not_found" },
  405: { type: FxdeskError, code: "not_allowed" },
  408: timeout,
  409: { type: Conflict, code: "conflict" },
  422: invalid,
  429: { type: RateLimited, code: "rate_limited", retryable: true, hint: "Wait before the next call." },
  502: unavailable,
  503: unavailable,
  504: timeout,
};

function kindOf(status: number): Kind {
  const known = kinds[status];
  if (known) return known;
  if (status < 300) return unlisted;
  if (status < 400)
    return { ...unlisted, hint: "Redirects are not followed: check the addresses of the connection." };
  return { type: FxdeskError, code: status >= 500 ? "service_error" : "refused" };
}

/** The error for input that would not be sent. */
export const invalidInput = (
  operation: Pick<Callable, "name">,
  violations: readonly Violation[],
): InvalidInput =>
  new InvalidInput(`${operation.name}: ${describeViolations(violations)}`, {
    operation: operation.name,
    code: "invalid_input",
    outcome: "not-sent",
    violations,
  });

/** How the messages of failures end that leave open what became of the call. */
const maybeDone = "It may have been carried out: check before repeating it.";
const doNotRepeat = (operation: Callable) =>
  `Do not repeat it: ${whereToLook(operation)} whether it was carried out.`;

/** A refusal may be the echo of an earlier call, whose response nobody heard. */
const mayEcho = (operation: Callable) =>
  `This call was not carried out. If an earlier one had this ${operation.singleUse}, that one may have been: ` +
  `${whereToLook(operation)} before you try again.`;

const sentences = (operation: Callable, ...parts: readonly (string | false | undefined)[]): string =>
  [`${operation.name}:`, ...parts].filter(Boolean).join(" ");

export interface ErrorResponse {
  readonly status: number;
  readonly service?: ServiceMessage | undefined;
  /** What to do, where the service's code says more than the status. */
  readonly advice?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly attempts?: number;
}

/** What a status means that is not among the documented successes. */
function meaningOf({ errors }: Callable, status: number): string {
  const failure = errors[status];
  if (failure !== undefined) return errorDescription(failure);
  if (status < 400) return "The service responded with a status that the contract does not list.";
  return isRefusal(status) ? "The service refused the call." : "The service failed.";
}

/** The error for a status that is not among the documented successes. */
export function errorOfResponse(operation: Callable, refusal: ErrorResponse): FxdeskError {
  const { status, service, advice, ...facts } = refusal;
  const meaning = meaningOf(operation, status);
  const refused = isRefusal(status);
  const lost = !refused && operation.effect === "money";
  const again = operation.effect === "read" || refused;
  const { type, code, retryable, hint } = kindOf(status);
  const echo = status === 409 && operation.singleUse !== undefined;
  const message = sentences(
    operation,
    `${meaning} (${status})`,
    serviceWords(operation, service, meaning),
    lost ? doNotRepeat(operation) : echo ? mayEcho(operation) : again ? (advice ?? hint) : maybeDone,
  );
  return new (lost ? OutcomeUnknown : type)(message, {
    ...facts,
    operation: operation.name,
    code: lost ? "outcome_unknown" : code,
    outcome: outcomeOfStatus(status),
    retryable: again && retryable === true,
    status,
    service,
    violations: violationsIn(operation, service),
  });
}

/** How far a call had come when it failed. */
export interface Progress {
  /** Requests that were tried. */
  readonly attempts: number;
  /** Whether one of them may have left. */
  readonly sent: boolean;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
}

const factsOf = ({ attempts, status, requestId }: Progress) => ({ attempts, status, requestId });

/** The error for a call of which no response that can be read says what became of it. */
function outcomeUnknown(operation: Callable, because: string, progress: Progress, cause?: unknown) {
  return new OutcomeUnknown(sentences(operation, because, doNotRepeat(operation)), {
    ...factsOf(progress),
    operation: operation.name,
    code: "outcome_unknown",
    outcome: "unknown",
    cause,
  });
}

/** The error for a response that cannot be what the contract says. */
export function unreadableResponse(
  operation: Callable,
  because: string,
  progress: Progress,
  cause?: unknown,
): FxdeskError {
  if (operation.effect === "money") return outcomeUnknown(operation, because, progress, cause);
  const message = sentences(operation, because, operation.effect === "change" && maybeDone);
  return new InvalidResponse(message, {
    ...factsOf(progress),
    operation: operation.name,
    code: "invalid_response",
    outcome: "unknown",
    cause,
  });
}

interface Ending {
  readonly type: ErrorClass;
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
}

function endingOf(error: unknown, status: number | undefined): Ending | undefined {
  if (error instanceof DeadlineEnded)
    return error.by === "caller"
      ? { type: Aborted, code: "aborted", message: error.message, retryable: false }
      : { type: Timeout, code: "timeout", message: error.message, retryable: true };
  if (error instanceof Paused) {
    const { message, retryAfterMs } = error;
    return { type: RateLimited, code: "rate_limited", message, retryable: true, retryAfterMs };
  }
  if (error instanceof QueueFull)
    return { type: RateLimited, code: "rate_limited", message: error.message, retryable: true };
  if (error instanceof TokenFailure) {
    const { refused, retryAfterMs } = error;
    const message = `No access token. ${error.message}`;
    return refused
      ? { type: Unauthorized, code: "unauthorized", message, retryable: false }
      : { type: Unavailable, code: "unavailable", message, retryable: true, retryAfterMs };
  }
  if (error instanceof TooLarge || error instanceof BrokenOff)
    return { type: InvalidResponse, code: "invalid_response", message: error.message, retryable: false };
  if (!(error instanceof TransportError)) return undefined;
  const ending = endingOf(error.cause, status);
  if (ending) return ending;
  const words = errorText(error.cause);
  const message =
    status === undefined
      ? `The service cannot be reached (${words}).`
      : `The response (${status}) broke off (${words}).`;
  return { type: Unavailable, code: "unavailable", message, retryable: true };
}

/** The error for a call that ended without a whole response, for whatever reason. */
export function errorFrom(operation: Callable, error: unknown, progress: Progress): FxdeskError {
  if (error instanceof FxdeskError) return error;
  const { name, effect } = operation;
  const cause = error instanceof TransportError ? error.cause : error;
  const { sent } = progress;
  const ending = endingOf(error, progress.status) ?? {
    type: FxdeskError,
    code: "unexpected" as const,
    message: `Something unexpected failed in fxdesk (${(error as Error).message}).`,
    retryable: false,
  };
  if (sent && effect === "money") {
    const because =
      progress.status === undefined
        ? `The response was lost (${errorText(cause as Error)}).`
        : ending.message;
    return outcomeUnknown(operation, because, progress, cause);
  }
  const { type, code, message, retryable, retryAfterMs } = ending;
  const end = effect !== "read" && (sent ? maybeDone : "Nothing was sent.");
  return new type(sentences(operation, message, end), {
    ...factsOf(progress),
    operation: name,
    code,
    outcome: outcomeWithoutResponse(sent),
    retryable: retryable && (effect === "read" || !sent),
    retryAfterMs,
    cause,
  });
}
