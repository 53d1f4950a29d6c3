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

/** Event of the TracingChannel `fxdesk:queue`: a call waits for the rate limiter. */
export interface QueueEvent {
  readonly operation: string;
}

/** Event of the channel `fxdesk:token`: the access token was refreshed, or the refresh failed. */
export interface TokenEvent {
  readonly renewed: boolean;
  /** End of the new token, in milliseconds since 1970, if known. */
  readonly expiresAt?: number;
  readonly error?: string;
}

/** Event of the channel `fxdesk:consent`: the consents watch has read a consent. */
export interface ConsentEvent {
  readonly consent: string;
  /** Last day, YYYY-MM-DD; undefined unless the consent is valid. */
  readonly validUntil?: string;
}

export const channels = {
  call: tracingChannel<CallEvent, CallEvent>("fxdesk:call"),
  queue: tracingChannel<QueueEvent, QueueEvent>("fxdesk:queue"),
  attempt: channel("fxdesk:attempt"),
  pause: channel("fxdesk:pause"),
  token: channel("fxdesk:token"),
  consent: channel("fxdesk:consent"),
} as const;

export const publish = {
  attempt: (event: AttemptEvent): void => channels.attempt.publish(event),
  pause: (event: PauseEvent): void => channels.pause.publish(event),
  token: (event: TokenEvent): void => channels.token.publish(event),
  consent: (event: ConsentEvent): void => channels.consent.publish(event),
};
