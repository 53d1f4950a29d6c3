/** State of a sandbox session, as plain data. */
import type { Exchange } from "./exchange";
import type { Fault, PendingFaults } from "./fault-queue";
import type { ClockState } from "../world/common/clock";
import type { Mail } from "../world/model/outbox";
import type { WorldDescription } from "../world/seed/world-description";
import type { Settings } from "../world/model/settings";
import type { WorldState } from "../world/model/world";

/** Logged request. */
export interface LoggedRequest {
  /** Number of the request, starting at 1, in order of arrival. */
  readonly number: number;
  /** Time of the response in UTC, by the sandbox's clock. */
  readonly time: string;
  readonly method: string;
  readonly url: string;
  /** Status of the response. If a fault suppressed it, the status it would have had. */
  readonly status: number;
  /** Reason of a refusal, even if the contract gives the response no body. */
  readonly refusal?: string;
  /** Fault that applied to the request. */
  readonly fault?: Fault["kind"];
}

/** Setup that determines a world. */
export interface WorldSetup {
  readonly seed: string;
  /** Start of its time, which then advances with each request. Defaults to the machine's running clock. */
  readonly now?: Date | undefined;
  readonly settings: Settings;
  /** Days of past business. */
  readonly daysBehind?: number | undefined;
  /** Description from a world file. Defaults to the demo company. */
  readonly description?: WorldDescription | undefined;
}

/** Number of requests in the current second. */
export interface RequestRate {
  /** Seconds since 1970. */
  readonly second: number;
  readonly count: number;
}

/** Complete state. A sandbox restored from it behaves identically. */
export interface SandboxState {
  readonly beginning: WorldSetup;
  readonly clock: ClockState;
  readonly world: WorldState;
  readonly mails: readonly Mail[];
  readonly requests: readonly LoggedRequest[];
  /** Number of requests so far. */
  readonly arrived: number;
  /** Recorded exchanges by request number. */
  readonly exchanges: ReadonlyMap<number, Exchange>;
  readonly faults: PendingFaults;
  readonly pace: RequestRate;
}
