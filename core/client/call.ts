/** One call, from input to answer: check, fill, send, read. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { TokenError } from "../credentials/tokens";
import {
  Aborted,
  FxdeskError,
  InvalidInput,
  InvalidResponse,
  Timeout,
  Unauthorized,
  Unavailable,
} from "../errors";
import { checkInput, type Problem, type Values } from "../operations/check";
import type { Answer, Credential, Declaration } from "../operations/declaration";
import { fieldsOf } from "../operations/fields";
import { perOperation } from "../operations/memo";
import { encodeRequest, escapesPath } from "../operations/wire";
import { Deadline } from "../transport/deadline";
import { retryAfterMs } from "../transport/retry";
import { type ReceivedResponse, TransportError } from "../transport/transport";
import { type Connection, localAddress, type PsuContext } from "./connection";
import { receivedFile } from "./file";
import { lostAnswer, refusalError } from "./refusal";

/** What one call may say differently from its connection. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Time limit over all attempts, in milliseconds. */
  readonly timeoutMs?: number;
  readonly clientId?: string;
  readonly contactId?: string;
  readonly psu?: PsuContext;
  /** X-Request-ID of an open-banking call; made when not given. */
  readonly requestId?: string;
}

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

const made: Readonly<Record<string, () => string>> = {
  "X-Request-ID": randomUUID,
  "PSU-IP-Address": localAddress,
};

const optional = (credential: Credential) => credential.endsWith("?");

/** Runs the calls of one connection. */
export class Caller {
  constructor(readonly connection: Connection) {}

  async call(operation: Declaration, input: Values, options: CallOptions): Promise<Reply> {
    const values = this.#filled(operation, input, options);
    const deadline = new Deadline(options.timeoutMs ?? this.connection.timeoutMs, options.signal);
    try {
      const response = await this.#sent(operation, values, options, deadline);
      return await this.#read(operation, values, response, deadline);
    } finally {
      deadline.stopClock();
      if (!deadline.reading) deadline.release();
    }
  }

  /** Input checked, and what the connection and fxdesk fill added. */
  #filled(operation: Declaration, input: Values, options: CallOptions): Values {
    const problems = checkInput(operation, input, new Date());
    const values: Record<string, unknown> = { ...input };
    const { clientId = this.connection.settings.clientId, contactId, psu, requestId } = options;
    const own: Record<string, unknown> = { ...this.connection.settings, clientId, ...psu };
    if (requestId !== undefined) own["X-Request-ID"] = requestId;
    for (const { name, place, by, setting, required } of fieldsOf(operation)) {
      if (by !== "caller") {
        values[name] = own[setting] ?? (required ? made[setting]?.() : undefined);
        if (required && values[name] === undefined)
          problems.push({ field: setting, says: "is required; set it on the connection" });
      }
      if (place === "path" && typeof values[name] === "string" && escapesPath(values[name]))
        problems.push({ field: name, says: "must not be empty, a dot segment, or contain a slash" });
    }
    if (operation.credentials.includes("contactId") && !(contactId ?? own.contactId))
      problems.push({ field: "contactId", says: "is required here; set it on the connection" });
    if (problems.length > 0) throw invalidInput(operation, problems);
    return values;
  }

  async #sent(
    operation: Declaration,
    values: Values,
    options: CallOptions,
    deadline: Deadline,
  ): Promise<ReceivedResponse> {
    const address = this.connection.addresses[operation.server];
    if (!address) {
      const field = operation.server === "service" ? "baseUrl" : "xs2aUrl";
      throw invalidInput(operation, [{ field, says: "is required; set it on the connection" }]);
    }
    const { target, headers, body } = encodeRequest(operation, values);
    headers.accept = operation.server === "xs2a" ? "application/json" : "application/json, */*";
    const send = async () => {
      const token = await this.#authorise(operation, headers, options);
      const outgoing = {
        origin: address.origin,
        target: address.prefix + target,
        method: operation.method,
        headers,
        body,
      };
      const { transport } = this.connection;
      const response =
        operation.effect === "read"
          ? await transport.read(outgoing, deadline)
          : await transport.once(outgoing, deadline);
      return { response, token };
    };
    try {
      const { response, token } = await send();
      const again =
        response.status === 401 &&
        operation.effect !== "money" &&
        token !== undefined &&
        this.connection.tokens?.refused(token);
      if (!again) return response;
      await response.body.dump();
      return (await send()).response;
    } catch (error) {
      throw this.#unanswered(operation, error as Error, deadline);
    }
  }

  /** Adds the credentials the operation declares; answers the access token that was used. */
  async #authorise(
    operation: Declaration,
    headers: Record<string, string>,
    options: CallOptions,
  ): Promise<string | undefined> {
    const { tokens, apiKey, settings } = this.connection;
    let token: string | undefined;
    for (const credential of operation.credentials) {
      if (credential.startsWith("accessToken")) {
        token = await tokens?.get();
        if (token !== undefined) headers.authorization = `Bearer ${token}`;
        else if (!optional(credential)) throw noToken(operation);
      } else if (credential === "apiKey") {
        if (apiKey !== undefined) headers["x-api-key"] = apiKey;
      } else {
        const contact = options.contactId ?? settings.contactId;
        if (contact !== undefined) headers["X-Contact-ID"] = contact;
      }
    }
    return token;
  }

  #unanswered(operation: Declaration, error: Error, deadline: Deadline): FxdeskError {
    if (error instanceof FxdeskError) return error;
    const { name, effect } = operation;
    if (error instanceof TokenError || !(error instanceof TransportError))
      return new Unauthorized(`${name}: No access token. ${error.message}`, {
        operation: name,
        code: "unauthorized",
        outcome: "not-sent",
        cause: error,
      });
    const { cause, sent } = error;
    const facts = { operation: name, outcome: sent ? ("unknown" as const) : ("not-sent" as const), cause };
    if (sent && effect === "money")
      return lostAnswer(operation, `The answer was lost (${cause.message}).`, { cause });
    if (deadline.byCaller)
      return new Aborted(`${name}: The call was aborted.`, { ...facts, code: "aborted" });
    if (deadline.aborted)
      return new Timeout(`${name}: ${cause.message}`, { ...facts, code: "timeout", retryable: true });
    return new Unavailable(`${name}: The service cannot be reached (${cause.message}).`, {
      ...facts,
      code: "unavailable",
      retryable: effect === "read" || !sent,
    });
  }

  async #read(
    operation: Declaration,
    values: Values,
    response: ReceivedResponse,
    deadline: Deadline,
  ): Promise<Reply> {
    const { status, headers, body, attempts } = response;
    const requestId = text(headers["x-request-id"]) ?? text(values["X-Request-ID"]);
    const answer = operation.answers[status];
    if (answer?.kind === "file") {
      deadline.reading = true;
      body.once("close", () => deadline.release());
      const file = receivedFile(headers, body);
      return { status, body: file, headers, total: undefined, requestId, attempts, problems: [] };
    }
    let received: string;
    try {
      received = await body.text();
    } catch (cause) {
      throw this.#brokenOff(operation, cause as Error, deadline, status);
    }
    if (!answer) {
      const retryAfter = retryAfterMs(headers["retry-after"], Date.now());
      throw refusalError(operation, {
        status,
        body: jsonOrUndefined(received),
        requestId,
        retryAfterMs: retryAfter,
      });
    }
    const { content, problems } = readAnswer(operation, status, answer, received);
    return {
      status,
      body: content,
      headers,
      total: totalOf(operation, headers),
      requestId,
      attempts,
      problems,
    };
  }

  #brokenOff(operation: Declaration, cause: Error, deadline: Deadline, status: number): FxdeskError {
    if (operation.effect === "money")
      return lostAnswer(operation, `The answer (${status}) broke off.`, { status, cause });
    return this.#unanswered(operation, new TransportError(cause, true, 1), deadline);
  }
}

