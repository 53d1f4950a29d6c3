/**
 * Idempotency of the money calls of one client. The intent is stored before the call waits for anything, `sent` before the
 * first byte is written, and the outcome before the caller receives it.
 */
import { createHash, randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { customerFromValues } from "../spec/service";
import { repeatRefusedError } from "../call/call-errors";
import { formatOutcomeLine } from "../call/outcome-line";
import { type ClientContext, environmentOf } from "../call/client-context";
import { haltedError } from "../call/halt-checker";
import { type CallRequest, type Handler, withBeforeWrite } from "../call/middleware";
import { actorOf } from "../call/prepare";
import {
  chosenKeyOf,
  defaultKeyOf,
  earlierCallWarning,
  keyNameOf,
  type PreparedCall,
} from "../call/prepared-call";
import type { ServiceResponse } from "../call/response";
import {
  Aborted,
  Conflict,
  createError,
  FxdeskError,
  type JournalNote,
  Timeout,
  Unavailable,
} from "../spec/errors";
import { Halted } from "../store/halt";
import { redactLocation } from "../store/settings";
import { type Deadline, DeadlineEnded } from "../http/deadline";
import { canonicalJson } from "../values/json";
import { hasEnded } from "./entry-rows";
import { EntryRefusal } from "./operator-actions";
import { OutcomeWriter } from "./outcome-writer";
import { outcomeOfEntry } from "./call-outcome";
import { type Claim, type EntryOutcome, type Entry, type Intent, isNotExecuted } from "./entry";
import { createOutcomeLookup, isInScope, scopesOf } from "./outcome-lookup";
import { type Journal, openJournal } from "./journal";
import { type RecoveryResult, Recoverer } from "./recoverer";
import {
  journalNoteOf,
  mayAnswerRepeat,
  outcomeOfError,
  outcomeOfRepeat,
  outcomeOfResponse,
  replay,
  toResponse,
} from "./replay";
import { StoreRestored, uncheckedError } from "./restore-state";
import { ClaimLost } from "./transitions";

/** Added to a call's own limits when its claim is stored: time to record the outcome. */
const marginMs = 5_000;
/** Limit for writing pending outcomes when the client closes. */
const closeTimeoutMs = 5_000;

/** Returns the user of the operating system. On a server, that user is not the caller. */
function osUserOf(surface: string): string | undefined {
  if (surface !== "client" && surface !== "cli") return undefined;
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** Returns the caller's key, else the value of a single-use field, else a random key. */
function keyOf(call: PreparedCall): Pick<Intent, "key" | "hasImplicitKey"> {
  const { key } = call.options;
  if (key !== undefined) return { key };
  const usual = defaultKeyOf(call);
  return usual === undefined ? { key: randomUUID() } : { key: usual, hasImplicitKey: true };
}

/**
 * Returns the SHA-256 of the caller's input, without values from the connection and generated values. It detects a key that is
 * reused for another call.
 */
function hashTerms({ operation, given }: PreparedCall): string {
  const { method, path } = operation;
  return createHash("sha256").update(canonicalJson({ method, path, given })).digest("hex");
}

function intentOf(call: PreparedCall, context: ClientContext): Intent {
  const { service } = context;
  const { operation, address, target, headers, body, options, values } = call;
  const { recovery } = operation;
  const reference = recovery?.kind === "listed" ? values[recovery.reference] : undefined;
  const { surface = "client" } = options;
  const quoted = context.quotes.tradeOf(call);
  return {
    environment: environmentOf(context, operation)!,
    client: customerFromValues(service, values),
    operation: operation.name,
    ...keyOf(call),
    terms: hashTerms(call),
    surface,
    reference: reference === undefined ? undefined : String(reference),
    singleUse: defaultKeyOf(call),
    details: {
      actor: actorOf(context, options) ?? osUserOf(surface),
      call: {
        method: operation.method,
        address,
        target,
        headers,
        ...(body !== undefined && { body }),
        ...(quoted && { quoted, quotedRate: context.quotes.rateOf(call) }),
      },
    },
  };
}

/** True if a repeated call has the same reference, under which the service lists it. */
const isFoundAgain = (call: PreparedCall): boolean =>
  call.operation.recovery?.kind === "listed" &&
  (call.given[call.operation.recovery.reference] !== undefined || chosenKeyOf(call) !== undefined);

/** Creates the error of a call whose key or single-use value belongs to another one. Requesters see only their own calls. */
function keyConflictError(call: PreparedCall, entry: Entry, context: ClientContext): FxdeskError {
  const { operation, key, id, begunAt, intent } = entry;
  const { options } = call;
  const isKey = key === chosenKeyOf(call);
  const name = isKey ? keyNameOf(call) : call.operation.singleUseField;
  const isPrivate = context.settings.policy !== undefined || options.requester !== undefined;
  const isHidden = isPrivate && intent?.actor !== actorOf(context, options);
  const earlier = isHidden ? undefined : outcomeOfEntry(context.service, entry);
  return new Conflict(
    `${operation}: The ${name} ${JSON.stringify(isKey ? key : entry.singleUse)} was already used at ${new Date(begunAt).toISOString()} for a call ` +
      `with other terms${isHidden ? " of another requester" : ` (journal entry ${id})`}. ${earlier ? `${earlier.description} ` : ""}` +
      `Nothing was sent now. If you send this call with another ${name}, both calls may be carried out.`,
    {
      operation,
      code: "conflict",
      outcome: "not-sent",
      ...(earlier && { journal: { entry: id, replayed: false }, earlier }),
    },
  );
}

function inFlightError(entry: Entry, cause: unknown, storeReason = ""): FxdeskError {
  const { operation, id } = entry;
  const isAborted = cause instanceof DeadlineEnded && cause.by === "caller";
  return new (isAborted ? Aborted : Timeout)(
    `${operation}: Another process is making this call, and its outcome is not known yet (journal entry ${id}). ` +
      `${storeReason}Nothing was sent now. Repeat the call with the same key to get its outcome.`,
    {
      operation,
      code: isAborted ? "aborted" : "timeout",
      outcome: "unknown",
      retryable: !isAborted,
      journal: journalNoteOf(entry, false),
      cause,
    },
  );
}

type OwnClaim = Extract<Claim, { readonly kind: "mine" }>;

interface OpenedJournal {
  readonly journal: Journal;
  readonly outcomeWriter: OutcomeWriter;
  readonly recoverer: Recoverer;
}

/** Returns the recovered response, as if the response had arrived. */
function recoveredResponse({ call, progress }: CallRequest, entry: Entry): ServiceResponse {
  const response = replay(call.operation, entry);
  return {
    ...response,
    attempts: progress.attempts,
    journal: { ...journalNoteOf(entry, false), recovered: true },
  };
}

export class IdempotencyMiddleware {
  #opened: Promise<OpenedJournal> | undefined;

  /** `send` makes the calls of the recovery, which pass no other middleware. */
  constructor(
    private readonly context: ClientContext,
    private readonly send: Handler,
  ) {}

  /**
   * Middleware: sends a money call, or returns the recorded outcome of its key. If several calls race for one key, one is sent
   * and the others wait for its outcome within their limits.
   */
  async sendOnce(request: CallRequest, next: Handler): Promise<ServiceResponse> {
    const { call, deadline } = request;
    const intent = intentOf(call, this.context);
    for (;;) {
      const claimed = await this.#claim(request, intent);
      if (claimed.kind === "mine") {
        const earlier = await this.#findEarlierCall(request, claimed);
        return earlier ?? (await this.#execute(request, claimed, next));
      }
      const { kind, entry } = claimed;
      if (kind === "other-terms" || this.#isOfAnother(entry, intent, call))
        throw keyConflictError(call, entry, this.context);
      const ended = kind === "ended" ? entry : await this.#awaitOtherProcess(deadline, entry);
      if (ended.state === "not-sent") continue;
      return replay(call.operation, await this.#awaitRecovery(ended, call.options.signal, false));
    }
  }

  /** True if requesters are authenticated and the entry belongs to another one. */
  #isOfAnother({ intent: earlier }: Entry, { details }: Intent, { options }: PreparedCall): boolean {
    const areAuthenticated = this.context.settings.policy !== undefined || options.requester !== undefined;
    return areAuthenticated && earlier !== undefined && earlier.actor !== details.actor;
  }

  /**
   * Returns the response of the caller's earlier call under the same key, or undefined if none may have been carried out. Throws
   * an FxdeskError as a repeated call does.
   */
  async findEarlierResponse(call: PreparedCall): Promise<ServiceResponse | undefined> {
    if (chosenKeyOf(call) === undefined) return undefined;
    const { terms, details, ...key } = intentOf(call, this.context);
    const entry = await this.#open()
      .then(({ journal }) => journal.find({ ...key, terms }))
      .catch((error: unknown) => {
        throw this.#notSentError(call, error, earlierCallWarning(call));
      });
    const isOwn = entry?.terms === terms && (!entry.intent || entry.intent.actor === details.actor);
    if (!entry || !isOwn || isNotExecuted(entry)) return undefined;
    if (!hasEnded(entry.state)) throw inFlightError(entry, undefined);
    return replay(call.operation, await this.#awaitRecovery(entry, call.options.signal, false));
  }

  /** Searches now for the outcome of one call, or of all calls whose outcome is unknown. */
  async recover(id: string | undefined): Promise<RecoveryResult[]> {
    // The searches use unref'd timers, so keep the process alive here.
    const alive = setInterval(() => undefined, 60_000);
    try {
      const { journal, recoverer } = await this.#open();
      if (id === undefined) return await recoverer.recoverAll();
      const entry = await journal.get(id);
      if (!entry) throw new EntryRefusal(`Journal entry ${id} does not exist.`);
      if (entry.state !== "unknown")
        throw new EntryRefusal(`Journal entry ${id} is ${entry.state}: its outcome is known.`);
      if (!isInScope(entry, this.context))
        throw new EntryRefusal(
          `Journal entry ${id} is a call of ${entry.operation} at ${entry.environment}, which this connection cannot recover.`,
        );
      return [await recoverer.recoverNow(entry)];
    } finally {
      clearInterval(alive);
    }
  }

  /** Waits a limited time for outcomes that are not stored yet, then closes the journal. */
  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.recoverer.stop();
    await opened?.outcomeWriter.close(closeTimeoutMs);
    await opened?.journal.close();
  }

  #open(): Promise<OpenedJournal> {
    this.#opened ??= openJournal(this.context.store).then(
      (journal) => this.#start(journal),
      (error: unknown) => {
        this.#opened = undefined;
        throw error;
      },
    );
    return this.#opened;
  }

  /** Starts background recovery. */
  #start(journal: Journal): OpenedJournal {
    const { context, send } = this;
    const recoverer = new Recoverer(journal, createOutcomeLookup(context, send), (operation, entry) =>
      context.onRecovered(formatOutcomeLine(operation, toResponse(operation, entry))),
    );
    for (const scope of scopesOf(context)) recoverer.recoverInBackground(scope);
    return { journal, outcomeWriter: new OutcomeWriter(journal), recoverer };
  }

  /** Searches for the outcome while the caller waits. Returns the latest entry. */
  async #awaitRecovery(entry: Entry, signal: AbortSignal | undefined, isOwn: boolean): Promise<Entry> {
    if (entry.state !== "unknown") return entry;
    const { recoverer } = await this.#open();
    return recoverer.waitForOutcome(entry, isOwn, signal);
  }

  async #claim({ call, deadline }: CallRequest, intent: Intent): Promise<Claim> {
    const { queueTimeoutMs = this.context.queueTimeoutMs, timeoutMs = this.context.timeoutMs } = call.options;
    const claiming = this.#open().then(({ journal }) =>
      journal.claim(intent, queueTimeoutMs + timeoutMs + marginMs),
    );
    try {
      return await deadline.race(claiming);
    } catch (error) {
      // If the claim arrives after the caller's limit, the call is not made.
      void claiming.then(
        ({ kind, entry }) => (kind === "mine" ? this.#recordOutcome(entry, notSentOutcome) : undefined),
        () => undefined,
      );
      throw this.#notSentError(call, error, earlierCallWarning(call));
    }
  }

  /** Returns the response of a call that was made before the store was restored. Throws if that cannot be decided. */
  async #findEarlierCall(
    request: CallRequest,
    { entry, uncheckedSince }: OwnClaim,
  ): Promise<ServiceResponse | undefined> {
    if (uncheckedSince === undefined) return undefined;
    const { call } = request;
    let outcome: EntryOutcome | undefined;
    try {
      if (!isFoundAgain(call)) throw uncheckedError("the service cannot look it up.");
      outcome = await (await this.#open()).recoverer.findEarlierCall(entry, uncheckedSince);
    } catch (error) {
      await this.#recordOutcome(entry, { ...notSentOutcome, code: "store_restored" });
      const { message } = this.context.secrets.redactError(error);
      const reason =
        error instanceof StoreRestored ? error : uncheckedError(`the look-up failed (${message}).`);
      throw this.#notSentError(call, reason, "", journalNoteOf(entry, false));
    }
    if (!outcome) return undefined;
    const { details: endingDetails, ...ending } = outcome;
    const recorded = await this.#recordOutcome(entry, outcome);
    return recoveredResponse(request, recorded ?? { ...entry, state: "done", ending, endingDetails });
  }

  /** Sends the call. It is recorded as sent before its first byte is written, and its outcome before this returns. */
  async #execute(
    request: CallRequest,
    { entry, uncheckedSince }: OwnClaim,
    next: Handler,
  ): Promise<ServiceResponse> {
    const { call, guard } = request;
    const { journal, recoverer } = await this.#open();
    recoverer.recoverInBackground(entry);
    const journalNote = journalNoteOf(entry, false);
    let recorded: Promise<void> = Promise.resolve();
    let isClaimLost = false;
    const recordSent = () => {
      recorded = journal.recordSent(entry, { guard, isLookedUp: uncheckedSince !== undefined });
      return recorded.catch((error: unknown) => {
        isClaimLost = error instanceof ClaimLost;
        throw this.#notSentError(call, error, earlierCallWarning(call), journalNote);
      });
    };
    let response: ServiceResponse;
    try {
      response = await next(withBeforeWrite(request, recordSent));
    } catch (error) {
      const failure = error as FxdeskError;
      const earlier = isClaimLost ? await this.findEarlierResponse(call) : undefined;
      if (earlier) return earlier;
      const { operation } = call;
      const isRepeat = mayAnswerRepeat(failure) && operation.recovery?.kind === "listed";
      const outcome = isRepeat ? outcomeOfRepeat(operation, failure, entry) : outcomeOfError(failure, entry);
      const written = await this.#recordOutcome(entry, outcome, recorded);
      // The service has answered, so a caller that stops waiting, for example at a deploy, gets an outcome as well.
      const signal = isRepeat ? undefined : call.options.signal;
      const found =
        written?.state === "unknown" ? await this.#awaitRecovery(written, signal, true) : undefined;
      if (found?.state === "done") return recoveredResponse(request, found);
      const isOpen = isRepeat && found?.state !== "rejected";
      throw Object.assign(isOpen ? repeatRefusedError(operation, failure) : failure, {
        journal: journalNote,
      });
    }
    await this.#recordOutcome(entry, outcomeOfResponse(call.operation, response), recorded);
    return Object.assign(response, { journal: journalNote });
  }

  /** Returns the entry with its outcome, or undefined if the outcome is not stored yet. */
  async #recordOutcome(
    entry: Entry,
    outcome: EntryOutcome,
    before: Promise<unknown> = Promise.resolve(),
  ): Promise<Entry | undefined> {
    return (await this.#open()).outcomeWriter.write(entry, outcome, before);
  }

  /** Waits for the outcome of a call that another process makes. */
  async #awaitOtherProcess(deadline: Deadline, entry: Entry): Promise<Entry> {
    const { journal } = await this.#open();
    try {
      return await deadline.waitFor<Entry>((resolve, reject) => {
        const stop = new AbortController();
        journal.waitForOutcome(entry.id, stop.signal).then(resolve, reject);
        return () => stop.abort();
      });
    } catch (error) {
      if (error instanceof DeadlineEnded) throw inFlightError(entry, error);
      const cause = this.context.secrets.redactError(error);
      throw inFlightError(entry, cause, `The journal could not be read (${cause.message}). `);
    }
  }

  /** Maps a failure of the store before sending to an error with the outcome `not-sent`. */
  #notSentError(
    { operation }: PreparedCall,
    error: unknown,
    warning: string,
    journal?: JournalNote,
  ): unknown {
    if (error instanceof FxdeskError) return error;
    if (error instanceof DeadlineEnded)
      return warning === "" ? error : new DeadlineEnded(error.by, `${error.message} ${warning}`.trim());
    if (error instanceof Halted) return haltedError(operation, error);
    if (error instanceof StoreRestored)
      return createError(
        operation.name,
        "store_restored",
        "not-sent",
        `${operation.name}: Nothing was sent. ${error.message}`,
      );
    const { secrets, store } = this.context;
    const cause = secrets.redactError(error);
    return new Unavailable(
      `${operation.name}: Nothing was sent, because the journal in ${redactLocation(store.location)} could not be written ` +
        `(${cause.message}). ${warning}Check the store with \`fxdesk store check\`; FXDESK_STORE sets its location.`,
      {
        operation: operation.name,
        code: "unavailable",
        outcome: "not-sent",
        retryable: true,
        journal,
        cause,
      },
    );
  }
}

const notSentOutcome: EntryOutcome = { state: "not-sent", by: "call", code: "timeout", details: {} };
