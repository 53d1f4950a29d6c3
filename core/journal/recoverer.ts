/** Looks for what became of calls whose outcome is not known: at once, and again and again until it is found. */
import { setMaxListeners } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import type { Declaration } from "../declaration/operation";
import { FxdeskError } from "../errors";
import type { Ending, Entry, Journal, Look, Scope } from "./entry";
import { type Finding, type Listed, search } from "./match-listed";

/** How the service is asked; whatever is under way ends with the signal. */
export interface Inquiry {
  /** The operation of this name, where it can be found out what became of its calls. */
  operation(name: string): Declaration | undefined;
  /** What the service lists now of the calls in a scope, page by page. */
  readPages(operation: Declaration, scope: Scope, signal: AbortSignal): AsyncIterable<readonly Listed[]>;
  /** The ending of a call that is listed. */
  endingOf(operation: Declaration, listed: Listed): Ending;
  /** Sends a call once more under its request id, and returns how it ended then. Throws an Error where it is still unknown. */
  resend(operation: Declaration, entry: Entry, signal: AbortSignal): Promise<Ending>;
}

/** An entry after a look for it, and what there is to say of the look. */
export interface LookResult {
  readonly entry: Entry;
  readonly remark: string;
  /** Whether another look soon may tell more: the service may be late, or somebody else looks. */
  readonly mayChange: boolean;
}

/** How long an entry is taken for one look: after that, whoever took it is gone. */
const holdMs = 60_000;
/** How long it is looked for while a caller waits, and the pauses between those looks. */
const patienceMs = 2_000;
const pausesMs = [200, 500, 1_000] as const;
/** Between two looks in the background, at first and at most. */
const [firstPauseMs, longestPauseMs] = [1_000, 300_000];
/** Until it is tried again what the store or the service could not do. */
const faultPauseMs = 30_000;
/** After so long a service may have forgotten a request id. */
const resendableMs = 15 * 60_000;
/** How often it is written down that nothing new was found. */
const rememberedMs = 3_600_000;

const pauseAfter = (looks: number): number =>
  Math.min(firstPauseMs * 2 ** Math.min(looks, 10), longestPauseMs);

const nameOf = ({ environment, client, operation }: Scope): string =>
  JSON.stringify([environment, client, operation]);

/** What is kept of looks, beside what the call itself ended with. */
interface LookDetails {
  readonly lastFinding?: Finding["kind"] | "unread";
  readonly lookedAt?: number;
  readonly remark?: string;
  readonly resentAt?: number;
}

const lookDetails = ({ endingDetails }: Entry): LookDetails => (endingDetails ?? {}) as LookDetails;

const stillUnknown = (entry: Entry, details: LookDetails): Ending => ({
  ...entry.ending!,
  state: "unknown",
  by: "recovery",
  details: { ...entry.endingDetails, ...details },
});

/** Whether a look tells more than the one before it that was written down. */
function isNews(entry: Entry, kind: LookDetails["lastFinding"], now: number): boolean {
  const { lastFinding, lookedAt = 0 } = lookDetails(entry);
  if (lastFinding === undefined) return true;
  return kind === "unread" ? false : lastFinding !== kind || now - lookedAt > rememberedMs;
}

/** The searches in one scope: one at a time; what is asked for meanwhile is looked for in the next. */
interface Lane {
  running: Promise<unknown>;
  next: Batch | undefined;
}

interface Batch {
  readonly entries: Map<string, Entry>;
  readonly ended: Promise<ReadonlyMap<string, LookResult>>;
}

/** The list could not be read. */
class Unread {
  constructor(readonly error: Error) {}

  get mayChange(): boolean {
    return this.error instanceof FxdeskError && this.error.retryable;
  }
}

