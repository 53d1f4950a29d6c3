/** Renewing an access token at the token endpoint: OAuth 2.0, RFC 6749, section 6. */
import { setTimeout as wait } from "node:timers/promises";
import { decoded, inflated } from "../transport/content";
import { Deadline } from "../transport/deadline";
import { TransportError, errorText } from "../transport/error";
import type { RawResponse } from "../transport/exchange";
import { backoffMs, retryAfterMs } from "../transport/backoff";
import type { Transport } from "../transport/transport";
import type { Secrets } from "./secrets";
import { type Refresh, TokenFailure, type Tokens } from "./tokens";

export interface RefreshGrant {
  readonly origin: string;
  /** Path of the endpoint. */
  readonly path: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  readonly timeoutMs: number;
}

const maxAttempts = 3;
const largestBytes = 1024 * 1024;

/** One that may be asked again soon: it failed, or nobody heard it. */
const isOutage = (status: number) => status >= 500 || status === 429 || status === 408;

/** A function that renews tokens through the transport of a connection. */
export function refreshThrough(transport: Transport, grant: RefreshGrant, secrets: Secrets): Refresh {
  const basic = Buffer.from(`${grant.clientId}:${grant.clientSecret}`).toString("base64");
  secrets.add(basic);

  const send = (refreshToken: string, deadline: Deadline) =>
    transport.send(
      {
        origin: grant.origin,
        path: grant.path,
        method: "POST",
        headers: ["authorization", `Basic ${basic}`, "content-type", "application/x-www-form-urlencoded"],
        body: new URLSearchParams({
          grant_type: "refresh_token",
          refresh_token: refreshToken,
          scope: grant.scope,
        }).toString(),
      },
      deadline,
      { isFile: () => false, largestBytes, alone: true },
    );

  function unreached(error: unknown): TokenFailure {
    const cause = secrets.redactError(error instanceof TransportError ? error.cause : error);
    return new TokenFailure(`The token endpoint cannot be reached (${errorText(cause)}).`, false, { cause });
  }

  /** The endpoint takes a refresh token again whose response was lost: it knows the last ones it gave. */
  async function attempts(refreshToken: string, deadline: Deadline): Promise<RawResponse> {
    for (let attempt = 1; ; attempt += 1) {
      let received: RawResponse | undefined;
      let cause: unknown;
      try {
        received = await send(refreshToken, deadline);
        if (!isOutage(received.status) || attempt === maxAttempts) return received;
      } catch (error) {
        cause = error;
      }
      const asked = received && retryAfterMs(received.headers["retry-after"], Date.now());
      const delay = Math.max(asked ?? 0, backoffMs(attempt, received?.status));
      if (received && delay >= deadline.remainingMs) return received;
      if (attempt === maxAttempts || deadline.ended || delay >= deadline.remainingMs) throw unreached(cause);
      await wait(delay);
    }
  }

  return async ({ refreshToken }) => {
    secrets.add(refreshToken);
    const deadline = new Deadline(grant.timeoutMs);
    deadline.startTimeLimit(grant.timeoutMs);
    const begun = Date.now();
    let received: RawResponse;
    try {
      received = await attempts(refreshToken, deadline);
    } finally {
      deadline.release();
    }
    const tokens = tokensFrom(await bodyOf(received, secrets), received, refreshToken, begun);
    secrets.add(tokens.accessToken);
    secrets.add(tokens.refreshToken);
    return tokens;
  };
}

/** What the endpoint says; nothing where that is no JSON object. */
async function bodyOf({ body, headers }: RawResponse, secrets: Secrets): Promise<Record<string, unknown>> {
  try {
    const bytes = await inflated(body as Buffer, String(headers["content-encoding"] ?? ""), largestBytes);
    const { text } = decoded(bytes, String(headers["content-type"] ?? ""));
    const value = JSON.parse(text) as unknown;
    if (typeof value !== "object" || value === null) return {};
    const { error, ...rest } = value as Record<string, unknown>;
    return { ...rest, ...(typeof error === "string" && { error: secrets.redact(error).slice(0, 100) }) };
  } catch {
    return {};
  }
}

function tokensFrom(
  body: Record<string, unknown>,
  { status, headers }: RawResponse,
  refreshToken: string,
  begun: number,
): Tokens {
  const { access_token: accessToken, refresh_token: rotated, expires_in: lifetime, error } = body;
  const because = typeof error === "string" && error !== "" ? ` (${error})` : "";
  if (status >= 400 && !isOutage(status))
    throw new TokenFailure(
      `The token endpoint refused the refresh token: ${status}${because}. Log in again.`,
      true,
    );
  if (status !== 200)
    throw new TokenFailure(`The token endpoint cannot respond now: ${status}${because}.`, false, {
      ...withRetryAfter(headers["retry-after"]),
    });
  if (typeof accessToken !== "string" || accessToken === "")
    throw new TokenFailure("The token endpoint gave no access token.", false);
  const seconds = Number(lifetime);
  return {
    accessToken,
    refreshToken: typeof rotated === "string" && rotated !== "" ? rotated : refreshToken,
    // The lifetime comes as a number or as digits; an hour is usual.
    expiresAt: begun + (seconds > 0 && seconds < 1e9 ? seconds : 3_600) * 1_000,
  };
}

function withRetryAfter(header: string | string[] | undefined) {
  const ms = retryAfterMs(header, Date.now());
  return ms === undefined ? {} : { retryAfterMs: ms };
}
