/** Idempotency of calls that repeat the X-Request-ID of an earlier one. */
import type { Call, Result } from "../calls/behaviour";
import { DomainError } from "../world/common/domain-error";
import { dayMs } from "@fxdesk/toolkit/calendars";

const retentionMs = dayMs;

/**
 * Runs the call, or returns the stored response to the client's first call with the same ID and content. Throws if the
 * ID was used with other content. Refused calls are not stored.
 */
export function respondOnce<R extends Result>(
  { values, client, world }: Call<{ readonly "X-Request-ID": string }>,
  content: object,
  respond: () => R,
): R {
  const { rememberedResponses: storedResponses } = world.openBanking;
  const requestId = values["X-Request-ID"].toLowerCase();
  const key = `${client.clientId} ${requestId}`;
  const requestText = JSON.stringify(content);
  const stored = storedResponses.get(key);
  if (stored && stored.asked !== requestText)
    throw new DomainError("format-error", "This X-Request-ID was used for a different request.", requestId);
  if (stored) return stored.result as R;
  const result = respond();
  storedResponses.set(key, { asked: requestText, result });
  world.scheduledEvents.schedule(world.timeAfter(retentionMs), "response-is-forgotten", key);
  return result;
}