/** The promise, or undefined once the signal ends; what it waited for goes on. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  promise.catch(() => undefined);
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  return Promise.race([promise, aborted]);
}

export class Recoverer {
  readonly #stop = new AbortController();
  readonly #lanes = new Map<string, Lane>();
  readonly #scopes = new Map<string, Scope>();
  /** Entries whose outcome a caller waits for. */
  readonly #awaited = new Map<string, number>();
  /** Those that were looked through since this process began. */
  readonly #begun = new Set<Scope>();
  #timer: NodeJS.Timeout | undefined;
  #pass: Promise<void> | undefined;

  constructor(
    private readonly journal: Journal,
    private readonly inquiry: Inquiry,
    /** Told of what is found when nobody waits for it. */
    private readonly onFound: (operation: Declaration, entry: Entry) => void,
  ) {
    // Every look that goes on listens to it.
    setMaxListeners(0, this.#stop.signal);
  }

  /** From now on the calls in this scope are looked for in the background, also those of other processes. */
  lookInBackground({ environment, client, operation }: Scope): void {
    const scope = { environment, client, operation };
    if (this.#scopes.has(nameOf(scope)) || !this.inquiry.operation(operation)) return;
    this.#scopes.set(nameOf(scope), scope);
    this.#wake(firstPauseMs);
  }

  /**
   * Looks for a call that ended unknown, as long as its caller waits; the entry as it is then. `isOwn`: this process made
   * the call, and nobody else looks for it yet.
   */
  async untilFound(entry: Entry, isOwn: boolean, signal: AbortSignal | undefined): Promise<Entry> {
    if (!this.inquiry.operation(entry.operation)) return entry;
    const over = new AbortController();
    // A caller waits: this keeps the process alive, which the looks do not.
    const timer = setTimeout(() => over.abort(), patienceMs);
    const patience = AbortSignal.any([over.signal, this.#stop.signal, ...(signal ? [signal] : [])]);
    this.#await(entry.id, 1);
    let latest = entry;
    try {
      for (let look = 0; latest.state === "unknown" && !patience.aborted; look += 1) {
        const looked = await unlessAborted(this.#lookOnce(latest, isOwn), patience);
        latest = looked?.entry ?? latest;
        if (latest.state !== "unknown" || !looked?.mayChange) break;
        const pauseMs = pausesMs[Math.min(look, pausesMs.length - 1)];
        await wait(pauseMs, undefined, { signal: patience }).catch(() => undefined);
      }
      return latest;
    } finally {
      clearTimeout(timer);
      this.#await(entry.id, -1);
      if (isOwn && latest.state === "unknown") void this.#leaveToBackground(entry.id);
    }
  }

  /** Looks for everything in the scopes that are watched, whether it is due or not. */
  async lookForAll(): Promise<LookResult[]> {
    const looked: LookResult[] = [];
    for (const scope of this.#scopes.values()) {
      const looks = await this.journal.takeUnknown(scope, "all", holdMs);
      looked.push(...(await Promise.all(looks.map((look) => this.#lookFor(look)))));
    }
    return looked;
  }

  /** Looks for an entry now, unless somebody else does so at the moment. */
  async lookNow(entry: Entry): Promise<LookResult> {
    const look = await this.journal.takeOne(entry.id, holdMs);
    if (look) return this.#lookFor(look);
    const latest = (await this.journal.get(entry.id)) ?? entry;
    const isOpen = latest.state === "unknown";
    return { entry: latest, remark: isOpen ? beingLookedFor : "", mayChange: isOpen };
  }

  /** Ends every look. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("The client is closed."));
    clearTimeout(this.#timer);
    await this.#pass;
    await Promise.all([...this.#lanes.values()].map(({ running }) => running));
  }

  #await(id: string, change: 1 | -1): void {
    const count = (this.#awaited.get(id) ?? 0) + change;
    if (count === 0) this.#awaited.delete(id);
    else this.#awaited.set(id, count);
  }

  /** Whoever does not wait for a call of his own looks once, or waits for who looks. */
  async #lookOnce(entry: Entry, isOwn: boolean): Promise<LookResult> {
    if (isOwn) return this.#search(entry);
    const looked = await this.lookNow(entry);
    return { ...looked, mayChange: looked.remark === beingLookedFor };
  }

  /** Looks for what was taken; where it is in vain, it is looked for again after a while. */
  async #lookFor({ entry, looks }: Look): Promise<LookResult> {
    let isOpen = true;
    try {
      const found = await this.#search(entry);
      isOpen = found.entry.state === "unknown";
      return found;
    } finally {
      if (isOpen) await this.journal.putOff(entry.id, pauseAfter(looks)).catch(() => undefined);
    }
  }

  async #leaveToBackground(id: string): Promise<void> {
    await this.journal.putOff(id, firstPauseMs).catch(() => undefined);
    this.#wake(firstPauseMs);
  }

  #wake(pauseMs: number): void {
    if (this.#stop.signal.aborted || this.#pass || this.#scopes.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#pass = this.#lookAround();
    }, pauseMs).unref();
  }

  /** Looks in all scopes, and says when to look again. */
  async #lookAround(): Promise<void> {
    const pauses: number[] = [];
    for (const scope of this.#scopes.values()) {
      if (this.#stop.signal.aborted) return;
      pauses.push(await this.#lookIn(scope).catch(() => faultPauseMs));
    }
    this.#pass = undefined;
    this.#wake(Math.max(Math.min(...pauses), firstPauseMs / 2));
  }

  /** At the start of a process everything is looked for, whether it is due or not. */
  async #lookIn(scope: Scope): Promise<number> {
    const due = await this.journal.takeUnknown(scope, this.#begun.has(scope) ? "due" : "all", holdMs);
    this.#begun.add(scope);
    await Promise.allSettled(due.map((look) => this.#lookFor(look)));
    return Math.min((await this.journal.nextLook(scope)) ?? longestPauseMs, longestPauseMs);
  }

  async #search(entry: Entry): Promise<LookResult> {
    const name = nameOf(entry);
    let lane = this.#lanes.get(name);
    if (!lane) this.#lanes.set(name, (lane = { running: Promise.resolve(), next: undefined }));
    lane.next ??= this.#nextIn(lane);
    lane.next.entries.set(entry.id, entry);
    return (await lane.next.ended).get(entry.id)!;
  }

  #nextIn(lane: Lane): Batch {
    const entries = new Map<string, Entry>();
    const ended = lane.running.then(() => {
      lane.next = undefined;
      return this.#searchAll([...entries.values()]);
    });
    lane.running = ended.catch(() => undefined);
    return { entries, ended };
  }

  async #searchAll(entries: readonly Entry[]): Promise<ReadonlyMap<string, LookResult>> {
    const operation = this.inquiry.operation(entries[0]!.operation)!;
    const isListed = operation.recovery?.kind === "listed";
    const looked = isListed
      ? await this.#searchLists(operation, entries)
      : await Promise.all(entries.map((entry) => this.#resent(operation, entry)));
    return new Map(looked.map((each) => [each.entry.id, each]));
  }

  async #searchLists(operation: Declaration, entries: readonly Entry[]): Promise<LookResult[]> {
    const [scope] = entries as readonly [Entry];
    const now = Date.now();
    const findings = await search(entries, {
      place: operation.lookup!,
      readPages: () => this.inquiry.readPages(operation, scope, this.#stop.signal),
      namesakes: (entry) => this.journal.namesakes(entry),
      owner: (identity) => this.journal.owner(scope, identity),
      now,
    }).catch((error: unknown) => this.#unread(error));
    return Promise.all(entries.map((entry) => this.#noted(operation, entry, findings, now)));
  }

  #unread(error: unknown): Unread {
    if (this.#stop.signal.aborted) throw error;
    return new Unread(error as Error);
  }

  async #noted(
    operation: Declaration,
    entry: Entry,
    findings: ReadonlyMap<string, Finding> | Unread,
    now: number,
  ): Promise<LookResult> {
    if (findings instanceof Unread) {
      const { error, mayChange } = findings;
      const words = `Could not look in ${operation.lookup} for ${entry.reference}: ${error.message}`;
      return { ...(await this.#inVain(entry, "unread", words, now)), mayChange };
    }
    const finding = findings.get(entry.id) ?? { kind: "none", remark: withoutReference };
    if (finding.kind !== "found") return this.#inVain(entry, finding.kind, finding.remark, now);
    const { details, ...ending } = this.inquiry.endingOf(operation, finding.listed);
    const { remark } = finding;
    return this.#settled(operation, entry, { ...ending, details: { ...details, remark } }, remark);
  }

  async #inVain(
    entry: Entry,
    finding: NonNullable<LookDetails["lastFinding"]>,
    remark: string,
    now: number,
  ): Promise<LookResult> {
    const mayChange = finding === "none";
    if (!isNews(entry, finding, now)) return { entry, remark, mayChange };
    const ending = stillUnknown(entry, { lastFinding: finding, lookedAt: now, remark });
    return { entry: await this.#written(entry, ending), remark, mayChange };
  }

  async #settled(operation: Declaration, entry: Entry, ending: Ending, remark: string): Promise<LookResult> {
    const ended = await this.#written(entry, ending);
    const isFound = ended.ending?.by === "recovery" && ended.state === "done";
    if (isFound && !this.#awaited.has(entry.id)) this.onFound(operation, ended);
    return { entry: ended, remark, mayChange: false };
  }

  /** Another process, or a person, may have been quicker. */
  async #written(entry: Entry, ending: Ending): Promise<Entry> {
    const latest = await this.journal.get(entry.id);
    if (latest && latest.state !== "unknown") return latest;
    return this.journal.end(entry, ending);
  }

  /** A call is sent once more, and no more than once: that it is comes first. */
  async #resent(operation: Declaration, entry: Entry): Promise<LookResult> {
    const now = Date.now();
    const { resentAt, remark = "It was sent once more before." } = lookDetails(entry);
    if (resentAt !== undefined) return { entry, remark, mayChange: false };
    if (Math.abs(now - entry.begunAt) > resendableMs || !entry.intent)
      return { ...(await this.#inVain(entry, "none", tooLate, now)), mayChange: false };
    const at = new Date(now).toISOString();
    const marked = await this.#written(
      entry,
      stillUnknown(entry, { resentAt: now, remark: `Sent once more at ${at}; no outcome yet.` }),
    );
    if (marked.state !== "unknown") return { entry: marked, remark: "", mayChange: false };
    try {
      const ending = await this.inquiry.resend(operation, marked, this.#stop.signal);
      const found = `Sent once more at ${at} under the same request id.`;
      const details = { ...ending.details, remark: found };
      return await this.#settled(operation, marked, { ...ending, by: "recovery", details }, found);
    } catch (error) {
      const words = `Sent once more at ${at}, without an outcome: ${(error as Error).message}`;
      const ended = await this.#written(
        marked,
        stillUnknown(marked, { lastFinding: "none", lookedAt: now, remark: words }),
      );
      return { entry: ended, remark: words, mayChange: false };
    }
  }
}

const beingLookedFor = "Another process looks for it at the moment.";
const withoutReference =
  "It has no reference by which it could be found. A person must say what became of it.";
const tooLate =
  "It is too long ago to be sent once more: the service may have forgotten its request id. " +
  "A person must say what became of it.";
