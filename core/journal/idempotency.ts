/**
 * The journal round the calls of one client that commit money: the intent is on disk before a call waits for anything, that it
 * leaves before its head is written, and how it ended before its caller hears of it.
 */
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { customerFromValues } from "../declaration/service";
import type { CallContext } from "../client/call-context";
import { formatOutcomeLine } from "../client/outcome-line";
import type { ClientContext } from "../client/client-context";
import { haltedError } from "../client/halt-checker";
import { actorOf } from "../client/prepare";
import { type PreparedCall, defaultKeyOf } from "../client/prepared-call";
import type { ServiceResponse } from "../client/response";
import { Aborted, Conflict, FxdeskError, type JournalNote, Timeout, Unavailable } from "../errors";
import { Halted } from "../store/halt";
import { redactLocation } from "../store/settings";
import { DeadlineEnded } from "../transport/deadline";
import { EntryRefusal } from "./operator-actions";
import { OutcomeWriter } from "./outcome-writer";
import { type Claim, type EntryOutcome, type Entry, type Intent, isNotExecuted, type Journal } from "./entry";
import { environmentOf, createOutcomeLookup, isInScope, type CallSender, scopesOf } from "./outcome-lookup";
import { openJournal } from "./journal";
import { type RecoveryResult, Recoverer } from "./recoverer";
import { outcomeOfError, outcomeOfResponse, replay, toResponse } from "./replay";
import { hashTerms } from "./terms-hash";

/** What is left of a claim when the call's own limits are over: time to say how it ended. */
const marginMs = 5_000;
/** How long the end of a client waits for endings that the store could not take so far. */
const closeTimeoutMs = 5_000;

/** Sends the call; throws nothing but an FxdeskError. */
type SendCall = (state: CallContext) => Promise<ServiceResponse>;

