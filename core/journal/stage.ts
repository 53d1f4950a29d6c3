/**
 * The journal round the calls of one client that commit money: the intent is on disk before a call waits for anything, that it
 * leaves before its head is written, and how it ended before its caller hears of it.
 */
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { customerIn } from "../declaration/service";
import type { CallState } from "../client/call-state";
import { outcomeLine } from "../client/outcome-line";
import type { Connection } from "../client/connection";
import { haltedCall } from "../client/halts";
import { actorOf } from "../client/prepare";
import { type PreparedCall, usualKey } from "../client/prepared-call";
import type { ServiceResponse } from "../client/response";
import { Aborted, Conflict, FxdeskError, type JournalNote, Timeout, Unavailable } from "../errors";
import { Halted } from "../store/halt";
import { shownPlace } from "../store/settings";
import { DeadlineEnded } from "../transport/deadline";
import { EntryRefusal } from "./by-person";
import { Endings } from "./endings";
import { type Claim, type Ending, type Entry, type Intent, isUndone, type Journal } from "./entry";
import { environmentOf, inquiryOf, isInReach, type Sending, scopesOf } from "./service-inquiry";
import { openJournal } from "./journal";
import { type LookResult, Recoverer } from "./recoverer";
import { endingOfError, endingOfResponse, replayed, responseOf } from "./replay";
import { termsOf } from "./terms";

/** What is left of a claim when the call's own limits are over: time to say how it ended. */
const marginMs = 5_000;
/** How long the end of a client waits for endings that the store could not take so far. */
const closeMs = 5_000;

/** Sends the call; throws nothing but an FxdeskError. */
type Send = (state: CallState) => Promise<ServiceResponse>;

/** On a server the user of the operating system is nobody who asks for anything. */
function userOf(surface: string): string | undefined {
  if (surface !== "client" && surface !== "cli") return undefined;
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

/** The caller's key, or what is used only once; else one that no other call has. */
function keyOf(call: PreparedCall): Pick<Intent, "key" | "hasUsualKey"> {
  const { key } = call.options;
  if (key !== undefined) return { key };
  const usual = usualKey(call);
  return usual === undefined ? { key: randomUUID() } : { key: usual, hasUsualKey: true };
}

function intentOf(call: PreparedCall, connection: Connection): Intent {
  const { service } = connection;
  const { operation, address, target, headers, body, options, values } = call;
  const { recovery } = operation;
  const reference = recovery?.kind === "listed" ? values[recovery.reference] : undefined;
  const { surface = "client" } = options;
  return {
    environment: environmentOf(connection, operation)!,
    client: customerIn(service, values),
    operation: operation.name,
    ...keyOf(call),
    terms: termsOf(call),
    surface,
    reference: reference === undefined ? undefined : String(reference),
    details: {
      actor: actorOf(connection, options) ?? userOf(surface),
      call: { method: operation.method, address, target, headers, ...(body !== undefined && { body }) },
    },
  };
}

const noteOf = ({ id, reference }: Entry): JournalNote => ({
  entry: id,
  replayed: false,
  ...(reference !== undefined && { reference }),
});

/** What became of a call that is not the one that is asked for now. */
function becameOf({ state, ending }: Entry): string {
  if (isUndone({ state })) return "it was not carried out";
  if (state === "done") return `it was carried out${ending?.identity ? ` (${ending.identity})` : ""}`;
  return "it is not known whether it was carried out";
}

function otherTerms(call: PreparedCall, entry: Entry): FxdeskError {
  const { operation, key, id, begunAt } = entry;
  const name = call.options.key === undefined ? call.operation.singleUse : "key";
  return new Conflict(
    `${operation}: The ${name} ${JSON.stringify(key)} stands for another call, of ${new Date(begunAt).toISOString()}, which ` +
      `asked for something else (journal entry ${id}): ${becameOf(entry)}. ` +
      "Nothing was sent now. Made under another key, this one may come on top.",
    { operation, code: "conflict", outcome: "not-sent", journal: { entry: id, replayed: false } },
  );
}

/** The same call is being made, and nobody waits any longer for what becomes of it. */
function underWay(entry: Entry, cause: unknown): FxdeskError {
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
      journal: noteOf(entry),
      cause,
    },
  );
}

interface Opened {
  readonly journal: Journal;
  readonly endings: Endings;
  readonly recoverer: Recoverer;
}

/** A call that was found is what its caller gets, as if its response had come. */
function foundResponse({ call, attempts }: CallState, entry: Entry): ServiceResponse {
  const response = replayed(call.operation, entry);
  return { ...response, attempts, journal: { ...noteOf(entry), recovered: true } };
}

