/** OAuth 2.0 token endpoint (RFC 6749): requests, responses and errors. */
import { setTimeout as wait } from "node:timers/promises";
import { decodeText, decompress } from "./content-decoding";
import { backoffMs, retryAfterMs } from "./backoff";
import { Deadline } from "./deadline";
import { TransportError, errorText } from "./transport-errors";
import type { RawResponse } from "./exchange";
import type { Transport } from "./transport";
import type { Secrets } from "./secrets";
import { type RefreshTokens, TokenFailure, type Tokens } from "./token-source";

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

/** How a connection reaches its token endpoint. */
export interface TokenEndpoint {
  readonly transport: Transport;
  readonly application: OAuthApplication;
  readonly secrets: Secrets;
}

/** A grant to exchange for tokens. */
interface TokenRequest {
  readonly form: Readonly<Record<string, string>>;
  /** Name of the credential in messages, for example "the refresh token". */
  readonly credentialName: string;
  /** More than 1 if the endpoint accepts the credential again after its response was lost. */
  readonly maxAttempts: number;
}

/** Tokens, with the fields of the response. */
interface TokenResponse {
  readonly tokens: Tokens;
  readonly body: Readonly<Record<string, unknown>>;
}

const maxResponseBytes = 1024 * 1024;

/** Returns the credentials of the application for HTTP Basic. */
export const basicCredentials = ({ clientId, clientSecret }: OAuthApplication): string =>
  Buffer.from(`${clientId}:${clientSecret}`).toString("base64");

/** Returns a function that refreshes tokens (section 6). */
export function createTokenRefresh(endpoint: TokenEndpoint): RefreshTokens {
  const { application, secrets } = endpoint;
  secrets.add(basicCredentials(application));
  return async ({ refreshToken }) => {
    secrets.add(refreshToken);
    const { scope } = application;
    const form = { grant_type: "refresh_token", refresh_token: refreshToken, scope };
    const request = { form, credentialName: "the refresh token", maxAttempts: 3 };
    const { tokens } = await requestTokens(endpoint, request);
    return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
  };
}

/** Exchanges a grant for tokens. Throws a TokenFailure. */
export async function requestTokens(endpoint: TokenEndpoint, request: TokenRequest): Promise<TokenResponse> {
  const { application, secrets } = endpoint;
  const startedAt = Date.now();
  const deadline = new Deadline(application.timeoutMs);
  deadline.startTimeLimit(application.timeoutMs);
  const received = await sendWithRetries(endpoint, request, deadline).finally(() => deadline.release());
  const body = await readTokenResponse(received, secrets);
  assertGranted(received, body, request.credentialName);
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: lifetime } = body;
  if (!isText(accessToken)) throw new TokenFailure("The token endpoint returned no access token.", false);
  const tokens = {
    accessToken,
    refreshToken: isText(refreshToken) ? refreshToken : undefined,
    expiresAt: expiryOf(lifetime, startedAt),
  };
  secrets.add(tokens.accessToken);
  secrets.add(tokens.refreshToken);
  return { tokens, body };
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

async function sendWithRetries(
  endpoint: TokenEndpoint,
  { form, maxAttempts }: TokenRequest,
  deadline: Deadline,
): Promise<RawResponse> {
  for (let attempt = 1; ; attempt += 1) {
    let received: RawResponse | undefined;
    let cause: unknown;
    try {
      received = await sendForm(endpoint, form, deadline);
      if (!isOutage(received.status) || attempt === maxAttempts) return received;
    } catch (error) {
      cause = error;
    }
    const requestedDelay = received && retryAfterMs(received.headers["retry-after"], Date.now());
    const delay = Math.max(requestedDelay ?? 0, backoffMs(attempt, received?.status));
    if (received && delay >= deadline.remainingMs) return received;
    if (attempt === maxAttempts || deadline.ended || delay >= deadline.remainingMs)
      throw unreachableError(cause, endpoint.secrets);
    await wait(delay);
  }
}

/** Sends a form once, on a separate connection. */
const sendForm = (
  { transport, application }: TokenEndpoint,
  form: TokenRequest["form"],
  deadline: Deadline,
): Promise<RawResponse> =>
  transport.send(
    {
      origin: application.origin,
      path: application.path,
      method: "POST",
      headers: [
        "authorization",
        `Basic ${basicCredentials(application)}`,
        "content-type",
        "application/x-www-form-urlencoded",
      ],
      body: new URLSearchParams(form).toString(),
    },
    deadline,
    { isFile: () => false, maxResponseBytes, useOwnConnection: true, useNewConnection: true },
  );

function unreachableError(error: unknown, secrets: Secrets): TokenFailure {
  const cause = secrets.redactError(error instanceof TransportError ? error.cause : error);
  return new TokenFailure(`The token endpoint cannot be reached (${errorText(cause)}).`, false, { cause });
}

/** True for statuses that may be retried soon. */
const isOutage = (status: number) => status >= 500 || status === 429 || status === 408;

/** Returns the JSON object of the response, or an empty object. */
async function readTokenResponse(
  { body, headers }: RawResponse,
  secrets: Secrets,
): Promise<Record<string, unknown>> {
  try {
    const encoding = String(headers["content-encoding"] ?? "");
    const bytes = await decompress(body as Buffer, encoding, maxResponseBytes);
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

/** Throws a TokenFailure unless the status is 200. */
function assertGranted(
  { status, headers }: RawResponse,
  { error }: Readonly<Record<string, unknown>>,
  credentialName: string,
): void {
  if (status === 200) return;
  const reason = isText(error) ? ` (${error})` : "";
  if (status >= 400 && !isOutage(status))
    throw new TokenFailure(
      `The token endpoint refused ${credentialName}: ${status}${reason}. Log in again.`,
      true,
    );
  const retryAfter = retryAfterMs(headers["retry-after"], Date.now());
  throw new TokenFailure(`The token endpoint is temporarily unavailable: ${status}${reason}.`, false, {
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
  });
}

/** Returns the expiry time in milliseconds since 1970. The lifetime may be a number or digits; default: one hour. */
function expiryOf(lifetime: unknown, startedAt: number): number {
  const seconds = Number(lifetime);
  return startedAt + (seconds > 0 && seconds < 1e9 ? seconds : 3_600) * 1_000;
}
