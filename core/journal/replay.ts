/** What a call ended with: as the journal keeps it, and as it is given back to who makes the same call again. */
import { unreadableResponseError } from "../client/call-errors";
import type { ServiceResponse } from "../client/response";
import { resourceIdentity } from "../declaration/created-resources";
import type { Declaration } from "../declaration/operation";
import type { Violation } from "../declaration/violation";
import * as errors from "../errors";
import { FxdeskError, type JournalNote, type ServiceMessage } from "../errors";
import { type EntryOutcome, type Entry, referenceHint } from "./entry";

type ErrorClass = new (...given: ConstructorParameters<typeof FxdeskError>) => FxdeskError;

/** What is kept beside the chain of a response. */
interface StoredResponse {
  readonly body?: unknown;
  readonly headers?: ServiceResponse["headers"];
  readonly violations?: readonly Violation[];
}

/** What is kept beside the chain of an error, and of what a person says in the place of one. */
interface StoredError {
  readonly name?: string;
  readonly message?: string;
  readonly service?: ServiceMessage;
  readonly violations?: readonly Violation[];
  /** Of who found out, or of a person. */
  readonly remark?: string;
  readonly note?: string;
}

/** A file is read once, by who asked for it. */
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

/** How the call of an entry failed. Where its outcome is unknown, the ending says what to look for, before anybody does. */
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

const journalNoteOf = ({ id, reference, ending }: Entry): JournalNote => ({
  entry: id,
  replayed: true,
  ...(reference !== undefined && { reference }),
  ...(ending?.by === "recovery" && ending.state === "done" && { recovered: true }),
});

/** The response without what was not kept, or was erased: then what identifies it is all that is known. */
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
    journal: journalNoteOf(entry),
  };
}

const bodyNotStored: Violation = {
  field: "",
  message: "The journal has no more of this response than what identifies it",
};

const processDied = "Who made this call ended before the outcome was known.";

const appendReplayRemark = (words: string, { id }: Entry) =>
  `${words} This is what became of the earlier call with this key (journal entry ${id}); nothing was sent now.`;

/** The error of an earlier call, as the same error; none of it may succeed under the same key. */
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
    journal: journalNoteOf(entry),
  };
  if (state === "unknown") {
    const lost =
      message ?? unreadableResponseError(operation, processDied, { attempts: 0, sent: true }).message;
    const words = note === undefined ? lost : `${lost} ${note}`;
    return new errors.OutcomeUnknown(appendReplayRemark(words, entry), {
      ...facts,
      code: "outcome_unknown",
      outcome: "unknown",
    });
  }
  const type = ((errors as Readonly<Record<string, unknown>>)[name ?? ""] ?? FxdeskError) as ErrorClass;
  const words = message ?? `${operation.name}: The service refused the call${note ? ` (${note})` : ""}.`;
  return new type(appendReplayRemark(words, entry), {
    ...facts,
    code: (code ?? "refused") as errors.ErrorCode,
    outcome: "rejected",
  });
}

/** What an entry ended with that is neither open nor `not-sent`: its response, or the error, which is thrown. */
export function replay(operation: Declaration, entry: Entry): ServiceResponse {
  if (entry.state === "done") return toResponse(operation, entry);
  throw toError(operation, entry);
}
