/** From an error status, or from no answer at all, to the error a caller handles. */
import {
  Aborted,
  Conflict,
  type ErrorFacts,
  Forbidden,
  FxdeskError,
  InvalidInput,
  NotFound,
  OutcomeUnknown,
  RateLimited,
  type ServiceMessage,
  Timeout,
  Unauthorized,
  Unavailable,
} from "../errors";
import type { Declaration } from "../operations/declaration";
import type { Deadline } from "../transport/deadline";
import { Paused, type TransportError } from "../transport/error";

interface Kind {
  readonly type: new (message: string, facts: ErrorFacts) => FxdeskError;
  readonly code: string;
  readonly retryable?: true;
  /** What the person can do. */
  readonly hint?: string;
}

const invalid: Kind = { type: InvalidInput, code: "invalid_input" };
const unavailable: Kind = {
  type: Unavailable,
  code: "unavailable",
  retryable: true,
  hint: "Try again later.",
};
const timeout: Kind = { type: Timeout, code: "timeout", retryable: true, hint: "Try again later." };

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

const kindOf = (status: number): Kind =>
  kinds[status] ?? { type: FxdeskError, code: status >= 500 ? "service_error" : "refused" };

const says = (value: unknown): string => (typeof value === "string" ? value : "");

/** Reads ErrorMessage, tppMessages or problem+json, whichever came. */
export function serviceMessage(body: unknown): ServiceMessage | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const { tppMessages, ...flat } = body as Record<string, unknown>;
  if (Array.isArray(tppMessages) && tppMessages.length > 0) {
    const { code, text, path } = tppMessages[0] as Record<string, unknown>;
    return { code: says(code), message: says(text), details: says(path) };
  }
  const { code, message, details, title, detail } = flat;
  if (typeof code !== "string") return undefined;
  return { code, message: says(message ?? title), details: says(details ?? detail) };
}

export interface Refusal {
  readonly status: number;
  readonly body: unknown;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
}

/** What to do before anybody repeats a call that may have been carried out: where money moves, and elsewhere. */
const checkFirst = "Do not repeat it: check at the service whether it was carried out.";
const maybeDone = "It may have been carried out: check before repeating it.";

/**
 * The error for a status that is not among the answers. A 5xx or 408 does not say whether a call that commits money was
 * carried out; every other status does.
 */
export function refusalError(operation: Declaration, refusal: Refusal): FxdeskError {
  const { status, body, requestId, retryAfterMs } = refusal;
  const failure = operation.errors[status];
  const meaning = (typeof failure === "string" ? failure : failure?.[0]) ?? "The service refused the call.";
  const service = serviceMessage(body);
  const itsWords = [service?.message, service?.details].filter((words) => words !== meaning);
  const undecided = status >= 500 || status === 408;
  const { type, code, retryable, hint } = kindOf(status);
  const lost = undecided && operation.effect === "money";
  const again = operation.effect === "read" || !undecided;
  const words = [
    `${operation.name}: ${meaning} (${status})`,
    ...itsWords,
    service?.code && `[${service.code}]`,
    lost ? checkFirst : again ? hint : maybeDone,
  ];
  return new (lost ? OutcomeUnknown : type)(words.filter(Boolean).join(" "), {
    operation: operation.name,
    code: lost ? "outcome_unknown" : code,
    outcome: undecided ? "unknown" : "rejected",
    retryable: again && retryable === true,
    status,
    service,
    requestId,
    retryAfterMs,
  });
}

/** The error for a call that commits money and left without an answer that can be read. */
export const lostAnswer = (
  operation: Declaration,
  because: string,
  facts: Partial<ErrorFacts>,
): OutcomeUnknown =>
  new OutcomeUnknown(`${operation.name}: ${because} ${checkFirst}`, {
    operation: operation.name,
    code: "outcome_unknown",
    outcome: "unknown",
    ...facts,
  });

/** The error for a request that got no answer, or a success whose body ended before its time. */
export function unanswered(operation: Declaration, error: TransportError, deadline: Deadline): FxdeskError {
  const { name, effect } = operation;
  const { cause, sent, status } = error;
  const brokeOff = status !== undefined && `The answer (${status}) broke off (${cause.message}).`;
  if (sent && effect === "money")
    return lostAnswer(operation, brokeOff || `The answer was lost (${cause.message}).`, { status, cause });
  const retryable = effect === "read" || !sent;
  const facts = { operation: name, outcome: sent ? ("unknown" as const) : ("not-sent" as const), cause };
  const words = (what: string) => [`${name}: ${what}`, !retryable && maybeDone].filter(Boolean).join(" ");
  if (deadline.byCaller) return new Aborted(words("The call was aborted."), { ...facts, code: "aborted" });
  if (deadline.aborted) return new Timeout(words(cause.message), { ...facts, code: "timeout", retryable });
  if (error instanceof Paused) {
    const { retryAfterMs } = error;
    return new RateLimited(words(cause.message), { ...facts, code: "rate_limited", retryable, retryAfterMs });
  }
  return new Unavailable(words(brokeOff || `The service cannot be reached (${cause.message}).`), {
    ...facts,
    code: "unavailable",
    retryable,
    status,
  });
}
