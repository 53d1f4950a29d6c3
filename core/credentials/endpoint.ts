/** The token endpoint of a service, as an application asks it: OAuth 2.0, RFC 6749. */
import { decoded, inflated } from "../transport/content";
import { retryAfterMs } from "../transport/backoff";
import type { Deadline } from "../transport/deadline";
import { TransportError, errorText } from "../transport/error";
import { OutgoingRequest, type RawResponse } from "../transport/exchange";
import type { Transport } from "../transport/transport";
import type { Secrets } from "./secrets";
import { TokenFailure } from "./tokens";

/** An application, and where it gets its tokens. */
export interface Application {
  readonly origin: string;
  /** Path of the endpoint. */
  readonly path: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  readonly timeoutMs: number;
}

const largestBytes = 1024 * 1024;

/** How an application says who it is: HTTP Basic. */
export const authorizationOf = ({ clientId, clientSecret }: Application): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;

/** Sends a form once, on a connection of its own. */
export const sendForm = (
  transport: Transport,
  application: Application,
  form: URLSearchParams,
  deadline: Deadline,
): Promise<RawResponse> =>
  transport.send(
    new OutgoingRequest(
      application.origin,
      application.path,
      "POST",
      ["authorization", authorizationOf(application), "content-type", "application/x-www-form-urlencoded"],
      form.toString(),
    ),
    deadline,
    { isFile: () => false, largestBytes, alone: true, fresh: true },
  );

export function unreached(error: unknown, secrets: Secrets): TokenFailure {
  const cause = secrets.redactError(error instanceof TransportError ? error.cause : error);
  return new TokenFailure(`The token endpoint cannot be reached (${errorText(cause)}).`, false, { cause });
}

/** One that may be asked again soon: it failed, or nobody heard it. */
export const isOutage = (status: number) => status >= 500 || status === 429 || status === 408;

/** What the endpoint says; nothing where that is no JSON object. */
export async function bodyOf(
  { body, headers }: RawResponse,
  secrets: Secrets,
): Promise<Record<string, unknown>> {
  try {
    const bytes = await inflated(body as Buffer, String(headers["content-encoding"] ?? ""), largestBytes);
    const { text } = decoded(bytes, String(headers["content-type"] ?? ""));
    const value = JSON.parse(text) as unknown;
    if (typeof value !== "object" || value === null) return {};
    const { error, ...rest } = value as Record<string, unknown>;
    if (typeof error !== "string") return rest;
    return { ...rest, error: secrets.redact(error).replaceAll(/\s+/g, " ").slice(0, 100) };
  } catch {
    return {};
  }
}

/** Throws a TokenFailure where the endpoint gave nothing for what it was sent, such as "the refresh token". */
export function assertGiven(
  { status, headers }: RawResponse,
  { error }: Readonly<Record<string, unknown>>,
  sent: string,
): void {
  const because = typeof error === "string" && error !== "" ? ` (${error})` : "";
  if (status >= 400 && !isOutage(status))
    throw new TokenFailure(`The token endpoint refused ${sent}: ${status}${because}. Log in again.`, true);
  if (status === 200) return;
  const retryAfter = retryAfterMs(headers["retry-after"], Date.now());
  throw new TokenFailure(`The token endpoint cannot respond now: ${status}${because}.`, false, {
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
  });
}

/** When an access token ends, in milliseconds since 1970. Its lifetime comes as a number or as digits; an hour is usual. */
export function endOf(lifetime: unknown, begun: number): number {
  const seconds = Number(lifetime);
  return begun + (seconds > 0 && seconds < 1e9 ? seconds : 3_600) * 1_000;
}
