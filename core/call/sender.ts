/** Sends a call with retries, pacing and credentials. */
import { TokenFailure } from "../http/token-source";
import type { Declaration } from "../spec/operation";
import type { Service } from "../spec/service";
import type { Deadline } from "../http/deadline";
import { TransportError } from "../http/transport-errors";
import { OutgoingRequest, type RawResponse, type SendOptions } from "../http/exchange";
import { memoizePerOperation } from "../spec/fields";
import { backoffMs, RetryBudget, retryAfterMs } from "../http/backoff";
import { publish } from "./diagnostics-channels";
import type { ClientContext } from "./client-context";
import { type CallContext, maxResponseBytes } from "./call-context";
import type { PreparedCall } from "./prepared-call";
import { settingsFor } from "./prepare";
import { type AttemptResult, mayRetry } from "./may-retry";
import type { PermitRequest, Permit } from "../http/pacing";

/** Returns the pause that the service requested. */
const requestedDelayMs = ({ headers }: RawResponse): number | undefined =>
  retryAfterMs(headers["retry-after"], Date.now());

/** Returns true if a quota is exhausted. Slowing down does not help, and neither does a retry before the quota is reset. */
const isQuotaExhausted = (response: RawResponse, { quotaCodes = [] }: Service): boolean =>
  response.status === 429 &&
  requestedDelayMs(response) === undefined &&
  Buffer.isBuffer(response.body) &&
  quotaCodes.some((code) => (response.body as Buffer).includes(`"${code}"`));

/** Retries are marked, because they have already waited in the queue. */
const permitRequestOf = ({ attempts, call }: CallContext): PermitRequest | undefined =>
  attempts > 0 || call.options.user !== undefined
    ? { user: call.options.user, isRetry: attempts > 0 }
    : undefined;

const sendOptionsOf = memoizePerOperation(({ responses, effect }): Record<"first" | "again", SendOptions> => {
  const isFile = (status: number) => responses[status]?.kind === "file";
  const options = { isFile, maxResponseBytes, useOwnConnection: effect === "money", useNewConnection: false };
  return { first: options, again: { ...options, useNewConnection: true } };
});

export class Sender {
  readonly #budgets = new Map<string, RetryBudget>();

  constructor(private readonly context: ClientContext) {}

  /**
   * Sends the call, with retries where allowed. Throws a TransportError if there is no response, or the reason that ended the
   * wait for the rate limiter or a token.
   */
  async sendWithRetries(callContext: CallContext): Promise<RawResponse> {
    const { call, deadline } = callContext;
    const { pacing, timeoutMs } = this.context;
    const paceKey = this.#paceKeyOf(call.operation);
    let isTokenRenewed = false;
    for (;;) {
      const permit = pacing.acquire(paceKey, deadline, permitRequestOf(callContext));
      // Usually available synchronously; a needless await costs time.
      callContext.permit = permit instanceof Promise ? await permit : permit;
      if (callContext.attempts === 0) deadline.startTimeLimit(call.options.timeoutMs ?? timeoutMs);
      const tokenOrPromise = this.#getToken(call.operation, deadline);
      const token = tokenOrPromise instanceof Promise ? await tokenOrPromise : tokenOrPromise;
      deadline.assertOpen();
      const headers = this.#authorizedHeaders(call, token);
      const attempt = await this.#sendAttempt(callContext, headers);
      if (!(attempt instanceof Error)) this.#reportToPacing(callContext.permit, attempt, call.operation);
      const isRefused = !(attempt instanceof Error) && attempt.status === 401;
      const isStale = isRefused && (await this.#reportRefusedToken(token, deadline));
      // A money call is not repeated, not even after a 401. The next one gets a new token.
      const delay =
        isStale && !isTokenRenewed && call.operation.effect !== "money"
          ? 0
          : this.#delayBeforeRetry(callContext, attempt);
      isTokenRenewed ||= isStale;
      if (delay !== undefined) {
        callContext.permit.release();
        await deadline.wait(delay);
        continue;
      }
      if (attempt instanceof Error) throw attempt;
      if (attempt.status < 400) this.#budgetFor(paceKey).refill();
      return attempt;
    }
  }

  /** Makes one attempt. An error status is valid even if its body is incomplete. */
  async #sendAttempt(callContext: CallContext, headers: readonly string[]): Promise<AttemptResult> {
    const { call, deadline } = callContext;
    const { name, method, responses, server } = call.operation;
    const { origin, pathPrefix } = this.context.addresses[server]!;
    const { transport, secrets } = this.context;
    const attempt = (callContext.attempts += 1);
    callContext.status = undefined;
    const request = new OutgoingRequest(origin, pathPrefix + call.target, method, headers, call.body);
    try {
      const response = await transport.send(
        request,
        deadline,
        sendOptionsOf(call.operation)[attempt === 1 ? "first" : "again"],
        callContext.beforeWrite,
      );
      const { status } = response;
      callContext.sent = true;
      callContext.status = status;
      publish.attempt({ operation: name, attempt, sent: true, status });
      return response;
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const { sent, status } = error;
      const cause = secrets.redactError(error.cause);
      callContext.sent ||= sent;
      callContext.status = status;
      publish.attempt({
        operation: name,
        attempt,
        sent,
        ...(status !== undefined && { status }),
        error: cause.message,
      });
      return status === undefined || responses[status]
        ? new TransportError(cause, sent, status)
        : { status, headers: {}, body: Buffer.alloc(0) };
    }
  }

