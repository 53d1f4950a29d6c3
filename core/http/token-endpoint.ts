/** OAuth 2.0 token endpoint (RFC 6749): requests, responses and errors. */
import { decodeText, decompress } from "./content-decoding";
import { retryAfterMs } from "./backoff";
import type { Deadline } from "./deadline";
import { TransportError, errorText } from "./transport-errors";
import type { RawResponse } from "./exchange";
import type { Transport } from "./transport";
import type { Secrets } from "./secrets";
import { TokenFailure } from "./token-source";

/** An OAuth application and its token endpoint. */
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

/** Returns the Authorization header of the application (HTTP Basic). */
export const basicAuthorization = ({ clientId, clientSecret }: OAuthApplication): string =>
  `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;

/** Sends a form once, on a separate connection. */
export const sendForm = (
  transport: Transport,
  application: OAuthApplication,
  form: URLSearchParams,
  deadline: Deadline,
): Promise<RawResponse> =>
  transport.send(
    {
      origin: application.origin,
      path: application.path,
      method: "POST",
      headers: [
        "authorization",
        basicAuthorization(application),
        "content-type",
        "application/x-www-form-urlencoded",
      ],
      body: form.toString(),
    },
    deadline,
    { isFile: () => false, maxResponseBytes, useOwnConnection: true, useNewConnection: true },
  );

export function unreachableError(error: unknown, secrets: Secrets): TokenFailure {
  const cause = secrets.redactError(error instanceof TransportError ? error.cause : error);
  return new TokenFailure(`The token endpoint cannot be reached (${errorText(cause)}).`, false, { cause });
}

/** True for statuses that may be retried soon. */
export const isOutage = (status: number) => status >= 500 || status === 429 || status === 408;

/** Returns the JSON object of the response, or an empty object. */
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

/** Throws a TokenFailure unless the status is 200. `credentialName` is for the message, for example "the refresh token". */
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
  throw new TokenFailure(`The token endpoint is temporarily unavailable: ${status}${reason}.`, false, {
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
  });
}

/** Returns the expiry time in milliseconds since 1970. The lifetime may be a number or digits; default: one hour. */
export function expiryOf(lifetime: unknown, startedAt: number): number {
  const seconds = Number(lifetime);
  return startedAt + (seconds > 0 && seconds < 1e9 ? seconds : 3_600) * 1_000;
}