/** On a server the user of the operating system is nobody who asks for anything. */
function osUserOf(surface: string): string | undefined {
  if (surface !== "client" && surface !== "cli") return undefined;
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** The caller's key, or what is used only once; else one that no other call has. */
function keyOf(call: PreparedCall): Pick<Intent, "key" | "hasImplicitKey"> {
  const { key } = call.options;
  if (key !== undefined) return { key };
  const usual = defaultKeyOf(call);
  return usual === undefined ? { key: randomUUID() } : { key: usual, hasImplicitKey: true };
}

function intentOf(call: PreparedCall, context: ClientContext): Intent {
  const { service } = context;
  const { operation, address, target, headers, body, options, values } = call;
  const { recovery } = operation;
  const reference = recovery?.kind === "listed" ? values[recovery.reference] : undefined;
  const { surface = "client" } = options;
  return {
    environment: environmentOf(context, operation)!,
    client: customerFromValues(service, values),
    operation: operation.name,
    ...keyOf(call),
    terms: hashTerms(call),
    surface,
    reference: reference === undefined ? undefined : String(reference),
    details: {
      actor: actorOf(context, options) ?? osUserOf(surface),
      call: { method: operation.method, address, target, headers, ...(body !== undefined && { body }) },
    },
  };
}

const journalNoteOf = ({ id, reference }: Entry): JournalNote => ({
  entry: id,
  replayed: false,
  ...(reference !== undefined && { reference }),
});

/** What became of a call that is not the one that is asked for now. */
function describeOutcome({ state, ending }: Entry): string {
  if (isNotExecuted({ state })) return "it was not carried out";
  if (state === "done") return `it was carried out${ending?.identity ? ` (${ending.identity})` : ""}`;
  return "it is not known whether it was carried out";
}

function keyConflictError(call: PreparedCall, entry: Entry): FxdeskError {
  const { operation, key, id, begunAt } = entry;
  const name = call.options.key === undefined ? call.operation.singleUseField : "key";
  return new Conflict(
    `${operation}: The ${name} ${JSON.stringify(key)} stands for another call, of ${new Date(begunAt).toISOString()}, which ` +
      `asked for something else (journal entry ${id}): ${describeOutcome(entry)}. ` +
      "Nothing was sent now. Made under another key, this one may come on top.",
    { operation, code: "conflict", outcome: "not-sent", journal: { entry: id, replayed: false } },
  );
}

/** The same call is being made, and nobody waits any longer for what becomes of it. */
function inFlightError(entry: Entry, cause: unknown): FxdeskError {
  const { operation, id } = entry;
  const isAborted = cause instanceof DeadlineEnded && cause.by === "caller";
  return new (isAborted ? Aborted : Timeout)(
    `${operation}: Another process is making this call, and its outcome is not known yet (journal entry ${id}). ` +
      "Nothing was sent now. The same call with the same key tells the outcome later.",
    {
      operation,
      code: isAborted ? "aborted" : "timeout",
      outcome: "unknown",
      retryable: !isAborted,
      journal: journalNoteOf(entry),
      cause,
    },
  );
}

interface OpenedJournal {
  readonly journal: Journal;
  readonly outcomeWriter: OutcomeWriter;
  readonly recoverer: Recoverer;
}

/** A call that was found is what its caller gets, as if its response had come. */
function recoveredResponse({ call, attempts }: CallContext, entry: Entry): ServiceResponse {
  const response = replay(call.operation, entry);
  return { ...response, attempts, journal: { ...journalNoteOf(entry), recovered: true } };
}

export class IdempotencyMiddleware {
  #opened: Promise<OpenedJournal> | undefined;

  constructor(
    private readonly context: ClientContext,
    private readonly sender: CallSender,
  ) {}

  /**
   * Sends a call, unless the journal has what became of it: then that is given back. Of those that race on one key one is
   * sent, and the others wait for its outcome as long as they may.
   */
  async call(state: CallContext, send: SendCall): Promise<ServiceResponse> {
    const { operation } = state.call;
    const intent = intentOf(state.call, this.context);
    for (;;) {
      const { kind, entry } = await this.#claim(state, intent);
      if (kind === "mine") return this.#execute(state, entry, send);
      if (kind === "other-terms") throw keyConflictError(state.call, entry);
      const ended = kind === "ended" ? entry : await this.#awaitOtherProcess(state, entry);
      if (ended.state === "not-sent") continue;
      state.deadline.release();
      return replay(operation, await this.#awaitRecovery(state, ended, false));
    }
  }

  /** Looks now for what became of a call, or of all whose outcome is not known. */
  async recover(id: string | undefined): Promise<RecoveryResult[]> {
    // Looks alone do not keep the process alive.
    const alive = setInterval(() => undefined, 60_000);
    try {
      return await this.#recover(id);
    } finally {
      clearInterval(alive);
    }
  }

  async #recover(id: string | undefined): Promise<RecoveryResult[]> {
    const { journal, recoverer } = await this.#open();
    if (id === undefined) return recoverer.recoverAll();
    const entry = await journal.get(id);
    if (!entry) throw new EntryRefusal(`There is no journal entry ${id}.`);
    if (entry.state !== "unknown")
      throw new EntryRefusal(`Journal entry ${id} is ${entry.state}: what became of it is known.`);
    if (!isInScope(entry, this.context))
      throw new EntryRefusal(
        `Journal entry ${id} is a call of ${entry.operation} at ${entry.environment}, which this connection cannot look for.`,
      );
    return [await recoverer.recoverNow(entry)];
  }

  /** Waits for endings that are not on disk yet, as long as that makes sense. */
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

  /** From now on what became of calls is looked for. */
  #start(journal: Journal): OpenedJournal {
    const { context, sender } = this;
    const recoverer = new Recoverer(journal, createOutcomeLookup(context, sender), (operation, entry) =>
      context.onRecovered(formatOutcomeLine(operation, toResponse(operation, entry))),
    );
    for (const scope of scopesOf(context)) recoverer.recoverInBackground(scope);
    return { journal, outcomeWriter: new OutcomeWriter(journal), recoverer };
  }

  /** The entry as it is once it was looked for, as long as its caller waits. */
  async #awaitRecovery({ call }: CallContext, entry: Entry, isOwn: boolean): Promise<Entry> {
    if (entry.state !== "unknown") return entry;
    const { recoverer } = await this.#open();
    return recoverer.waitForOutcome(entry, isOwn, call.options.signal);
  }

  async #claim(state: CallContext, intent: Intent): Promise<Claim> {
    const { queueTimeoutMs = this.context.queueTimeoutMs, timeoutMs = this.context.timeoutMs } =
      state.call.options;
    const claiming = this.#open().then(({ journal }) =>
      journal.claim(intent, queueTimeoutMs + timeoutMs + marginMs),
    );
    try {
      return await state.deadline.race(claiming);
    } catch (error) {
      // Where it comes too late, nobody makes the call.
      void claiming.then(
        ({ kind, entry }) => (kind === "mine" ? this.#recordOutcome(entry, notSentOutcome) : undefined),
        () => undefined,
      );
      throw this.#toError(state, error);
    }
  }

  async #execute(state: CallContext, entry: Entry, send: SendCall): Promise<ServiceResponse> {
    const { journal, recoverer } = await this.#open();
    recoverer.recoverInBackground(entry);
    let recorded: Promise<void> = Promise.resolve();
    const journalNote = journalNoteOf(entry);
    state.journal = journalNote;
    // Named before it is assigned: see `Exchange`.
    const beforeWrite = () => {
      recorded = journal.recordSent(entry, state.guard);
      return recorded.catch((error: unknown) => {
        throw this.#toError(state, error);
      });
    };
    state.beforeWrite = beforeWrite;
    let response: ServiceResponse;
    try {
      response = await send(state);
    } catch (error) {
      const written = await this.#recordOutcome(entry, outcomeOfError(error as FxdeskError, entry), recorded);
      const found =
        written?.state === "unknown" ? await this.#awaitRecovery(state, written, true) : undefined;
      if (found?.state === "done") return recoveredResponse(state, found);
      throw Object.assign(error as FxdeskError, { journal: journalNote });
    }
    await this.#recordOutcome(entry, outcomeOfResponse(state.call.operation, response), recorded);
    return Object.assign(response, { journal: journalNote });
  }

  /** The entry with its ending; undefined where that is not on disk yet. */
  async #recordOutcome(
    entry: Entry,
    outcome: EntryOutcome,
    before: Promise<unknown> = Promise.resolve(),
  ): Promise<Entry | undefined> {
    return (await this.#open()).outcomeWriter.write(entry, outcome, before);
  }

  /** How the call ends that somebody else makes. */
  async #awaitOtherProcess({ deadline }: CallContext, entry: Entry): Promise<Entry> {
    const { journal } = await this.#open();
    try {
      return await deadline.waitFor<Entry>((resolve, reject) => {
        const stop = new AbortController();
        journal.waitForOutcome(entry.id, stop.signal).then(resolve, reject);
        return () => stop.abort();
      });
    } catch (error) {
      throw inFlightError(entry, error);
    }
  }

  /** The store does not do what it must before a call may leave. */
  #toError({ call, journal }: CallContext, error: unknown): unknown {
    if (error instanceof DeadlineEnded || error instanceof FxdeskError) return error;
    if (error instanceof Halted) return haltedError(call.operation, error);
    const { secrets, store } = this.context;
    const cause = secrets.redactError(error);
    return new Unavailable(
      `${call.operation.name}: The journal cannot be written (${cause.message}), and no call that commits money leaves ` +
        `without it. Nothing was sent. The journal is in the store, ${redactLocation(store.location)}; fxdesk store check looks ` +
        "through it, and FXDESK_STORE says where it is.",
      {
        operation: call.operation.name,
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
