/** Access token refresh: OAuth 2.0, RFC 6749, section 6. */
import { setTimeout as wait } from "node:timers/promises";
import { Deadline } from "./deadline";
import type { RawResponse } from "./exchange";
import { backoffMs, retryAfterMs } from "./backoff";
import type { Transport } from "./transport";
import {
  type OAuthApplication,
  assertGranted,
  basicAuthorization,
  readTokenResponse,
  expiryOf,
  isOutage,
  sendForm,
  unreachableError,
} from "./token-endpoint";
import type { Secrets } from "./secrets";
import { type RefreshTokens, TokenFailure, type Tokens } from "./token-source";

const maxAttempts = 3;

/** Returns a function that refreshes tokens through the transport of a connection. */
export function createTokenRefresh(
  transport: Transport,
  application: OAuthApplication,
  secrets: Secrets,
): RefreshTokens {
  secrets.add(basicAuthorization(application).slice("Basic ".length));

  const send = (refreshToken: string, deadline: Deadline) => {
    const { scope } = application;
    const form = new URLSearchParams({
      grant_type: "refresh_token",
      refresh_token: refreshToken,
      scope,
    });
    return sendForm(transport, application, form, deadline);
  };

  /** Retries are safe: the endpoint accepts a refresh token again if its response was lost. */
  async function sendWithRetries(refreshToken: string, deadline: Deadline): Promise<RawResponse> {
    for (let attempt = 1; ; attempt += 1) {
      let received: RawResponse | undefined;
      let cause: unknown;
      try {
        received = await send(refreshToken, deadline);
        if (!isOutage(received.status) || attempt === maxAttempts) return received;
      } catch (error) {
        cause = error;
      }
      const requestedDelay = received && retryAfterMs(received.headers["retry-after"], Date.now());
      const delay = Math.max(requestedDelay ?? 0, backoffMs(attempt, received?.status));
      if (received && delay >= deadline.remainingMs) return received;
      if (attempt === maxAttempts || deadline.ended || delay >= deadline.remainingMs)
        throw unreachableError(cause, secrets);
      await wait(delay);
    }
  }

  return async ({ refreshToken }) => {
    secrets.add(refreshToken);
    const deadline = new Deadline(application.timeoutMs);
    deadline.startTimeLimit(application.timeoutMs);
    const startedAt = Date.now();
    let received: RawResponse;
    try {
      received = await sendWithRetries(refreshToken, deadline);
    } finally {
      deadline.release();
    }
    const body = await readTokenResponse(received, secrets);
    assertGranted(received, body, "the refresh token");
    const tokens = parseTokens(body, refreshToken, startedAt);
    secrets.add(tokens.accessToken);
    secrets.add(tokens.refreshToken);
    return tokens;
  };
}

function parseTokens(body: Record<string, unknown>, refreshToken: string, startedAt: number): Tokens {
  const { access_token: accessToken, refresh_token: rotated, expires_in: lifetime } = body;
  if (typeof accessToken !== "string" || accessToken === "")
    throw new TokenFailure("The token endpoint returned no access token.", false);
  return {
    accessToken,
    refreshToken: typeof rotated === "string" && rotated !== "" ? rotated : refreshToken,
    expiresAt: expiryOf(lifetime, startedAt),
  };
}
