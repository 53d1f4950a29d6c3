/** The token endpoint of a service, as an application asks it: OAuth 2.0, RFC 6749. */
import { decodeText, decompress } from "../transport/content-decoding";
import { retryAfterMs } from "../transport/backoff";
import type { Deadline } from "../transport/deadline";
import { TransportError, errorText } from "../transport/transport-errors";
import { OutgoingRequest, type RawResponse } from "../transport/exchange";
import type { Transport } from "../transport/transport";
import type { Secrets } from "./secrets";
import { TokenFailure } from "./token-source";

/** An application, and where it gets its tokens. */
export interface OAuthApplication {
  readonly origin: string;
  /** Path of the endpoint. */
  readonly path: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  readonly timeoutMs: number;
}

const maxResponseBytes = 1024 * 1024;

/** How an application says who it is: HTTP Basic. */
export const basicAuthorization = ({ clientId, clientSecret }: OAuthApplication): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;

/** Sends a form once, on a connection of its own. */
export const sendForm = (
  transport: Transport,
  application: OAuthApplication,
  form: URLSearchParams,
  deadline: Deadline,
): Promise<RawResponse> =>
  transport.send(
    new OutgoingRequest(
      application.origin,
      application.path,
      "POST",
      ["authorization", basicAuthorization(application), "content-type", "application/x-www-form-urlencoded"],
      form.toString(),
    ),
    deadline,
    { isFile: () => false, maxResponseBytes, useOwnConnection: true, useNewConnection: true },
  );

export function unreachableError(error: unknown, secrets: Secrets): TokenFailure {
  const cause = secrets.redactError(error instanceof TransportError ? error.cause : error);
  return new TokenFailure(`The token endpoint cannot be reached (${errorText(cause)}).`, false, { cause });
}

/** One that may be asked again soon: it failed, or nobody heard it. */
export const isOutage = (status: number) => status >= 500 || status === 429 || status === 408;

/** What the endpoint says; nothing where that is no JSON object. */
export async function readTokenResponse(
  { body, headers }: RawResponse,
  secrets: Secrets,
): Promise<Record<string, unknown>> {
  try {
    const bytes = await decompress(
      body as Buffer,
      String(headers["content-encoding"] ?? ""),
      maxResponseBytes,
    );
    const { text } = decodeText(bytes, String(headers["content-type"] ?? ""));
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
export function assertGranted(
  { status, headers }: RawResponse,
  { error }: Readonly<Record<string, unknown>>,
  credentialName: string,
): void {
  const reason = typeof error === "string" && error !== "" ? ` (${error})` : "";
  if (status >= 400 && !isOutage(status))
    throw new TokenFailure(
      `The token endpoint refused ${credentialName}: ${status}${reason}. Log in again.`,
      true,
    );
  if (status === 200) return;
  const retryAfter = retryAfterMs(headers["retry-after"], Date.now());
  throw new TokenFailure(`The token endpoint cannot respond now: ${status}${reason}.`, false, {
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
  });
}

/** When an access token ends, in milliseconds since 1970. Its lifetime comes as a number or as digits; an hour is usual. */
export function expiryOf(lifetime: unknown, startedAt: number): number {
  const seconds = Number(lifetime);
  return startedAt + (seconds > 0 && seconds < 1e9 ? seconds : 3_600) * 1_000;
}
