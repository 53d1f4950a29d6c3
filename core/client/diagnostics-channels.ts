/**
 * What is told of calls on `node:diagnostics_channel`, for logs, metrics and traces. Nothing of it costs anything while
 * nobody listens, and none of it holds a secret.
 */
import { channel, tracingChannel } from "node:diagnostics_channel";
import type { Declaration } from "../declaration/operation";

/** A call from beginning to end: a TracingChannel, whose `result` is the response and whose `error` the FxdeskError. */
export interface CallEvent {
  readonly operation: string;
  readonly effect: Declaration["effect"];
}

/** One attempt is over. */
export interface AttemptEvent {
  readonly operation: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Whether the head of the request may have left. */
  readonly sent: boolean;
  readonly status?: number;
  /** Why there is no response. */
  readonly error?: string;
}

/** A server asked for a pause. */
export interface PauseEvent {
  readonly server: string;
  readonly milliseconds: number;
}

/** The access token was renewed, or could not be. */
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
