import { Agent, type Dispatcher } from "undici";
import type { Deadline } from "./deadline";
import { Paused, TransportError } from "./error";
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
  /** The whole body, where it was read along. */
  readonly text: string | undefined;
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
/** What no other attempt would change. */
const tooLarge = "UND_ERR_RES_EXCEEDED_MAX_SIZE";
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

  /**
   * Sends a read, again when the service or the network asks for it. Where `isWhole` says so of its status, the body is
   * read along: an answer that breaks off is asked for again as well.
   */
  async read(
    outgoing: OutgoingRequest,
    deadline: Deadline,
    isWhole: (status: number) => boolean,
  ): Promise<ReceivedResponse> {
    let sent = false;
    for (let attempt = 1; ; attempt += 1) {
      if (this.#pausedUntil > 0) await this.#keepPace(deadline, attempt, sent);
      if (deadline.aborted) throw new TransportError(deadline.reason!, sent, attempt);
      let response: Dispatcher.ResponseData | undefined;
      let text: string | undefined;
      try {
        response = await this.#send(outgoing, deadline, this.#agent);
        if (isWhole(response.statusCode)) text = await response.body.text();
      } catch (error) {
        const cause = error as NodeJS.ErrnoException;
        sent ||= !neverConnected.has(cause.code ?? "");
        const delay = backoffMs(attempt, undefined);
        const again = attempt < maxAttempts && cause.code !== tooLarge;
        if (!again || deadline.aborted || delay >= deadline.remainingMs)
          throw new TransportError(cause, sent, attempt, response?.statusCode);
        await deadline.wait(delay).catch(fail(sent, attempt));
        continue;
      }
      sent = true;
      const asked = response.statusCode === 429 ? this.#pause(response) : askedDelay(response);
      const delay = Math.max(backoffMs(attempt, response.statusCode), asked ?? 0);
      if (!isRetriedStatus(response.statusCode) || attempt === maxAttempts || delay >= deadline.remainingMs)
        return received(response, attempt, text);
      await response.body.dump();
      await deadline.wait(delay).catch(fail(sent, attempt));
    }
  }

  /** Sends once, whatever happens. */
  async once(outgoing: OutgoingRequest, deadline: Deadline): Promise<ReceivedResponse> {
    await this.#keepPace(deadline, 1, false);
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

  /** Waits until the service wants calls again. Throws at once when that is later than the deadline. */
  async #keepPace(deadline: Deadline, attempt: number, sent: boolean): Promise<void> {
    const wait = this.#pausedUntil - Date.now();
    if (wait <= 0) {
      this.#pausedUntil = 0;
      return;
    }
    if (!deadline.aborted && wait >= deadline.remainingMs) throw new Paused(wait, sent, attempt);
    await deadline.wait(wait).catch(fail(sent, attempt));
  }
}

const askedDelay = ({ headers }: Dispatcher.ResponseData) => retryAfterMs(headers["retry-after"], Date.now());

const received = (
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  attempts: number,
  text?: string,
): ReceivedResponse => ({ status, headers, body, text, attempts });

const fail = (sent: boolean, attempts: number) => (reason: Error) => {
  throw new TransportError(reason, sent, attempts);
};
