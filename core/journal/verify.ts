/** What a verification of the journal finds, and the checks that a store and an export share. */
import {
  type ChainHead,
  emptyHead,
  type EventDetails,
  formatHead,
  hashParsedDetails,
  hashStoredEvent,
  isEventKind,
  storeEvents,
  type StoredEvent,
} from "./hash-chain";
import type { EntryState } from "./entry";
import { stateAfter } from "./entry-rows";
import type { EnvironmentHead } from "./events";

/** A deviation from what fxdesk writes. */
export interface Fault {
  /** Line of the export, or event or entry of the store. */
  readonly where: string;
  readonly message: string;
}

export interface VerificationResult {
  /** Number of verified events. */
  readonly events: number;
  /** Number of entries that these events belong to. */
  readonly entries: number;
  /** Store them elsewhere. As long as a later journal contains them, no event up to them was changed or removed. */
  readonly heads: readonly EnvironmentHead[];
  /** The first 100 faults. */
  readonly faults: readonly Fault[];
  readonly faultCount: number;
}

const maxFaults = 100;

/** Numbers of stored rows that belong to verified events. */
export interface MatchedRows {
  entries: number;
  details: number;
}

/** What was verified of a part of a chain. */
export interface VerifiedPart extends Omit<VerificationResult, "heads"> {
  readonly matched: MatchedRows;
  /** Given heads that this part does not contain. */
  readonly missingHeads: readonly string[];
  readonly last: ChainHead | undefined;
}

/** Returns the place of a fault. Called only if there is one. */
export type Where = () => string;

/** Event kinds allowed in each state; undefined before the first event of an entry. */
const allowedNext: Readonly<Record<EntryState, readonly string[]>> = {
  intended: ["sent", "ended"],
  sent: ["ended"],
  unknown: ["ended"],
  done: ["erased"],
  rejected: ["erased", "intent"],
  "not-sent": ["erased", "intent"],
};

/** Collects the faults, and checks the chains one after the other. */
export class Verification {
  readonly #faults: Fault[] = [];
  #faultCount = 0;
  #events = 0;
  entries = 0;
  readonly matched: MatchedRows = { entries: 0, details: 0 };
  /** The previous event of the current chain; undefined if it was unreadable. */
  #last: ChainHead | undefined = emptyHead;
  readonly #heads: EnvironmentHead[] = [];
  readonly #missingHeads: Set<string>;

  /** `heads` were stored elsewhere. Each must be in a chain. */
  constructor(heads: readonly ChainHead[]) {
    this.#missingHeads = new Set(heads.map(formatHead));
  }

  addFault(where: string, message: string): void {
    this.#faultCount += 1;
    if (this.#faults.length < maxFaults) this.#faults.push({ where, message });
  }

  addUnreadable(where: string, message: string): void {
    this.addFault(where, message);
    this.#last = undefined;
  }

  /** Starts a chain after a known event. */
  startChain(last: ChainHead): void {
    this.#last = last;
    this.#missingHeads.delete(formatHead(last));
  }

  /** Returns what was verified of the current chain. */
  part(): VerifiedPart {
    const { matched } = this;
    return { ...this.#counts(), matched, missingHeads: [...this.#missingHeads], last: this.#last };
  }

  /** Adds a part that starts after event `from`, which the part before must end with. */
  addPart(environment: string, from: ChainHead, part: VerifiedPart): void {
    if (!this.#last || formatHead(this.#last) !== formatHead(from))
      this.addFault(`event ${from.seq} of ${environment}`, "was changed during the verification");
    for (const { where, message } of part.faults) this.addFault(where, message);
    this.#faultCount += part.faultCount - part.faults.length;
    this.#events += part.events;
    this.entries += part.entries;
    this.matched.entries += part.matched.entries;
    this.matched.details += part.matched.details;
    for (const head of this.#missingHeads)
      if (!part.missingHeads.includes(head)) this.#missingHeads.delete(head);
    this.#last = part.last;
  }

  /** Checks the hash of an event and its place in the chain. Returns false if one is wrong. */
  checkLink(where: Where, event: StoredEvent, hash: string): boolean {
    const { seq } = event;
    const faultsBefore = this.#faultCount;
    this.#events += 1;
    if (this.#last && seq !== this.#last.seq + 1)
      this.addFault(where(), `event ${seq} follows event ${this.#last.seq}`);
    else if (this.#last && hash !== hashStoredEvent(this.#last.hash, event))
      this.addFault(
        where(),
        "its hash does not match its content and the previous hash: one of the two events was changed",
      );
    this.#last = { seq, hash };
    if (this.#missingHeads.size > 0) this.#missingHeads.delete(formatHead(this.#last));
    return this.#faultCount === faultsBefore;
  }

  /** Checks that an event may follow the state of its entry. Returns the next state. */
  checkTransition(
    where: Where,
    state: EntryState | undefined,
    { entry, kind }: Pick<StoredEvent, "entry" | "kind">,
    content: Readonly<Record<string, unknown>>,
  ): EntryState | undefined {
    if (entry === storeEvents) {
      if (!isEventKind(entry, kind)) this.addFault(where(), `"${kind}" is not an event of the store`);
      return undefined;
    }
    const allowed = state ? allowedNext[state] : ["intent"];
    if (!allowed?.includes(kind))
      this.addFault(where(), `"${kind}" is not allowed, because entry ${entry} is ${state ?? "missing"}`);
    return kind === "erased" ? state : (stateAfter(kind, content) as EntryState);
  }

  checkDetails(where: Where, details: EventDetails, content: Readonly<Record<string, unknown>>): void {
    if (hashParsedDetails(details) !== content.details) this.addFault(where(), "its details were changed");
  }

  /** Ends the current chain, whose head may also be stated. */
  endChain(environment: string, stated?: { readonly where: string; readonly head: ChainHead }): void {
    const head = this.#last;
    if (stated && head && (head.seq !== stated.head.seq || head.hash !== stated.head.hash))
      this.addFault(
        stated.where,
        `the stated last event ${stated.head.seq} differs in number or hash from event ${head.seq}`,
      );
    this.#heads.push({ environment, ...(head ?? emptyHead) });
  }

  finish(): VerificationResult {
    for (const head of this.#missingHeads) this.addFault("end", `no chain contains the given head ${head}`);
    return { ...this.#counts(), heads: this.#heads };
  }

  #counts(): Omit<VerificationResult, "heads"> {
    return {
      events: this.#events,
      entries: this.entries,
      faults: this.#faults,
      faultCount: this.#faultCount,
    };
  }
}

export const missingDetailsMessage = "its details are missing, and no event records that they were erased";
