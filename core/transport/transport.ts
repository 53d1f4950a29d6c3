import { Agent, type Dispatcher } from "undici";
import type { Deadline } from "./deadline";
import { TransportError } from "./error";
import { backoffMs, isRetriedStatus, maxAttempts, retryAfterMs } from "./retry";

/** Certificates for servers that ask who is calling (mutual TLS), in PEM or PFX. */
export interface TlsOptions {
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly pfx?: string | Buffer;
  readonly passphrase?: string;
  readonly ca?: string | Buffer;
}

export interface OutgoingRequest {
  readonly origin: string;
  readonly target: string;
  readonly method: Dispatcher.HttpMethod;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData["headers"];
  readonly body: Dispatcher.ResponseData["body"];
  readonly attempts: number;
}

const neverConnected = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
const largestResponseBytes = 256 * 1024 * 1024;

/** Set when a request's head is about to be written: from then on nobody can say that it never left. */
interface Mark {
  sent: boolean;
}

type Handler = Dispatcher.DispatchHandler;

/** Marks a request as sent at the moment its connection takes it. */
class MarkSent implements Handler {
  constructor(
    private readonly inner: Handler,
    private readonly mark: Mark,
  ) {}
  onRequestStart(...args: Parameters<NonNullable<Handler["onRequestStart"]>>) {
    this.mark.sent = true;
    this.inner.onRequestStart?.(...args);
  }
  onResponseStart(...args: Parameters<NonNullable<Handler["onResponseStart"]>>) {
    this.inner.onResponseStart?.(...args);
  }
  onResponseData(...args: Parameters<NonNullable<Handler["onResponseData"]>>) {
    this.inner.onResponseData?.(...args);
  }
  onResponseEnd(...args: Parameters<NonNullable<Handler["onResponseEnd"]>>) {
    this.inner.onResponseEnd?.(...args);
  }
  onResponseError(...args: Parameters<NonNullable<Handler["onResponseError"]>>) {
    this.inner.onResponseError?.(...args);
  }
}

/** The connections of one client: sends requests, tries reads again, and keeps to the pace the service asks for. */
export class Transport {
  readonly #agent: Agent;
  #pausedUntil = 0;

  constructor(tls: TlsOptions | undefined, connections: number) {
    this.#agent = new Agent({
      connections,
      pipelining: 1,
      allowH2: false,
      maxResponseSize: largestResponseBytes,
      ...(tls && { connect: { ...tls } }),
    });
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  /** Sends a read, again when the service or the network asks for it. */
  async read(outgoing: OutgoingRequest, deadline: Deadline): Promise<ReceivedResponse> {
    for (let attempt = 1; ; attempt += 1) {
      if (this.#pausedUntil > 0) await this.#keepPace(deadline, attempt);
      if (deadline.aborted) throw new TransportError(deadline.reason!, attempt > 1, attempt);
      let response: Dispatcher.ResponseData;
      try {
        response = await this.#send(outgoing, deadline, this.#agent);
      } catch (error) {
        const cause = error as NodeJS.ErrnoException;
        const delay = backoffMs(attempt, undefined);
        if (attempt < maxAttempts && !deadline.aborted && delay < deadline.remainingMs) {
          await deadline.wait(delay).catch(fail(false, attempt));
          continue;
        }
        throw new TransportError(cause, !neverConnected.has(cause.code ?? ""), attempt);
      }
      const asked = response.statusCode === 429 ? this.#pause(response) : askedDelay(response);
      const delay = Math.max(backoffMs(attempt, response.statusCode), asked ?? 0);
      if (!isRetriedStatus(response.statusCode) || attempt === maxAttempts || delay >= deadline.remainingMs)
        return received(response, attempt);
      await response.body.dump();
      await deadline.wait(delay).catch(fail(true, attempt));
    }
  }

  /** Sends once, whatever happens. */
  async once(outgoing: OutgoingRequest, deadline: Deadline): Promise<ReceivedResponse> {
    await this.#keepPace(deadline, 1);
    const mark: Mark = { sent: false };
    const marked = this.#agent.compose(
      (dispatch) => (options, handler) => dispatch(options, new MarkSent(handler, mark)),
    );
    try {
      const response = await this.#send(outgoing, deadline, marked);
      if (response.statusCode === 429) this.#pause(response);
      return received(response, 1);
    } catch (error) {
      throw new TransportError(error as Error, mark.sent, 1);
    }
  }

  #send(
    { origin, target, method, headers, body }: OutgoingRequest,
    deadline: Deadline,
    dispatcher: Dispatcher,
  ): Promise<Dispatcher.ResponseData> {
    return dispatcher.request({
      origin,
      path: target,
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: deadline,
      headersTimeout: 0,
      bodyTimeout: 60_000,
    });
  }

  /** What one answer 429 asks for holds for every call that shares the connection. */
  #pause(response: Dispatcher.ResponseData): number | undefined {
    const asked = askedDelay(response);
    if (asked !== undefined) this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + asked);
    return asked;
  }

  async #keepPace(deadline: Deadline, attempt: number): Promise<void> {
    const wait = this.#pausedUntil - Date.now();
    if (wait > 0) await deadline.wait(wait).catch(fail(false, attempt));
    else this.#pausedUntil = 0;
  }
}

const askedDelay = ({ headers }: Dispatcher.ResponseData) => retryAfterMs(headers["retry-after"], Date.now());

const received = (response: Dispatcher.ResponseData, attempts: number): ReceivedResponse => ({
  status: response.statusCode,
  headers: response.headers,
  body: response.body,
  attempts,
});

const fail = (sent: boolean, attempts: number) => (reason: Error) => {
  throw new TransportError(reason, sent, attempts);
};
