/** Converts outcomes for storage, and replays them to a caller that repeats the key. */
import { repeatRefusedError, unreadableResponseError } from "../call/call-errors";
import type { ServiceResponse } from "../call/response";
import { resourceIdentity } from "../spec/created-resources";
import type { Declaration } from "../spec/operation";
import { type Violation, FxdeskError, type JournalNote, type ServiceMessage } from "../spec/errors";
import * as errors from "../spec/errors";
import { type EntryOutcome, type Entry, referenceHint } from "./entry";

type ErrorClass = new (...given: ConstructorParameters<typeof FxdeskError>) => FxdeskError;

/** Stored details of a response. */
interface StoredResponse {
  readonly body?: unknown;
  readonly headers?: ServiceResponse["headers"];
  readonly violations?: readonly Violation[];
}

/** Stored details of an error, or of a person's resolution. */
interface StoredError {
  readonly name?: string;
  readonly message?: string;
  readonly service?: ServiceMessage;
  readonly violations?: readonly Violation[];
  /** Message of a refusal that may answer a repeat. */
  readonly refusal?: string;
  /** Remark of recovery. */
  readonly remark?: string;
  /** Note of the person who resolved the entry. */
  readonly note?: string;
}

/** True for JSON and text. Files are streams that can be read only once. */
const isStorable = (body: unknown): boolean =>
  typeof body !== "object" ||
  body === null ||
  Object.getPrototypeOf(body) === Object.prototype ||
  Array.isArray(body);

const requestIdOf = ({ requestId }: { readonly requestId?: string | undefined }) =>
  requestId === undefined ? {} : { requestId };

export function outcomeOfResponse(operation: Declaration, response: ServiceResponse): EntryOutcome {
  const { status, body, headers, violations } = response;
  const identity = resourceIdentity(operation, body);
  return {
    state: "done",
    by: "call",
    status,
    ...requestIdOf(response),
    ...(identity !== undefined && { identity }),
    details: { ...(body !== undefined && isStorable(body) && { body }), headers, violations },
  };
}

/** Returns the outcome of a failed call. If unknown, it includes a hint to search for the reference. */
export function outcomeOfError(error: FxdeskError, { reference }: Entry): EntryOutcome {
  const { outcome, status, code, name, message, service } = error;
  const remark =
    outcome === "unknown" && reference !== undefined ? { remark: referenceHint(reference) } : undefined;
  const violations = error instanceof errors.InvalidInput ? error.violations : undefined;
  return {
    state: outcome,
    by: "call",
    ...(status !== undefined && { status }),
    code,
    ...requestIdOf(error),
    details: { name, message, ...(service && { service }), ...(violations && { violations }), ...remark },
  };
}

/** True for a refusal that a gateway may have received for its own repeat of a call that was carried out. */
export const mayAnswerRepeat = ({ outcome, status }: FxdeskError): boolean =>
  outcome === "rejected" && status === conflictStatus;

/** Returns the outcome of such a refusal before it is looked up. `refusal` is the message once a search finds nothing. */
export function outcomeOfRepeat(operation: Declaration, refusal: FxdeskError, entry: Entry): EntryOutcome {
  const { details, ...facts } = outcomeOfError(refusal, entry);
  const { message } = repeatRefusedError(operation, refusal);
  return { ...facts, state: "unknown", details: { ...details, message, refusal: refusal.message } };
}

/** Returns the outcome `rejected` of an entry whose refusal did not answer a repeat. Undefined for other entries. */
export function outcomeOfRefusal({ ending, endingDetails }: Entry, remark: string): EntryOutcome | undefined {
  const { refusal } = (endingDetails ?? {}) as StoredError;
  if (ending?.status !== conflictStatus || refusal === undefined) return undefined;
  return {
    ...ending,
    state: "rejected",
    by: "recovery",
    details: { ...endingDetails, message: refusal, remark },
  };
}

const conflictStatus = 409;

export const journalNoteOf = ({ id, reference }: Entry, replayed: boolean): JournalNote => ({
  entry: id,
  replayed,
  ...(reference !== undefined && { reference }),
});

const replayNoteOf = (entry: Entry): JournalNote => ({
  ...journalNoteOf(entry, true),
  ...(entry.ending?.by === "recovery" && entry.state === "done" && { recovered: true }),
});

/** Returns the recorded response. If its body was not stored or was erased, the body is the identifier alone. */
export function toResponse({ responses, identifiedBy }: Declaration, entry: Entry): ServiceResponse {
  const { ending, endingDetails } = entry;
  const { identity, requestId, status = Number(Object.keys(responses)[0]) } = ending!;
  const stored = (endingDetails ?? {}) as StoredResponse;
  const isComplete = "body" in stored || responses[status]?.kind === "empty";
  const identityBody =
    identifiedBy !== undefined && identity !== undefined ? { [identifiedBy]: identity } : undefined;
  return {
    status,
    body: isComplete ? stored.body : identityBody,
    headers: stored.headers ?? {},
    total: undefined,
    requestId,
    attempts: 0,
    violations: [...(stored.violations ?? []), ...(isComplete ? [] : [bodyNotStored])],
    journal: replayNoteOf(entry),
  };
}

const bodyNotStored: Violation = {
  field: "",
  message: "The journal stores only the identifier of this response",
};

const processDied = "The process that made this call ended before the outcome was known.";

/** Puts the remark before the words of the earlier error, which begin with the operation. */
function addReplayRemark(words: string, { id, operation }: Entry): string {
  const prefix = `${operation}: `;
  const outcome = words.startsWith(prefix) ? words.slice(prefix.length) : words;
  return (
    `${prefix}Nothing was sent now. This repeats the outcome of the earlier call with this key ` +
    `(journal entry ${id}): ${outcome}`
  );
}

/** Recreates the error of an earlier call. It is not retryable: the same key never succeeds. */
function toError(operation: Declaration, entry: Entry): FxdeskError {
  const { ending, endingDetails, state } = entry;
  const {
    name,
    message,
    service,
    violations,
    remark: recoveryRemark,
    note = recoveryRemark,
  } = (endingDetails ?? {}) as StoredError;
  const { status, requestId, code } = ending!;
  const facts = {
    operation: operation.name,
    status,
    service,
    requestId,
    violations,
    journal: replayNoteOf(entry),
  };
  if (state === "unknown") {
    const lost =
      message ?? unreadableResponseError(operation, processDied, { attempts: 0, sent: true }).message;
    const words = note === undefined ? lost : `${lost} ${note}`;
    return new errors.OutcomeUnknown(addReplayRemark(words, entry), {
      ...facts,
      code: "outcome_unknown",
      outcome: "unknown",
    });
  }
  const type = ((errors as Readonly<Record<string, unknown>>)[name ?? ""] ?? FxdeskError) as ErrorClass;
  const words = message ?? `${operation.name}: The service refused the call${note ? ` (${note})` : ""}.`;
  return new type(addReplayRemark(words, entry), {
    ...facts,
    code: (code ?? "refused") as errors.ErrorCode,
    outcome: "rejected",
  });
}

/** Returns the recorded response or throws the recorded error. The entry must be final or `unknown`, not `not-sent`. */
export function replay(operation: Declaration, entry: Entry): ServiceResponse {
  if (entry.state === "done") return toResponse(operation, entry);
  throw toError(operation, entry);
}