const text = (value: unknown) => (typeof value === "string" ? value : undefined);

function invalidInput(operation: Declaration, problems: readonly Problem[]): InvalidInput {
  const list = problems.map(({ field, says }) => (field ? `${field} ${says}` : says)).join("; ");
  return new InvalidInput(`${operation.name}: ${list}.`.replace(/\.+$/, "."), {
    operation: operation.name,
    code: "invalid_input",
    outcome: "not-sent",
    problems,
  });
}

const noToken = (operation: Declaration) =>
  new Unauthorized(`${operation.name}: No access token. Set the credentials of the connection.`, {
    operation: operation.name,
    code: "unauthorized",
    outcome: "not-sent",
  });

function jsonOrUndefined(received: string): unknown {
  try {
    return JSON.parse(received);
  } catch {
    return undefined;
  }
}

/** A response schema checks; what it would strip is not stripped, because the body is passed on as it came. */
const compiledAnswers = perOperation((operation) => {
  const schemas = Object.entries(operation.answers).flatMap(([status, answer]) =>
    answer.kind === "json" ? [[status, z.compile(answer.schema)] as const] : [],
  );
  return new Map(schemas);
});

function readAnswer(operation: Declaration, status: number, answer: Answer, received: string) {
  if (answer.kind === "empty") return { content: undefined, problems: [] };
  if (answer.kind !== "json") return { content: received, problems: [] };
  let content: unknown;
  try {
    content = JSON.parse(received);
  } catch (cause) {
    if (operation.effect === "money")
      throw lostAnswer(operation, `The answer (${status}) is not JSON.`, { status, cause });
    throw new InvalidResponse(`${operation.name}: The answer (${status}) is not JSON.`, {
      operation: operation.name,
      code: "invalid_response",
      outcome: "unknown",
      status,
      cause,
    });
  }
  const result = compiledAnswers(operation).get(String(status))!.safeParse(content);
  const problems = result.success
    ? []
    : result.error.issues.map((issue) => ({ field: issue.path.map(String).join("."), says: issue.message }));
  return { content, problems };
}

/** A header that came twice, or is no number, counts nothing. */
function totalOf({ pages }: Declaration, headers: ReceivedResponse["headers"]): number | undefined {
  const value = pages?.total === undefined ? undefined : headers[pages.total];
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : undefined;
}
