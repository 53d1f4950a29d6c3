/** Recovers unknown outcomes: searches while the caller waits, then in the background until the call is found. */
import { once, setMaxListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { Declaration } from "../spec/operation";
import { FxdeskError } from "../spec/errors";
import type { EntryOutcome, Entry, RecoveryCandidate } from "./entry";
import type { Journal } from "./journal";
import type { CallScope } from "../store/call-scope";
import type { OutcomeLookup } from "./outcome-lookup";
import { type Finding, type ListPosition, searchByReference } from "./reference-search";
import { outcomeOfRefusal } from "./replay";
import { uncheckedError } from "./restore-state";

/** An entry after a search, with a remark on the search. */
export interface RecoveryResult {
  readonly entry: Entry;
  readonly remark: string;
  /** True if another search soon may find more: the service may lag, or another process is searching. */
  readonly isWorthRetrying: boolean;
}

/** Lease of an entry for one search. An expired lease means that its holder died. */
const leaseMs = 60_000;
/** Maximum delay of the caller by a search, and the pauses between its attempts. */
const waitTimeoutMs = 2_000;
const retryPausesMs = [200, 500, 1_000] as const;
/** Pauses between background searches: initial and maximum. */
const [initialPauseMs, maxPauseMs] = [1_000, 300_000];
/** Pause after a failure of the store or the service. */
const faultPauseMs = 30_000;
/** A service may have forgotten a request ID after this time. */
const maxResendAgeMs = 15 * 60_000;
/** Interval at which an unchanged finding is recorded again. */
const repeatRecordAfterMs = 3_600_000;

const pauseAfter = (attempts: number): number =>
  Math.min(initialPauseMs * 2 ** Math.min(attempts, 10), maxPauseMs);

const scopeKeyOf = ({ environment, client, operation }: CallScope): string =>
  JSON.stringify([environment, client, operation]);

/** Search details stored beside those of the call's own outcome. */
interface RecoveryDetails {
  readonly lastFinding?: Exclude<Finding["kind"], "found"> | "unread";
  readonly lookedAt?: number;
  readonly remark?: string;
  readonly resentAt?: number;
}

export const recoveryDetailsOf = ({ endingDetails }: Entry): RecoveryDetails =>
  (endingDetails ?? {}) as RecoveryDetails;

const stillUnknownOutcome = (entry: Entry, details: RecoveryDetails): EntryOutcome => ({
  ...entry.ending!,
  state: "unknown",
  by: "recovery",
  details: { ...entry.endingDetails, ...details },
});

/** True if the finding differs from the last recorded one, or that one is old. */
function isWorthRecording(entry: Entry, kind: RecoveryDetails["lastFinding"], now: number): boolean {
  const { lastFinding, lookedAt = 0 } = recoveryDetailsOf(entry);
  if (lastFinding === undefined) return true;
  return kind === "unread" ? false : lastFinding !== kind || now - lookedAt > repeatRecordAfterMs;
}

/** Entries of one scope that are searched for together. */
interface Batch {
  readonly entries: Map<string, Entry>;
  readonly results: Promise<ReadonlyMap<string, RecoveryResult>>;
}

/** A search that did not prove anything, also because the list could not be read. */
interface NoFinding {
  readonly kind: NonNullable<RecoveryDetails["lastFinding"]>;
  readonly remark: string;
  /** Default: only if nothing was found. */
  readonly isWorthRetrying?: boolean;
}

export class Recoverer {
  readonly #stop = new AbortController();
  /** The searches in progress, and the next ones, which entries can still join, by scope. */
  readonly #runningSearches = new Map<string, Promise<unknown>>();
  readonly #nextSearches = new Map<string, Batch>();
  readonly #scopes = new Map<string, CallScope>();
  readonly #positions = new Map<string, ListPosition>();
  /** Number of callers that wait for an entry, by entry ID. */
  readonly #waiters = new Map<string, number>();
  /** Scopes that this process has searched completely once. */
  readonly #scannedScopes = new Set<CallScope>();
  #timer: NodeJS.Timeout | undefined;
  #currentPass: Promise<void> | undefined;

  constructor(
    private readonly journal: Journal,
    private readonly lookup: OutcomeLookup,
    /** Called for each call that is found while no caller waits for it. */
    private readonly onFound: (operation: Declaration, entry: Entry) => void,
  ) {
    // Every search in progress listens to the signal.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Starts background recovery of a scope, including calls of other processes. */
  recoverInBackground({ environment, client, operation }: CallScope): void {
    const scope = { environment, client, operation };
    if (this.#scopes.has(scopeKeyOf(scope)) || !this.lookup.operation(operation)) return;
    this.#scopes.set(scopeKeyOf(scope), scope);
    this.#schedule(initialPauseMs);
  }

  /**
   * Searches for an `unknown` call while its caller waits and returns the entry as last known. Never throws. `isOwn`: this process
   * made the call, so no other process is searching for it yet.
   */
  async waitForOutcome(entry: Entry, isOwn: boolean, signal: AbortSignal | undefined): Promise<Entry> {
    if (!this.lookup.operation(entry.operation)) return entry;
    const timeoutController = new AbortController();
    // This timer keeps the process alive for the waiting caller; those of the searches do not.
    const timer = setTimeout(() => timeoutController.abort(), waitTimeoutMs);
    const waitSignal = AbortSignal.any([
      timeoutController.signal,
      this.#stop.signal,
      ...(signal ? [signal] : []),
    ]);
    const aborted = once(waitSignal, "abort").then(() => undefined);
    this.#countWaiter(entry.id, 1);
    let latest = entry;
    try {
      for (let attempt = 0; latest.state === "unknown" && !waitSignal.aborted; attempt += 1) {
        // If the store fails, the entry as last known is true.
        const attempted = this.#attemptOnce(latest, isOwn).catch(() => undefined);
        const result = await Promise.race([attempted, aborted]);
        latest = result?.entry ?? latest;
        if (latest.state !== "unknown" || !result?.isWorthRetrying) break;
        const pauseMs = retryPausesMs[Math.min(attempt, retryPausesMs.length - 1)];
        await wait(pauseMs, undefined, { signal: waitSignal }).catch(() => undefined);
      }
      return latest;
    } finally {
      clearTimeout(timer);
      this.#countWaiter(entry.id, -1);
      if (isOwn && latest.state === "unknown") void this.#deferToBackground(entry.id);
    }
  }

  /**
   * Searches for every unknown call of the journal, due or not. The last results are those that could not be searched for, with
   * the reason. Background recovery pauses meanwhile.
   */
  async recoverAll(): Promise<RecoveryResult[]> {
    while (this.#currentPass) await this.#currentPass;
    clearTimeout(this.#timer);
    const pass = this.#recoverEverything();
    this.#currentPass = pass.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await pass;
    } finally {
      this.#currentPass = undefined;
      this.#schedule(initialPauseMs);
    }
  }

  /** Searches for an entry now, unless another process is doing so. */
  async recoverNow(entry: Entry): Promise<RecoveryResult> {
    const candidate = await this.journal.leaseOne(entry.id, leaseMs);
    if (candidate) return this.#recoverLeased(candidate);
    const latest = (await this.journal.get(entry.id)) ?? entry;
    const isOpen = latest.state === "unknown";
    return { entry: latest, remark: isOpen ? inProgressRemark : "", isWorthRetrying: isOpen };
  }

  /** Aborts all searches. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("The client is closed."));
    clearTimeout(this.#timer);
    await this.#currentPass;
    await Promise.all(this.#runningSearches.values());
  }

  async #recoverEverything(): Promise<RecoveryResult[]> {
    const results: RecoveryResult[] = [];
    for (const scope of await this.journal.listUnknownScopes())
      if (this.lookup.reaches(scope)) results.push(...(await this.#recoverInBatches(scope)));
    const searched = new Set(results.map(({ entry }) => entry.id));
    const others = (await this.journal.listUnknown()).filter(({ entry }) => !searched.has(entry.id));
    return [
      ...results,
      ...others.map(({ entry, leasedUntil }) => ({
        entry,
        remark: this.lookup.reaches(entry) ? leasedRemark(leasedUntil) : outOfReachRemark(entry),
        isWorthRetrying: true,
      })),
    ];
  }

  async #recoverInBatches(scope: CallScope): Promise<RecoveryResult[]> {
    const results: RecoveryResult[] = [];
    for (let afterId = ""; ;) {
      const candidates = await this.journal.leaseUnknown(scope, { afterId }, leaseMs);
      if (candidates.length === 0) return results;
      results.push(...(await Promise.all(candidates.map((candidate) => this.#recoverLeased(candidate)))));
      afterId = candidates.map(({ entry }) => entry.id).reduce((one, other) => (one > other ? one : other));
    }
  }

  #countWaiter(id: string, change: 1 | -1): void {
    const count = (this.#waiters.get(id) ?? 0) + change;
    if (count === 0) this.#waiters.delete(id);
    else this.#waiters.set(id, count);
  }

  /** Retries only for the process's own call, or while another process searches. Other callers need one search. */
  async #attemptOnce(entry: Entry, isOwn: boolean): Promise<RecoveryResult> {
    if (isOwn) return this.#search(entry);
    const result = await this.recoverNow(entry);
    return { ...result, isWorthRetrying: result.remark === inProgressRemark };
  }

  /** Searches for a leased entry and reschedules it if the outcome stays unknown. */
  async #recoverLeased({ entry, attempts }: RecoveryCandidate): Promise<RecoveryResult> {
    let isOpen = true;
    try {
      const found = await this.#search(entry);
      isOpen = found.entry.state === "unknown";
      return found;
    } finally {
      if (isOpen) await this.journal.reschedule(entry.id, pauseAfter(attempts)).catch(() => undefined);
    }
  }

  async #deferToBackground(id: string): Promise<void> {
    await this.journal.reschedule(id, initialPauseMs).catch(() => undefined);
    this.#schedule(initialPauseMs);
  }

  #schedule(pauseMs: number): void {
    if (this.#stop.signal.aborted || this.#currentPass || this.#scopes.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#currentPass = this.#recoverAllScopes();
    }, pauseMs).unref();
  }

  async #recoverAllScopes(): Promise<void> {
    const pauses: number[] = [];
    for (const scope of this.#scopes.values()) {
      if (this.#stop.signal.aborted) return;
      pauses.push(await this.#recoverScope(scope).catch(() => faultPauseMs));
    }
    this.#currentPass = undefined;
    this.#schedule(Math.max(Math.min(...pauses), initialPauseMs / 2));
  }

  /** Searches the due entries, on the first pass of a process all entries. Returns the pause until the next pass. */
  async #recoverScope(scope: CallScope): Promise<number> {
    const due = await this.journal.leaseUnknown(
      scope,
      this.#scannedScopes.has(scope) ? "due" : { afterId: "" },
      leaseMs,
    );
    this.#scannedScopes.add(scope);
    await Promise.allSettled(due.map((candidate) => this.#recoverLeased(candidate)));
    return Math.min((await this.journal.nextRecoveryInMs(scope)) ?? maxPauseMs, maxPauseMs);
  }

  /** One search of a scope runs at a time, and entries that arrive meanwhile share the next. */
  async #search(entry: Entry): Promise<RecoveryResult> {
    const batch = this.#nextSearches.get(scopeKeyOf(entry)) ?? this.#addSearch(scopeKeyOf(entry));
    batch.entries.set(entry.id, entry);
    return (await batch.results).get(entry.id)!;
  }

  #addSearch(scope: string): Batch {
    const entries = new Map<string, Entry>();
    const results = Promise.resolve(this.#runningSearches.get(scope)).then(() => {
      this.#nextSearches.delete(scope);
      return this.#searchBatch([...entries.values()]);
    });
    this.#runningSearches.set(
      scope,
      results.catch(() => undefined),
    );
    const batch = { entries, results };
    this.#nextSearches.set(scope, batch);
    return batch;
  }

  async #searchBatch(entries: readonly Entry[]): Promise<ReadonlyMap<string, RecoveryResult>> {
    const operation = this.lookup.operation(entries[0]!.operation)!;
    const isListed = operation.recovery?.kind === "listed";
    const results = isListed
      ? await this.#searchLists(operation, entries)
      : await Promise.all(entries.map((entry) => this.#resend(operation, entry)));
    return new Map(results.map((each) => [each.entry.id, each]));
  }

  #findInLists(
    operation: Declaration,
    entries: readonly Entry[],
    now: number,
  ): ReturnType<typeof searchByReference> {
    const [scope] = entries as readonly [Entry];
    return searchByReference(entries, {
      listName: operation.lookup!,
      readPages: (firstPage) => this.lookup.readPages(operation, scope, firstPage, this.#stop.signal),
      position: this.#positionOf(scope),
      entriesWithSameReference: async (entry) =>
        (await this.journal.listByReference(entry, entry.reference)).filter(({ id }) => id !== entry.id),
      findByIdentity: (identity) => this.journal.findByIdentity(scope, identity),
      now,
    });
  }

  /**
   * Searches the service for a call under the same reference that the store does not know. Returns its outcome, or undefined if
   * there is none. Throws if that cannot be decided. `since`: milliseconds since 1970.
   */
  async findEarlierCall(entry: Entry, since: number): Promise<EntryOutcome | undefined> {
    const operation = this.lookup.operation(entry.operation)!;
    const findings = await this.#findInLists(operation, [{ ...entry, begunAt: since }], Date.now());
    const finding = findings.get(entry.id)!;
    if (finding.kind === "none") return undefined;
    if (finding.kind !== "found") throw uncheckedError(finding.remark);
    const outcome = this.lookup.outcomeOf(operation, finding.listed);
    return { ...outcome, details: { ...outcome.details, remark: finding.remark } };
  }

  async #searchLists(operation: Declaration, entries: readonly Entry[]): Promise<RecoveryResult[]> {
    const now = Date.now();
    const { lookup } = operation;
    let resultOf: (entry: Entry) => Finding | NoFinding;
    try {
      const findings = await this.#findInLists(operation, entries, now);
      resultOf = ({ id }) => findings.get(id) ?? { kind: "none", remark: noReferenceRemark };
    } catch (error) {
      if (this.#stop.signal.aborted) throw error;
      const { message } = error as Error;
      resultOf = ({ reference }) => ({
        kind: "unread",
        remark: `Could not search ${lookup} for ${reference}: ${message}`,
        isWorthRetrying: error instanceof FxdeskError && error.retryable,
      });
    }
    return Promise.all(entries.map((entry) => this.#recordResult(operation, entry, resultOf(entry), now)));
  }

  #positionOf(scope: CallScope): ListPosition {
    const position = this.#positions.get(scopeKeyOf(scope)) ?? { page: 1, isNewestFirst: false };
    this.#positions.set(scopeKeyOf(scope), position);
    return position;
  }

  async #recordResult(
    operation: Declaration,
    entry: Entry,
    result: Finding | NoFinding,
    now: number,
  ): Promise<RecoveryResult> {
    if (result.kind !== "found") return this.#recordNotFound(entry, result, now);
    const { details, ...outcome } = this.lookup.outcomeOf(operation, result.listed);
    const { remark } = result;
    return this.#recordFound(operation, entry, { ...outcome, details: { ...details, remark } }, remark);
  }

  async #recordNotFound(
    entry: Entry,
    { kind, remark, isWorthRetrying = kind === "none" }: NoFinding,
    now: number,
  ): Promise<RecoveryResult> {
    const refused = kind === "none" && recoveryDetailsOf(entry).lastFinding === "none";
    const refusal = refused ? outcomeOfRefusal(entry, remark) : undefined;
    if (refusal)
      return { entry: await this.#recordUnlessKnown(entry, refusal), remark, isWorthRetrying: false };
    if (!isWorthRecording(entry, kind, now)) return { entry, remark, isWorthRetrying };
    const outcome = stillUnknownOutcome(entry, { lastFinding: kind, lookedAt: now, remark });
    return { entry: await this.#recordUnlessKnown(entry, outcome), remark, isWorthRetrying };
  }

  async #recordFound(
    operation: Declaration,
    entry: Entry,
    outcome: EntryOutcome,
    remark: string,
  ): Promise<RecoveryResult> {
    const ended = await this.#recordUnlessKnown(entry, outcome);
    const isFound = ended.ending?.by === "recovery" && ended.state === "done";
    if (isFound && !this.#waiters.has(entry.id)) this.onFound(operation, ended);
    return { entry: ended, remark, isWorthRetrying: false };
  }

  /** Records the outcome, unless another process or a person recorded a final one first. */
  async #recordUnlessKnown(entry: Entry, outcome: EntryOutcome): Promise<Entry> {
    const latest = await this.journal.get(entry.id);
    if (latest && latest.state !== "unknown") return latest;
    return this.journal.recordOutcome(entry, outcome);
  }

  /** Repeats the call at most once: the attempt is recorded before anything is sent. */
  async #resend(operation: Declaration, entry: Entry): Promise<RecoveryResult> {
    const now = Date.now();
    const { resentAt, remark = "The call was already repeated once." } = recoveryDetailsOf(entry);
    if (resentAt !== undefined) return { entry, remark, isWorthRetrying: false };
    if (Math.abs(now - entry.begunAt) > maxResendAgeMs || !entry.intent)
      return this.#recordNotFound(entry, { kind: "none", remark: tooOldRemark, isWorthRetrying: false }, now);
    const halted = await this.lookup.assertNotHalted(operation).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (halted !== undefined) return { entry, remark: `Not repeated: ${halted}`, isWorthRetrying: true };
    const at = new Date(now).toISOString();
    const marked = await this.#recordUnlessKnown(
      entry,
      stillUnknownOutcome(entry, { resentAt: now, remark: `Repeated at ${at}; no outcome yet.` }),
    );
    if (marked.state !== "unknown") return { entry: marked, remark: "", isWorthRetrying: false };
    try {
      const outcome = await this.lookup.resend(operation, marked, this.#stop.signal);
      const found = `Repeated at ${at} under the same request ID.`;
      const details = { ...outcome.details, remark: found };
      return await this.#recordFound(operation, marked, { ...outcome, by: "recovery", details }, found);
    } catch (error) {
      const words = `Repeated at ${at} without an outcome: ${(error as Error).message}`;
      const ended = await this.#recordUnlessKnown(
        marked,
        stillUnknownOutcome(marked, { lastFinding: "none", lookedAt: now, remark: words }),
      );
      return { entry: ended, remark: words, isWorthRetrying: false };
    }
  }
}

const inProgressRemark = "Another process is searching for this call.";
/** The process may have died: its lease ends then, too. */
const leasedRemark = (leasedUntil: number): string =>
  `Not searched: another process searches for this call until ${new Date(leasedUntil).toISOString()}. Search again then.`;
const outOfReachRemark = ({ operation, environment }: CallScope): string =>
  `Not searched: this connection cannot look up ${operation} at ${environment}. Use the connection that made the call, or ask ` +
  "the service and resolve the entry.";
const noReferenceRemark = "The call has no reference to search for. A person must resolve the entry.";
const tooOldRemark =
  "The call is too old to be repeated: the service may have forgotten its request ID. " +
  "A person must resolve the entry.";
