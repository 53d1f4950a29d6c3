/** State of a sandbox session, as plain data. */
import type { Exchange } from "./exchange";
import type { Fault, PendingFaults } from "./fault-queue";
import type { ClockState } from "./world/calendar/clock";
import type { Mail } from "./world/outbox";
import type { WorldDescription } from "./world/seed/world-description";
import type { Settings } from "./world/settings";
import type { WorldState } from "./world/world";

/** One request as the sandbox saw it. */
export interface LoggedRequest {
  /** Which it was, from 1, in the order in which they came. */
  readonly number: number;
  /** When it was answered, by the sandbox's clock: a time in UTC. */
  readonly time: string;
  readonly method: string;
  readonly url: string;
  /** Of the response; where a fault kept it back, what it would have been. */
  readonly status: number;
  /** Why it was refused, also where the contract gives the response no body. */
  readonly refusal?: string;
  /** What was put in its way. */
  readonly fault?: Fault["kind"];
}

/** From what a world follows. */
export interface WorldSetup {
  readonly seed: string;
  /** Where its time starts, to move with the requests; without it, it runs with the machine's clock. */
  readonly now?: Date | undefined;
  readonly settings: Settings;
  /** For how many days there has been business. */
  readonly daysBehind?: number | undefined;
  /** What there is and goes on; the demo company, without. */
  readonly description?: WorldDescription | undefined;
}

/** How many requests came in the current second. */
export interface RequestRate {
  /** Since 1970. */
  readonly second: number;
  readonly count: number;
}

/** Everything that is on, as plain data: from here it goes on in the same way, wherever. */
export interface SandboxState {
  readonly beginning: WorldSetup;
  readonly clock: ClockState;
  readonly world: WorldState;
  readonly mails: readonly Mail[];
  readonly requests: readonly LoggedRequest[];
  /** How many requests have come. */
  readonly arrived: number;
  /** What the last requests and their responses said, by the number of the request. */
  readonly exchanges: ReadonlyMap<number, Exchange>;
  readonly faults: PendingFaults;
  readonly pace: RequestRate;
}