  /** Reports a 401 to the token source. Returns true if it may have another token. */
  async #reportRefusedToken(token: string | undefined, deadline: Deadline): Promise<boolean> {
    return token !== undefined && (await this.context.tokens!.reportRefused(token, deadline));
  }

  /** Returns the delay before a retry, charged to the server's budget; undefined if the call is not retried. */
  #delayBeforeRetry(callContext: CallContext, attempt: AttemptResult): number | undefined {
    const { call, deadline, attempts } = callContext;
    const { operation } = call;
    if (deadline.ended || !mayRetry(callContext, attempt)) return undefined;
    const status = attempt instanceof Error ? undefined : attempt.status;
    const requestedMs = attempt instanceof Error ? 0 : (requestedDelayMs(attempt) ?? 0);
    if (!(attempt instanceof Error) && isQuotaExhausted(attempt, this.context.service)) return undefined;
    const delay = Math.max(backoffMs(attempts, status), requestedMs);
    if (delay >= deadline.remainingMs) return undefined;
    if (operation.effect === "read" && !this.#budgetFor(this.#paceKeyOf(operation)).spend(status))
      return undefined;
    deadline.setAbortable(true);
    return delay;
  }

  /** Passes a 429 to the rate limiter, which applies it to all calls to the server. */
  #reportToPacing(permit: Permit, response: RawResponse, { server }: Declaration): void {
    if (response.status !== 429 || isQuotaExhausted(response, this.context.service))
      return permit.reportAccepted();
    const requestedDelay = requestedDelayMs(response);
    permit.reportRefused(requestedDelay);
    if (requestedDelay !== undefined) publish.pause({ server, milliseconds: requestedDelay });
  }

  /** Returns the access token of a call; undefined if the operation needs none, or it is optional and not configured. */
  #getToken(operation: Declaration, deadline: Deadline): string | undefined | Promise<string> {
    const { credentialsOf, tokens } = this.context;
    const bearer = credentialsOf(operation).find(({ kind }) => kind === "bearer");
    if (!bearer) return undefined;
    if (tokens) return tokens.get(deadline, operation.effect === "money");
    if (bearer.isRequired) throw new TokenFailure("Set the credentials of the connection.", true);
    return undefined;
  }

  /** Returns the headers including credentials, as alternating names and values. */
  #authorizedHeaders({ operation, headers, options }: PreparedCall, token: string | undefined): string[] {
    const all: string[] = [];
    for (const name in headers) all.push(name, headers[name]!);
    const settings = settingsFor(this.context, options);
    for (const { kind, header, setting } of this.context.credentialsOf(operation)) {
      const value = kind === "header" ? settings[setting] : token && `Bearer ${token}`;
      if (value) all.push(header, value);
    }
    return all;
  }

  #paceKeyOf({ server }: Declaration): string {
    return this.context.addresses[server]!.paceKey;
  }

  #budgetFor(paceKey: string): RetryBudget {
    let budget = this.#budgets.get(paceKey);
    if (!budget) this.#budgets.set(paceKey, (budget = new RetryBudget()));
    return budget;
  }
}
