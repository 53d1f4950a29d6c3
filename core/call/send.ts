/** Sends a request: for each attempt rate limiter, time limit, token, before-write hook, connection. Retries as the policy allows. */
import type { Declaration } from "../spec/operation";
import { RetryBudget } from "../http/backoff";
import type { RawResponse } from "../http/exchange";
import type { Permit } from "../http/pacing";
import { TokenFailure } from "../http/token-source";
import { TransportError } from "../http/transport-errors";
import { toFxdeskError } from "./call-errors";
import type { ClientContext } from "./client-context";
import { channels, publish } from "./diagnostics-channels";
import type { CallRequest, Handler } from "./middleware";
import { settingsFor } from "./prepare";
import { environmentName } from "./settings";
import type { PreparedCall } from "./prepared-call";
import { maxResponseBytes, readResponse } from "./read-response";
import { inSpan, markFailed, propagateContext } from "./spans";
import { type AttemptResult, isQuotaExhausted, requestedDelayMs, retryDelayMs } from "./retry-policy";

const noCodes: readonly string[] = [];

export class Sender {
  /** Retry budgets by rate limiter key. */
  readonly #budgets = new Map<string, RetryBudget>();

  constructor(private readonly context: ClientContext) {}

  /** Sends the request and reads its response. Throws only FxdeskErrors, whose outcome follows from what was written. */
  readonly send: Handler = async (request) => {
    const { call, deadline, progress } = request;
    const { operation, options } = call;
    const { pacing, timeoutMs } = this.context;
    let permit: Permit | undefined;
    let hasNewToken = false;
    try {
      if (progress.attempts > 0) throw new Error("the same request was passed on twice");
      const { paceKey } = this.context.addresses[operation.server]!;
      for (;;) {
        const acquired = pacing.acquire(paceKey, deadline, {
          user: options.user,
          isRetry: progress.attempts > 0,
        });
        permit = await (acquired instanceof Promise && channels.queue.hasSubscribers
          ? channels.queue.tracePromise(() => acquired, { operation: operation.name })
          : acquired);
        if (progress.attempts === 0) deadline.startTimeLimit(options.timeoutMs ?? timeoutMs);
        const token = await this.#getToken(request);
        deadline.assertOpen();
        const result = await this.#traceAttempt(request, token);
        if (!(result instanceof Error)) this.#reportToPacing(permit, result, operation);
        const isTokenStale =
          token !== undefined &&
          !(result instanceof Error) &&
          result.status === 401 &&
          (await this.context.tokens!.reportRefused(token, deadline));
        // A money call is not repeated, not even after a 401. The next one gets a new token.
        const canUseNewToken = isTokenStale && !hasNewToken && operation.effect !== "money";
        const delayMs = canUseNewToken ? 0 : this.#retryDelayMs(request, result);
        if (delayMs === undefined) {
          if (result instanceof Error) throw result;
          if (result.status < 400) this.#budgetOf(paceKey).refill();
          return await readResponse({ call, deadline, progress, permit }, result, this.context);
        }
        hasNewToken ||= isTokenStale;
        permit.release();
        await deadline.wait(delayMs);
      }
    } catch (error) {
      permit?.release();
      throw toFxdeskError(operation, error, progress);
    }
  };

