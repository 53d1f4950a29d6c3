/** What a verification of the journal finds, and the checks that a store and an export share. */
import {
  type ChainHead,
  emptyHead,
  type EventDetails,
  formatHead,
  hashDetails,
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

  /** Checks the hash of an event and its place in the chain. */
  checkLink(where: string, event: StoredEvent, hash: string): void {
    const { seq } = event;
    this.#events += 1;
    if (this.#last && seq !== this.#last.seq + 1)
      this.addFault(where, `event ${seq} follows event ${this.#last.seq}`);
    else if (this.#last && hash !== hashStoredEvent(this.#last.hash, event))
      this.addFault(
        where,
        "its hash does not match its content and the previous hash: one of the two events was changed",
      );
    this.#last = { seq, hash };
    if (this.#missingHeads.size > 0) this.#missingHeads.delete(formatHead(this.#last));
  }

  /** Checks that an event may follow the state of its entry. Returns the next state. */
  checkTransition(
    where: string,
    state: EntryState | undefined,
    { entry, kind }: Pick<StoredEvent, "entry" | "kind">,
    content: Readonly<Record<string, unknown>>,
  ): EntryState | undefined {
    if (entry === storeEvents) {
      if (!isEventKind(entry, kind)) this.addFault(where, `"${kind}" is not an event of the store`);
      return undefined;
    }
    const allowed = state ? allowedNext[state] : ["intent"];
    if (!allowed?.includes(kind))
      this.addFault(where, `"${kind}" is not allowed, because entry ${entry} is ${state ?? "missing"}`);
    return kind === "erased" ? state : (stateAfter(kind, content) as EntryState);
  }

  checkDetails(where: string, details: EventDetails, content: Readonly<Record<string, unknown>>): void {
    if (hashDetails(details) !== content.details) this.addFault(where, "its details were changed");
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
    return {
      events: this.#events,
      entries: this.entries,
      heads: this.#heads,
      faults: this.#faults,
      faultCount: this.#faultCount,
    };
  }
}

export const missingDetailsMessage = "its details are missing, and no event records that they were erased";
