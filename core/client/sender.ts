/** Sends a call: one request after the other, until there is a response or no time, or none may follow. */
import { TokenFailure } from "../credentials/token-source";
import type { Declaration } from "../declaration/operation";
import type { Service } from "../declaration/service";
import type { Deadline } from "../transport/deadline";
import { TransportError } from "../transport/transport-errors";
import { OutgoingRequest, type RawResponse, type SendOptions } from "../transport/exchange";
import { memoizePerOperation } from "../declaration/fields";
import { backoffMs, RetryBudget, retryAfterMs } from "../transport/backoff";
import { publish } from "./diagnostics-channels";
import type { ClientContext } from "./client-context";
import { type CallContext, maxResponseBytes } from "./call-context";
import type { PreparedCall } from "./prepared-call";
import { settingsFor } from "./prepare";
import { type AttemptResult, mayRetry } from "./may-retry";
import type { PermitRequest, Permit } from "../transport/pacing";

/** The pause that the service asks for. */
const requestedDelayMs = ({ headers }: RawResponse): number | undefined =>
  retryAfterMs(headers["retry-after"], Date.now());

/** Whether a quota is used up: no other call is slower for that, and the same call is no use before the quota is new. */
const isQuotaExhausted = (response: RawResponse, { quotaCodes = [] }: Service): boolean =>
  response.status === 429 &&
  requestedDelayMs(response) === undefined &&
  Buffer.isBuffer(response.body) &&
  quotaCodes.some((code) => (response.body as Buffer).includes(`"${code}"`));

/** A call that is sent again has waited its turn. */
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
   * Sends the call, again where that is allowed, until there is a response. Throws a TransportError when there is none, and
   * what ended the wait for pacing or for a token.
   */
  async sendWithRetries(callContext: CallContext): Promise<RawResponse> {
    const { call, deadline } = callContext;
    const { pacing, timeoutMs } = this.context;
    const paceKey = this.#paceKeyOf(call.operation);
    let isTokenRenewed = false;
    for (;;) {
      const permit = pacing.acquire(paceKey, deadline, permitRequestOf(callContext));
      // Mostly there is nothing to wait for, and a wait for nothing costs as well.
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
      // A call that commits money is not sent twice, also not after a 401; its next one has another token.
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

  /** One request. What a status says stands also where the body after it broke off. */
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

  /** Tells the source of tokens of a 401; whether it may have another token for the same call. */
  async #reportRefusedToken(token: string | undefined, deadline: Deadline): Promise<boolean> {
    return token !== undefined && (await this.context.tokens!.reportRefused(token, deadline));
  }

  /** How long to wait before the call is sent again, which its server's budget pays for; undefined when it is not. */
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

  /** What a 429 says holds for every call to the server. */
  #reportToPacing(permit: Permit, response: RawResponse, { server }: Declaration): void {
    if (response.status !== 429 || isQuotaExhausted(response, this.context.service))
      return permit.reportAccepted();
    const requestedDelay = requestedDelayMs(response);
    permit.reportRefused(requestedDelay);
    if (requestedDelay !== undefined) publish.pause({ server, milliseconds: requestedDelay });
  }

  /** The access token of a call; none where its operation carries none, or can do without. */
  #getToken(operation: Declaration, deadline: Deadline): string | undefined | Promise<string> {
    const { credentialsOf, tokens } = this.context;
    const bearer = credentialsOf(operation).find(({ kind }) => kind === "bearer");
    if (!bearer) return undefined;
    if (tokens) return tokens.get(deadline, operation.effect === "money");
    if (bearer.isRequired) throw new TokenFailure("Set the credentials of the connection.", true);
    return undefined;
  }

  /** The headers of the call with the credentials that its operation declares, names and values in turn. */
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
