/** Sends a call: one request after the other, until there is a response or no time, or none may follow. */
import { TokenFailure } from "../credentials/tokens";
import type { Declaration } from "../declaration/operation";
import type { Service } from "../declaration/service";
import type { Deadline } from "../transport/deadline";
import { TransportError } from "../transport/error";
import { OutgoingRequest, type RawResponse, type SendOptions } from "../transport/exchange";
import { perOperation } from "../declaration/fields";
import { backoffMs, RetryBudget, retryAfterMs } from "../transport/backoff";
import { publish } from "./channels";
import type { Connection } from "./connection";
import { type CallState, largestBytes } from "./call-state";
import type { PreparedCall } from "./prepared-call";
import { settingsFor } from "./prepare";
import { type Attempt, mayRetry } from "./may-retry";
import type { Asker, Permit } from "../transport/pacing";

/** The pause that the service asks for. */
const askedBy = ({ headers }: RawResponse): number | undefined =>
  retryAfterMs(headers["retry-after"], Date.now());

/** Whether a quota is used up: no other call is slower for that, and the same call is no use before the quota is new. */
const isUsedUp = (response: RawResponse, { quotaCodes = [] }: Service): boolean =>
  response.status === 429 &&
  askedBy(response) === undefined &&
  Buffer.isBuffer(response.body) &&
  quotaCodes.some((code) => (response.body as Buffer).includes(`"${code}"`));

/** A call that is sent again has waited its turn. */
const askerOf = ({ attempts, call }: CallState): Asker | undefined =>
  attempts > 0 || call.options.user !== undefined
    ? { user: call.options.user, again: attempts > 0 }
    : undefined;

const sendOptionsOf = perOperation(({ responses, effect }): Record<"first" | "again", SendOptions> => {
  const isFile = (status: number) => responses[status]?.kind === "file";
  const first = { isFile, largestBytes, alone: effect === "money", fresh: false };
  return { first, again: { ...first, fresh: true } };
});

export class Sender {
  readonly #budgets = new Map<string, RetryBudget>();

  constructor(private readonly connection: Connection) {}

  /**
   * Sends the call, again where that is allowed, until there is a response. Throws a TransportError when there is none, and
   * what ended the wait for pacing or for a token.
   */
  async sendWithRetries(state: CallState): Promise<RawResponse> {
    const { call, deadline } = state;
    const { pacing, timeoutMs } = this.connection;
    const pace = this.#paceOf(call.operation);
    let renewed = false;
    for (;;) {
      const permit = pacing.acquire(pace, deadline, askerOf(state));
      // Mostly there is nothing to wait for, and a wait for nothing costs as well.
      state.permit = permit instanceof Promise ? await permit : permit;
      if (state.attempts === 0) deadline.startTimeLimit(call.options.timeoutMs ?? timeoutMs);
      const given = this.#token(call.operation, deadline);
      const token = given instanceof Promise ? await given : given;
      deadline.assertOpen();
      const headers = this.#authorised(call, token);
      const attempt = await this.#attempt(state, headers);
      if (!(attempt instanceof Error)) this.#tellPacing(state.permit, attempt, call.operation);
      const isRefused = !(attempt instanceof Error) && attempt.status === 401;
      const isStale = isRefused && (await this.#reportRefused(token, deadline));
      // A call that commits money is not sent twice, also not after a 401; its next one has another token.
      const delay =
        isStale && !renewed && call.operation.effect !== "money" ? 0 : this.#delayBeforeRetry(state, attempt);
      renewed ||= isStale;
      if (delay !== undefined) {
        state.permit.release();
        await deadline.wait(delay);
        continue;
      }
      if (attempt instanceof Error) throw attempt;
      if (attempt.status < 400) this.#budget(pace).refill();
      return attempt;
    }
  }

  /** One request. What a status says stands also where the body after it broke off. */
  async #attempt(state: CallState, headers: readonly string[]): Promise<Attempt> {
    const { call, deadline } = state;
    const { name, method, responses, server } = call.operation;
    const { origin, prefix } = this.connection.addresses[server]!;
    const { transport, secrets } = this.connection;
    const attempt = (state.attempts += 1);
    state.status = undefined;
    const request = new OutgoingRequest(origin, prefix + call.target, method, headers, call.body);
    try {
      const response = await transport.send(
        request,
        deadline,
        sendOptionsOf(call.operation)[attempt === 1 ? "first" : "again"],
        state.beforeHead,
      );
      const { status } = response;
      state.sent = true;
      state.status = status;
      publish.attempt({ operation: name, attempt, sent: true, status });
      return response;
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const { sent, status } = error;
      const cause = secrets.redactError(error.cause);
      state.sent ||= sent;
      state.status = status;
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
  async #reportRefused(token: string | undefined, deadline: Deadline): Promise<boolean> {
    return token !== undefined && (await this.connection.tokens!.reportRefused(token, deadline));
  }

  /** How long to wait before the call is sent again, which its server's budget pays for; undefined when it is not. */
  #delayBeforeRetry(state: CallState, attempt: Attempt): number | undefined {
    const { call, deadline, attempts } = state;
    const { operation } = call;
    if (deadline.ended || !mayRetry(state, attempt)) return undefined;
    const status = attempt instanceof Error ? undefined : attempt.status;
    const askedMs = attempt instanceof Error ? 0 : (askedBy(attempt) ?? 0);
    if (!(attempt instanceof Error) && isUsedUp(attempt, this.connection.service)) return undefined;
    const delay = Math.max(backoffMs(attempts, status), askedMs);
    if (delay >= deadline.remainingMs) return undefined;
    if (operation.effect === "read" && !this.#budget(this.#paceOf(operation)).take(status)) return undefined;
    deadline.heedCaller(true);
    return delay;
  }

  /** What a 429 says holds for every call to the server. */
  #tellPacing(permit: Permit, response: RawResponse, { server }: Declaration): void {
    if (response.status !== 429 || isUsedUp(response, this.connection.service)) return permit.taken();
    const asked = askedBy(response);
    permit.refused(asked);
    if (asked !== undefined) publish.pause({ server, milliseconds: asked });
  }

  /** The access token of a call; none where its operation carries none, or can do without. */
  #token(operation: Declaration, deadline: Deadline): string | undefined | Promise<string> {
    const { carriedBy, tokens } = this.connection;
    const bearer = carriedBy(operation).find(({ kind }) => kind === "bearer");
    if (!bearer) return undefined;
    if (tokens) return tokens.get(deadline, operation.effect === "money");
    if (bearer.needed) throw new TokenFailure("Set the credentials of the connection.", true);
    return undefined;
  }

  /** The headers of the call with the credentials that its operation declares, names and values in turn. */
  #authorised({ operation, headers, options }: PreparedCall, token: string | undefined): string[] {
    const all: string[] = [];
    for (const name in headers) all.push(name, headers[name]!);
    const settings = settingsFor(this.connection, options);
    for (const { kind, header, setting } of this.connection.carriedBy(operation)) {
      const value = kind === "header" ? settings[setting] : token && `Bearer ${token}`;
      if (value) all.push(header, value);
    }
    return all;
  }

  #paceOf({ server }: Declaration): string {
    return this.connection.addresses[server]!.pace;
  }

  #budget(pace: string): RetryBudget {
    let budget = this.#budgets.get(pace);
    if (!budget) this.#budgets.set(pace, (budget = new RetryBudget()));
    return budget;
  }
}
