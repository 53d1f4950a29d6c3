/** One call, from input to answer. */
import type { FxdeskError } from "../errors";
import type { Problem, Values } from "../operations/check";
import type { Declaration } from "../operations/declaration";
import { encodeRequest } from "../operations/wire";
import { Deadline } from "../transport/deadline";
import { retryAfterMs } from "../transport/retry";
import { TransportError } from "../transport/error";
import type { ReceivedResponse } from "../transport/transport";
import { readAnswer, totalOf } from "./answer";
import { authorise } from "./authorise";
import type { CallOptions, Connection } from "./connection";
import { receivedFile } from "./file";
import { valuesToSend } from "./fill";
import { refusalError, unanswered } from "./refusal";

/** An answer with what came along. */
export interface Reply<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** All entries of a paged list, where the service counts them. */
  readonly total: number | undefined;
  readonly requestId: string | undefined;
  readonly attempts: number;
  /** Where the answer differs from the contract. It is passed on as it came. */
  readonly problems: readonly Problem[];
}

/** Runs the calls of one connection. */
export class Caller {
  constructor(readonly connection: Connection) {}

  async call(operation: Declaration, input: Values, options: CallOptions): Promise<Reply> {
    const values = valuesToSend(operation, input, this.connection, options);
    const deadline = new Deadline(options.timeoutMs ?? this.connection.timeoutMs, options.signal);
    try {
      const response = await this.#sent(operation, values, options, deadline);
      const requestId = text(response.headers["x-request-id"]) ?? text(values["X-Request-ID"]);
      return await this.#read(operation, response, requestId, deadline);
    } finally {
      deadline.release();
    }
  }

  /** Sends the call, once more with another access token when the service refuses the first. */
  async #sent(operation: Declaration, values: Values, options: CallOptions, deadline: Deadline) {
    const { tokens } = this.connection;
    const { target, headers, body } = encodeRequest(operation, values);
    if (values.Accept === undefined) headers.accept = "application/json, */*;q=0.8";
    const send = async () => {
      const token = await authorise(operation, headers, this.connection, options);
      return { token, response: await this.#attempt(operation, { target, headers, body }, deadline) };
    };
    const { token, response } = await send();
    const again = response.status === 401 && operation.effect !== "money" && token !== undefined;
    if (!again || !tokens?.refused(token)) return response;
    await response.body.dump();
    return (await send()).response;
  }

  async #attempt(
    operation: Declaration,
    { target, headers, body }: ReturnType<typeof encodeRequest>,
    deadline: Deadline,
  ): Promise<ReceivedResponse> {
    const { addresses, transport } = this.connection;
    const { origin, prefix } = addresses[operation.server]!;
    const outgoing = { origin, target: prefix + target, method: operation.method, headers, body };
    try {
      if (operation.effect === "read")
        return await transport.read(outgoing, deadline, (status) => isReadWhole(operation, status));
      return await transport.once(outgoing, deadline);
    } catch (error) {
      throw error instanceof TransportError ? unanswered(operation, error, deadline) : error;
    }
  }

  async #read(
    operation: Declaration,
    response: ReceivedResponse,
    requestId: string | undefined,
    deadline: Deadline,
  ): Promise<Reply> {
    const { status, headers, body, attempts } = response;
    const answer = operation.answers[status];
    if (!answer) throw await refused(operation, response, requestId);
    const total = totalOf(operation, headers);
    if (answer.kind === "file") {
      deadline.follow(body);
      const file = receivedFile(headers, body);
      return { status, headers, total, requestId, attempts, body: file, problems: [] };
    }
    const received = response.text ?? (await wholeText(operation, response, deadline));
    const { body: value, problems } = readAnswer(operation, response, answer, received);
    return { status, headers, total, requestId, attempts, body: value, problems };
  }
}

/** A file arrives as it is read; an error says enough by its status. */
function isReadWhole({ answers }: Declaration, status: number): boolean {
  const answer = answers[status];
  return answer !== undefined && answer.kind !== "file";
}

const wholeText = (operation: Declaration, { status, body }: ReceivedResponse, deadline: Deadline) =>
  body.text().catch((cause: Error) => {
    throw unanswered(operation, new TransportError(cause, true, 1, status), deadline);
  });

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

/** The status says no, whether or not its body can be read. */
async function refused(
  operation: Declaration,
  { status, headers, body }: ReceivedResponse,
  requestId: string | undefined,
): Promise<FxdeskError> {
  const content = await body
    .text()
    .then((received): unknown => JSON.parse(received))
    .catch(() => undefined);
  const wait = retryAfterMs(headers["retry-after"], Date.now());
  return refusalError(operation, { status, body: content, requestId, retryAfterMs: wait });
}