export class JournalStage {
  #opened: Promise<Opened> | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly sending: Sending,
  ) {}

  /**
   * Sends a call, unless the journal has what became of it: then that is given back. Of those that race on one key one is
   * sent, and the others wait for its outcome as long as they may.
   */
  async call(state: CallState, send: Send): Promise<ServiceResponse> {
    const { operation } = state.call;
    const intent = intentOf(state.call, this.connection);
    for (;;) {
      const { kind, entry } = await this.#claim(state, intent);
      if (kind === "mine") return this.#make(state, entry, send);
      if (kind === "other-terms") throw otherTerms(state.call, entry);
      const ended = kind === "ended" ? entry : await this.#ended(state, entry);
      if (ended.state === "not-sent") continue;
      state.deadline.release();
      return replayed(operation, await this.#found(state, ended, false));
    }
  }

  /** Looks now for what became of a call, or of all whose outcome is not known. */
  async recover(id: string | undefined): Promise<LookResult[]> {
    // Looks alone do not keep the process alive.
    const alive = setInterval(() => undefined, 60_000);
    try {
      return await this.#recover(id);
    } finally {
      clearInterval(alive);
    }
  }

  async #recover(id: string | undefined): Promise<LookResult[]> {
    const { journal, recoverer } = await this.#open();
    if (id === undefined) return recoverer.lookForAll();
    const entry = await journal.get(id);
    if (!entry) throw new EntryRefusal(`There is no journal entry ${id}.`);
    if (entry.state !== "unknown")
      throw new EntryRefusal(`Journal entry ${id} is ${entry.state}: what became of it is known.`);
    if (!isInReach(entry, this.connection))
      throw new EntryRefusal(
        `Journal entry ${id} is a call of ${entry.operation} at ${entry.environment}, which this connection cannot look for.`,
      );
    return [await recoverer.lookNow(entry)];
  }

  /** Waits for endings that are not on disk yet, as long as that makes sense. */
  async close(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.recoverer.stop();
    await opened?.endings.close(closeMs);
    await opened?.journal.close();
  }

  #open(): Promise<Opened> {
    this.#opened ??= openJournal(this.connection.store).then(
      (journal) => this.#with(journal),
      (error: unknown) => {
        this.#opened = undefined;
        throw error;
      },
    );
    return this.#opened;
  }

  /** From now on what became of calls is looked for. */
  #with(journal: Journal): Opened {
    const { connection, sending } = this;
    const recoverer = new Recoverer(journal, inquiryOf(connection, sending), (operation, entry) =>
      connection.onRecovered(outcomeLine(operation, responseOf(operation, entry))),
    );
    for (const scope of scopesOf(connection)) recoverer.lookInBackground(scope);
    return { journal, endings: new Endings(journal), recoverer };
  }

  /** The entry as it is once it was looked for, as long as its caller waits. */
  async #found({ call }: CallState, entry: Entry, isOwn: boolean): Promise<Entry> {
    if (entry.state !== "unknown") return entry;
    const { recoverer } = await this.#open();
    return recoverer.untilFound(entry, isOwn, call.options.signal);
  }

  async #claim(state: CallState, intent: Intent): Promise<Claim> {
    const { queueTimeoutMs = this.connection.queueTimeoutMs, timeoutMs = this.connection.timeoutMs } =
      state.call.options;
    const claiming = this.#open().then(({ journal }) =>
      journal.claim(intent, queueTimeoutMs + timeoutMs + marginMs),
    );
    try {
      return await state.deadline.race(claiming);
    } catch (error) {
      // Where it comes too late, nobody makes the call.
      void claiming.then(
        ({ kind, entry }) => (kind === "mine" ? this.#write(entry, neverMade) : undefined),
        () => undefined,
      );
      throw this.#asFailure(state, error);
    }
  }

  async #make(state: CallState, entry: Entry, send: Send): Promise<ServiceResponse> {
    const { journal, recoverer } = await this.#open();
    recoverer.lookInBackground(entry);
    let recorded: Promise<void> = Promise.resolve();
    const note = noteOf(entry);
    state.journal = note;
    // Named before it is assigned: see `Exchange`.
    const beforeHead = () => {
      recorded = journal.recordSent(entry, state.guard);
      return recorded.catch((error: unknown) => {
        throw this.#asFailure(state, error);
      });
    };
    state.beforeHead = beforeHead;
    let response: ServiceResponse;
    try {
      response = await send(state);
    } catch (error) {
      const written = await this.#write(entry, endingOfError(error as FxdeskError, entry), recorded);
      const found = written?.state === "unknown" ? await this.#found(state, written, true) : undefined;
      if (found?.state === "done") return foundResponse(state, found);
      throw Object.assign(error as FxdeskError, { journal: note });
    }
    await this.#write(entry, endingOfResponse(state.call.operation, response), recorded);
    return Object.assign(response, { journal: note });
  }

  /** The entry with its ending; undefined where that is not on disk yet. */
  async #write(
    entry: Entry,
    ending: Ending,
    before: Promise<unknown> = Promise.resolve(),
  ): Promise<Entry | undefined> {
    return (await this.#open()).endings.write(entry, ending, before);
  }

  /** How the call ends that somebody else makes. */
  async #ended({ deadline }: CallState, entry: Entry): Promise<Entry> {
    const { journal } = await this.#open();
    try {
      return await deadline.waitFor<Entry>((resolve, reject) => {
        const stop = new AbortController();
        journal.untilEnded(entry.id, stop.signal).then(resolve, reject);
        return () => stop.abort();
      });
    } catch (error) {
      throw underWay(entry, error);
    }
  }

  /** The store does not do what it must before a call may leave. */
  #asFailure({ call, journal }: CallState, error: unknown): unknown {
    if (error instanceof DeadlineEnded || error instanceof FxdeskError) return error;
    if (error instanceof Halted) return haltedCall(call.operation, error);
    const { secrets, store } = this.connection;
    const cause = secrets.redactError(error);
    return new Unavailable(
      `${call.operation.name}: The journal cannot be written (${cause.message}), and no call that commits money leaves ` +
        `without it. Nothing was sent. The journal is in the store, ${shownPlace(store.place)}; fxdesk store check looks ` +
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

const neverMade: Ending = { state: "not-sent", by: "call", code: "timeout", details: {} };
