/**
 * Events on `node:diagnostics_channel` for logs, metrics and traces. They cost nothing without a subscriber and contain no
 * secrets.
 */
import { channel, tracingChannel } from "node:diagnostics_channel";
import type { Declaration } from "../spec/operation";

/** Event of the TracingChannel `fxdesk:call`. Its `result` is the response, its `error` the FxdeskError. */
export interface CallEvent {
  readonly operation: string;
  readonly effect: Declaration["effect"];
}

/** Event of the channel `fxdesk:attempt`: an attempt has ended. */
export interface AttemptEvent {
  readonly operation: string;
  /** Starts at 1. */
  readonly attempt: number;
  /** True if any byte of the request may have been written. */
  readonly sent: boolean;
  readonly status?: number;
  /** Reason for a missing response. */
  readonly error?: string;
}

/** Event of the channel `fxdesk:pause`: a server requested a pause. */
export interface PauseEvent {
  readonly server: string;
  readonly milliseconds: number;
}

/** Event of the channel `fxdesk:token`: the access token was refreshed, or the refresh failed. */
export interface TokenEvent {
  readonly renewed: boolean;
  readonly error?: string;
}

export const channels = {
  call: tracingChannel<CallEvent, CallEvent>("fxdesk:call"),
  attempt: channel("fxdesk:attempt"),
  pause: channel("fxdesk:pause"),
  token: channel("fxdesk:token"),
} as const;

export const publish = {
  attempt: (event: AttemptEvent): void => channels.attempt.publish(event),
  pause: (event: PauseEvent): void => channels.pause.publish(event),
  token: (event: TokenEvent): void => channels.token.publish(event),
};
