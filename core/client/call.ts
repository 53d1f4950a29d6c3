/** One call, from input to response. */
import { pipeline } from "node:stream";
import { FxdeskError } from "../errors";
import type { Problem, Values } from "../operations/check";
import type { Answer, Declaration } from "../operations/declaration";
import { TokenFailure } from "../credentials/tokens";
import { decoded, inflated, inflatedStream } from "../transport/content";
import { Deadline, Ended } from "../transport/deadline";
import { TooLarge, TransportError } from "../transport/error";
import { FileBody, type Headers, type Received } from "../transport/exchange";
import type { Permit } from "../transport/pacing";
import { backoffMs, isRetriedStatus, maxAttempts, RetryBudget, retryAfterMs } from "../transport/retry";
import { channels, tell } from "./channels";
import type { CallOptions, ClientOptions, Connection } from "./connection";
import { failureOf, refusalError, serviceMessage, unreadable } from "./failure";
import { FileContent, receivedFile } from "./file";
import { chain, type PreparedCall } from "./pipeline";
import { prepared, settingsFor } from "./prepare";
import { readResponse, totalOf } from "./response";

/** A response with what came along. */
export interface Reply<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** All entries of a paged list, where the service counts them. */
  readonly total: number | undefined;
  readonly requestId: string | undefined;
  readonly attempts: number;
  /** Where the response differs from the contract. It is passed on as it came. */
  readonly problems: readonly Problem[];
}

/** Bytes of a JSON text, after inflation: more holds up everything else in the process. */
const largestBytes = 32 * 1024 * 1024;

/** A call on its way. */
interface Journey {
  readonly call: PreparedCall;
  readonly deadline: Deadline;
  /** Gives back the place that pacing gave. */
  permit: Permit;
  attempts: number;
  /** Whether a request of it may have left. */
  sent: boolean;
  /** Of the response that is there, or broke off. */
  status: number | undefined;
  requestId: string | undefined;
}

/** Runs the calls of one connection. */
export class Caller {
  readonly #send: (call: PreparedCall) => Promise<Reply>;
  readonly #budgets = new Map<string, RetryBudget>();
  /** Calls whose end is still to come. */
  #underWay = 0;
  #idle: (() => void)[] = [];
  #closed = false;

  constructor(
    readonly connection: Connection,
    interceptors: ClientOptions["interceptors"] = [],
  ) {
    this.#send = chain(interceptors, (call) => this.#leave(call));
  }

  prepare(operation: Declaration, input: Values, options: CallOptions): PreparedCall {
    try {
      return prepared(operation, input, this.connection, options);
    } catch (error) {
      throw failureOf(operation, error, { attempts: 0, sent: false });
    }
  }

  async call(operation: Declaration, input: Values, options: CallOptions): Promise<Reply> {
    if (this.#closed) throw closed(operation);
    this.#underWay += 1;
    try {
      const call = this.prepare(operation, input, options);
      if (!channels.call.hasSubscribers) return await this.#send(call);
      const { name, effect } = operation;
      return await channels.call.tracePromise(() => this.#send(call), { operation: name, effect });
    } finally {
      this.#ended();
    }
  }

  /** Takes no more calls, and closes the connections when those under way have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.connection.tokens?.settled();
    this.connection.transport.close();
  }

  #ended(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Where the chain ends: the call goes to the service. */
  async #leave(call: PreparedCall): Promise<Reply> {
    const { operation, options } = call;
    const { queueTimeoutMs } = this.connection;
    const journey: Journey = {
      call,
      deadline: new Deadline(options.queueTimeoutMs ?? queueTimeoutMs, options.signal),
      permit: () => undefined,
      attempts: 0,
      sent: false,
      status: undefined,
      requestId: undefined,
    };
    try {
      const received = await this.#received(journey);
      journey.sent = true;
      journey.status = received.status;
      return await this.#read(journey, received);
    } catch (error) {
      journey.deadline.release();
      journey.permit();
      throw failureOf(operation, error, journey);
    }
  }

  /** Sends the call, again where that is allowed, until there is a response. */
  async #received(journey: Journey): Promise<Received> {
    const { call, deadline } = journey;
    const { operation, options } = call;
    const { pacing, tokens, timeoutMs } = this.connection;
    const server = this.#serverOf(operation);
    let renewed = false;
    for (;;) {
      journey.permit = await pacing.acquire(server, deadline);
      if (journey.attempts === 0) deadline.go(options.timeoutMs ?? timeoutMs);
      const { headers, token } = await this.#authorised(call, deadline);
      deadline.assertOpen();
      journey.attempts += 1;
      const attempt = await this.#attempt(journey, headers);
      if (attempt instanceof TransportError) {
        const delay = this.#delayAfter(journey, undefined, attempt);
        if (delay === undefined) throw attempt;
        journey.permit();
        await deadline.wait(delay);
        continue;
      }
      const { status } = attempt;
      if (
        status === 401 &&
        token !== undefined &&
        tokens?.refused(token) &&
        operation.effect !== "money" &&
        !renewed
      ) {
        renewed = true;
        journey.permit();
        continue;
      }
      const asked = retryAfterMs(attempt.headers["retry-after"], Date.now());
      if (status === 429 && asked !== undefined) this.#pause(operation, asked);
      const delay = isRetriedStatus(status)
        ? this.#delayAfter(journey, attempt, undefined, asked)
        : undefined;
      if (delay === undefined) {
        if (status < 400) this.#budget(server).refill();
        return attempt;
      }
      journey.permit();
      await deadline.wait(delay);
    }
  }