  /** Makes one attempt in a span by the HTTP conventions. The template of the path replaces the address, which has IDs. */
  #traceAttempt(request: CallRequest, token: string | undefined): Promise<AttemptResult> {
    const { call, progress } = request;
    const { method, path, server } = call.operation;
    return inSpan(
      () => {
        const { hostname, protocol, port } = new URL(this.context.addresses[server]!.origin);
        return {
          name: `${method} ${path}`,
          kind: "CLIENT",
          attributes: {
            "http.request.method": method,
            "url.template": path,
            "server.address": hostname,
            "server.port": Number(port || (protocol === "https:" ? 443 : 80)),
            ...(progress.attempts > 0 && { "http.request.resend_count": progress.attempts }),
          },
        };
      },
      async (span) => {
        const result = await this.#attempt(request, token);
        if (!span) return result;
        const { status } = result;
        if (status !== undefined) span.setAttribute("http.response.status_code", status);
        if (result instanceof Error) markFailed(span, "connection");
        else if (result.status >= 400) markFailed(span, String(result.status));
        return result;
      },
    );
  }

  /** Makes one attempt. An error status counts as a response even if its body is incomplete. */
  async #attempt(request: CallRequest, token: string | undefined): Promise<AttemptResult> {
    const { call, deadline, progress, beforeWrite } = request;
    const { name, method, responses, server, effect } = call.operation;
    const { transport, secrets, addresses } = this.context;
    const { origin, pathPrefix } = addresses[server]!;
    progress.attempts += 1;
    progress.status = undefined;
    const attempt = progress.attempts;
    try {
      const response = await transport.send(
        {
          origin,
          path: pathPrefix + call.target,
          method,
          headers: this.#authorizedHeaders(call, token),
          body: call.body ?? null,
        },
        deadline,
        {
          isFile: (status) => responses[status]?.kind === "file",
          maxResponseBytes,
          useOwnConnection: effect === "money",
          useNewConnection: attempt > 1,
        },
        beforeWrite,
      );
      progress.sent = true;
      progress.status = response.status;
      publish.attempt({ operation: name, attempt, sent: true, status: response.status });
      return response;
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const { sent, status } = error;
      const cause = secrets.redactError(error.cause);
      progress.sent ||= sent;
      progress.status = status;
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

  /** Returns the delay before a retry, charged to the server's budget; undefined if the call is not repeated. */
  #retryDelayMs(
    { call: { operation }, deadline, progress }: CallRequest,
    result: AttemptResult,
  ): number | undefined {
    const { paceKey } = this.context.addresses[operation.server]!;
    if (deadline.ended) return undefined;
    const { quotaCodes = noCodes } = this.context.service;
    const delayMs = retryDelayMs({ effect: operation.effect, ...progress, result, quotaCodes });
    if (delayMs === undefined || delayMs >= deadline.remainingMs) return undefined;
    const status = result instanceof Error ? undefined : result.status;
    if (operation.effect === "read" && !this.#budgetOf(paceKey).spend(status)) return undefined;
    // Nothing is in flight any more.
    deadline.setAbortable(true);
    return delayMs;
  }

  /** Passes a 429 to the rate limiter, which applies it to all calls to the server. */
  #reportToPacing(permit: Permit, response: RawResponse, { server }: Declaration): void {
    const { quotaCodes = noCodes } = this.context.service;
    // Slowing down does not help against an exhausted quota.
    if (response.status !== 429 || isQuotaExhausted(response, quotaCodes)) return permit.reportAccepted();
    const delayMs = requestedDelayMs(response);
    permit.reportRefused(delayMs);
    if (delayMs !== undefined) publish.pause({ server, milliseconds: delayMs });
  }

  /** Returns the access token; undefined if the operation needs none, or it is optional and not configured. */
  async #getToken({ call: { operation }, deadline }: CallRequest): Promise<string | undefined> {
    const { credentialsOf, tokens } = this.context;
    const bearer = credentialsOf(operation).find(({ kind }) => kind === "bearer");
    if (!bearer) return undefined;
    if (tokens) return tokens.get(deadline, operation.effect === "money");
    if (bearer.isRequired)
      throw new TokenFailure(
        `Set the access token of the connection (${environmentName("accessToken")}), or log in.`,
        true,
      );
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
    propagateContext((name, value) => all.push(name, value));
    return all;
  }

  #budgetOf(paceKey: string): RetryBudget {
    let budget = this.#budgets.get(paceKey);
    if (!budget) this.#budgets.set(paceKey, (budget = new RetryBudget()));
    return budget;
  }
}