  /** One request; what is told by a status stands also where its body broke off. */
  async #attempt(journey: Journey, headers: Record<string, string>): Promise<Received | TransportError> {
    const { call, deadline, attempts } = journey;
    const { operation } = call;
    const { origin, prefix } = this.connection.addresses[operation.server]!;
    const { name, method, effect, answers } = operation;
    try {
      const received = await this.connection.transport.send(
        { origin, path: prefix + call.target, method, headers, body: call.body },
        deadline,
        { isFile: (status) => answers[status]?.kind === "file", largestBytes, alone: effect === "money" },
      );
      journey.sent = true;
      const { status } = received;
      tell.attempt({ operation: name, attempt: attempts, sent: true, status });
      return received;
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const { sent, status } = error;
      const cause = this.connection.secrets.cutError(error.cause);
      const { message } = cause;
      tell.attempt({ operation: name, attempt: attempts, sent, ...(status && { status }), error: message });
      journey.sent ||= sent;
      if (status !== undefined && !answers[status]) return { status, headers: {}, body: Buffer.alloc(0) };
      journey.status = status;
      return new TransportError(cause, sent, status);
    }
  }

  /**
   * How long to wait before the call is sent again; undefined when it is not. Only reads are sent again after they left. A
   * call that has certainly not left may go once more.
   */
  #delayAfter(
    { call: { operation }, deadline, attempts, sent }: Journey,
    received: Received | undefined,
    error?: TransportError,
    askedMs = 0,
  ): number | undefined {
    const reads = operation.effect === "read";
    if (deadline.ended || error?.cause instanceof TooLarge) return undefined;
    if (reads ? attempts >= maxAttempts : sent || attempts >= 2) return undefined;
    const delay = Math.max(backoffMs(attempts, received?.status), askedMs);
    if (delay >= deadline.remainingMs) return undefined;
    if (reads && !this.#budget(this.#serverOf(operation)).take(received?.status)) return undefined;
    deadline.heedCaller(true);
    return delay;
  }

  /** The headers of the call with the credentials that its operation declares. */
  async #authorised({ operation, headers: given, options }: PreparedCall, deadline: Deadline) {
    const { carriedBy, tokens } = this.connection;
    const headers: Record<string, string> = { ...given };
    const settings = settingsFor(this.connection, options);
    let token: string | undefined;
    for (const { kind, header, setting, needed } of carriedBy(operation)) {
      if (kind === "header") {
        const value = settings[setting];
        if (value) headers[header] = value;
        continue;
      }
      if (!tokens && needed) throw new TokenFailure("Set the credentials of the connection.", true);
      if (!tokens) continue;
      token = await tokens.get(deadline, operation.effect === "money");
      headers[header] = `Bearer ${token}`;
    }
    return { headers, token };
  }

  async #read(journey: Journey, received: Received): Promise<Reply> {
    const { call, deadline } = journey;
    const { operation } = call;
    const { status, attempts } = { status: received.status, attempts: journey.attempts };
    const { secrets, service } = this.connection;
    const headers = shown(received.headers, (text) => secrets.cut(text));
    const requestId = this.#requestId(call, headers);
    journey.requestId = requestId;
    const total = totalOf(operation, headers);
    const answer: Answer | undefined = operation.answers[status];
    if (received.body instanceof FileBody) {
      const body = receivedFile(operation.name, headers, this.#fileContent(journey, received.body, headers));
      return { status, headers, total, requestId, attempts, body, problems: [] };
    }
    const content = await this.#text(journey, received.body, headers, answer === undefined);
    journey.permit();
    deadline.release();
    if (!answer) {
      const wait = retryAfterMs(headers["retry-after"], Date.now());
      const said = serviceMessage(jsonOf(content.text), service.errorBodies);
      throw refusalError(operation, { status, service: said, requestId, retryAfterMs: wait, attempts });
    }
    const { body, problems } = readResponse(operation, answer, { status, headers, content }, journey);
    return { status, headers, total, requestId, attempts, body, problems };
  }

  /** The text of a body, without the secrets of the connection. An error says enough by its status. */
  async #text({ call, deadline, ...progress }: Journey, body: Buffer, headers: Headers, isError: boolean) {
    try {
      const encoding = text(headers["content-encoding"]);
      const pending = inflated(body, encoding, largestBytes);
      const bytes = pending instanceof Promise ? await deadline.race(pending) : pending;
      const { text: received, ...rest } = decoded(bytes, text(headers["content-type"]));
      return { text: this.connection.secrets.cut(received), ...rest };
    } catch (error) {
      if (isError) return { text: "" };
      if (error instanceof Ended) throw error;
      throw unreadable(call.operation, (error as Error).message, progress, error);
    }
  }

  /** The file as it arrives. The call's time is up when it has not arrived by then. */
  #fileContent(journey: Journey, file: FileBody, headers: Headers): FileContent {
    const { call, deadline } = journey;
    const explain = (error: Error) =>
      failureOf(
        call.operation,
        error instanceof Ended
          ? error
          : new TransportError(this.connection.secrets.cutError(error), true, journey.status),
        journey,
      );
    const stream = this.#inflatedFile(journey, file, headers);
    const content = new FileContent(this.connection.secrets, explain);
    deadline.follow((reason) => content.destroy(reason));
    this.#underWay += 1;
    content.once("close", () => {
      deadline.release();
      journey.permit();
      this.#ended();
    });
    pipeline(stream, content, () => undefined);
    return content;
  }

  #inflatedFile({ call, ...progress }: Journey, file: FileBody, headers: Headers) {
    try {
      return inflatedStream(file, text(headers["content-encoding"]));
    } catch (error) {
      file.destroy();
      throw unreadable(call.operation, (error as Error).message, progress, error);
    }
  }

  #requestId({ values }: PreparedCall, headers: Headers): string | undefined {
    const header = this.connection.service.requestIdHeader;
    return header === undefined ? undefined : (text(headers[header.toLowerCase()]) ?? text(values[header]));
  }

  #serverOf({ server }: Declaration): string {
    return `${server} ${this.connection.addresses[server]!.origin}`;
  }

  #budget(server: string): RetryBudget {
    let budget = this.#budgets.get(server);
    if (!budget) this.#budgets.set(server, (budget = new RetryBudget()));
    return budget;
  }

  #pause(operation: Declaration, milliseconds: number): void {
    this.connection.pacing.pause(this.#serverOf(operation), milliseconds);
    tell.pause({ server: operation.server, milliseconds });
  }
}

const closed = ({ name }: Declaration) =>
  new FxdeskError(`${name}: The client is closed. Nothing was sent.`, {
    operation: name,
    code: "no_connection",
    outcome: "not-sent",
  });

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

function jsonOf(received: string): unknown {
  try {
    return JSON.parse(received);
  } catch {
    return undefined;
  }
}

/** Headers without secrets; the same object where none holds one. */
function shown(headers: Headers, cut: (text: string) => string): Headers {
  const cutAll = (value: string | string[] | undefined) =>
    typeof value === "string" ? cut(value) : value?.map(cut);
  for (const name in headers)
    if (String(cutAll(headers[name])) !== String(headers[name]))
      return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, cutAll(value)]));
  return headers;
}
